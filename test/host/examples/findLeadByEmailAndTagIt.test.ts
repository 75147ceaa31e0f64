import { BY_HAND, describeExample, json } from '../../support/host/exampleRuns.ts';
import { useExample } from '../../support/host/examples.ts';
import { control, pageResponse, records } from '../../support/service.ts';

const FILE = 'find-lead-by-email-and-tag-it';

interface Lead {
	id: string;
	email: string;
}

describeExample(FILE, (runs) => {
	const tagged = async () => (await control.tagApplications(runs.org.id)).map(({ lead_id: lead }) => lead);

	/** Looks for another email than that of the example. */
	const edit = (email: string) => (node: Parameters<NonNullable<Parameters<typeof useExample>[3]>>[0]) => {
		const { assignments } = node('Who').parameters.assignments as { assignments: Array<{ value: string }> };
		assignments[0]!.value = email;
		node('Tag Lead').parameters.tagId = runs.org.manualTag;
	};

	beforeEach(async () => {
		await runs.start({ leads: 1_250 });
	});

	test('tags the lead that has the email, once, and reads no page behind it', async () => {
		const leads = await records<Lead>(runs.org.credential, '/v1/leads/');
		const { id: lead, email } = leads[555]!;
		const before = (await runs.org.journal()).length;
		const { id, execution } = await runs.run(FILE, edit(email.toUpperCase()));
		expect(json(execution, 'Find the lead')).toEqual([leads[555]]);
		expect(await tagged()).toEqual([lead]);
		const reads = (await runs.org.journal()).slice(before).filter(({ method }) => method === 'GET');
		expect(reads).toHaveLength(6);
		expect(json(await runs.again(id), 'Tag Lead')).toEqual([expect.objectContaining({ replayed: true })]);
		expect(await tagged()).toEqual([lead]);
	});

	test('a lead whose ID has the other usual name is tagged, too', async () => {
		const { id } = (await records<Lead>(runs.org.credential, '/v1/leads/', 1))[0]!;
		await runs.org.meets(pageResponse([{ lead_id: id, email: 'ada@example.com' }]));
		await runs.run(FILE, edit('ada@example.com'));
		expect(await tagged()).toEqual([id]);
	});

	test('an email that no lead has is an error that names it', async () => {
		const { id } = await useExample(runs.host.session, FILE, runs.credential, edit('nobody@example.com'));
		const execution = await runs.host.session.runWorkflow(id, BY_HAND);
		expect(execution.status).toBe('error');
		expect(execution.error?.message).toBe('No lead has the email nobody@example.com');
		expect(await tagged()).toEqual([]);
	});
});
