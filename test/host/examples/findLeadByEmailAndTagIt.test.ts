import { describeExample, json } from '../../support/host/exampleRuns.ts';
import type { Edit } from '../../support/host/examples.ts';
import { pageResponse, records } from '../../support/service.ts';

interface Lead {
	id: string;
	email: string;
}

describeExample('find-lead-by-email-and-tag-it', (runs) => {
	/** Looks for another email than that of the example. */
	const edit =
		(email: string): Edit =>
		(node) => {
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
		const { id, execution } = await runs.run(edit(email.toUpperCase()));
		expect(json(execution, 'Find the lead')).toEqual([leads[555]]);
		expect(await runs.tagged()).toEqual([lead]);
		const reads = (await runs.org.journal()).slice(before).filter(({ method }) => method === 'GET');
		expect(reads).toHaveLength(6);
		expect(json(await runs.again(id), 'Tag Lead')).toEqual([expect.objectContaining({ replayed: true })]);
		expect(await runs.tagged()).toEqual([lead]);
	});

	test('a lead whose ID has the other usual name is tagged, too', async () => {
		const { id } = (await records<Lead>(runs.org.credential, '/v1/leads/', 1))[0]!;
		await runs.org.meets(pageResponse([{ lead_id: id, email: 'ada@example.com' }]));
		await runs.run(edit('ada@example.com'));
		expect(await runs.tagged()).toEqual([id]);
	});

	test('an email that no lead has is an error that names it', async () => {
		const execution = await runs.byHand(await runs.use(edit('nobody@example.com')));
		expect(execution.status).toBe('error');
		expect(execution.error?.message).toBe('No lead has the email nobody@example.com');
		expect(await runs.tagged()).toEqual([]);
	});
});
