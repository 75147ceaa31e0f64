import { POLL_TIMES } from '../../../scripts/n8n/workflows.ts';
import { describeExample, json } from '../../support/host/exampleRuns.ts';
import type { Edit } from '../../support/host/examples.ts';
import { control, leadIds, records } from '../../support/service.ts';

describeExample('tag-leads-of-new-transactions', (runs) => {
	const tagging = async () =>
		(await control.tagApplications(runs.org.id)).map(({ lead_id: lead, tag_id: tag }) => ({ lead, tag }));

	/** The user sets the tag. */
	const tagged =
		(more?: Edit): Edit =>
		(node, workflow) => {
			node('Tag Lead').parameters.tagId = runs.org.manualTag;
			more?.(node, workflow);
		};

	beforeEach(async () => {
		await runs.start({ leads: 20 });
	});

	test('by hand, twice: tags every lead of the last week, once for each of its transactions', async () => {
		const [first, second, third] = await leadIds(runs.org);
		const old = { occurred_at: '-20d', created_at: '-20d', updated_at: '-20d' };
		await control.addTransactions(runs.org.id, [
			{ lead_id: first },
			{ lead_id: second },
			{ lead_id: second },
			{ lead_id: null },
			{ lead_id: third, ...old },
		]);
		const { id, execution } = await runs.run(tagged());
		const expected = [first, second, second].map((lead) => ({ lead, tag: runs.org.manualTag }));
		const byLead = (rows: Array<{ lead: string | undefined }>) =>
			rows.toSorted((a, b) => String(a.lead).localeCompare(String(b.lead)));
		expect(byLead(await tagging())).toEqual(byLead(expected));
		expect(json(execution, 'Tag Lead').map(({ replayed }) => replayed)).toEqual([false, false, false]);
		expect(json(await runs.again(id), 'Tag Lead').map(({ replayed }) => replayed)).toEqual([true, true, true]);
		expect(await tagging()).toHaveLength(3);
	});

	test('a deleted lead does not keep the others from being tagged, and the execution names it', async () => {
		const [lead] = await records<{ id: string }>(runs.org.credential, '/v1/leads/');
		await control.addTransactions(runs.org.id, [{ lead_id: 'lead_gone' }, { lead_id: lead?.id }]);
		const execution = await runs.byHand(await runs.use(tagged()));
		expect(await tagging()).toEqual([{ lead: lead?.id, tag: runs.org.manualTag }]);
		expect(execution.status).toBe('error');
		expect(execution.error?.message).toMatch(/^Not tagged: lead_gone \(/);
	});

	test('after an outage, a run by hand tags what Retry does not, as the error says', async () => {
		const [lead] = await leadIds(runs.org);
		await control.addTransactions(runs.org.id, [{ lead_id: lead }]);
		const options = { idempotencyKey: '=buyer tag for {{ $json.id }}', maxAttempts: 1 };
		const id = await runs.use(tagged((node) => Object.assign(node('Tag Lead').parameters, { options })));
		await runs.org.meets({ action: 'status', status: 503, times: 1, match: { method: 'POST' } });
		const failed = await runs.byHand(id);
		const retry = await runs.session.runRetry(failed.id);
		expect([failed.status, retry.status]).toEqual(['error', 'error']);
		expect(await tagging()).toEqual([]);
		expect(failed.error?.message).toMatch(/Run the workflow by hand for these: Retry repeats only this node$/);
		await runs.again(id);
		expect(await tagging()).toEqual([{ lead, tag: runs.org.manualTag }]);
	});

	test('published: a new transaction tags its lead', async () => {
		const [lead] = await records<{ id: string }>(runs.org.credential, '/v1/leads/');
		const pollTimes = { item: POLL_TIMES };
		const id = await runs.use(tagged((node) => Object.assign(node('On new transactions').parameters, { pollTimes })));
		await runs.publish(id);
		await control.addTransactions(runs.org.id, [{ lead_id: lead?.id }]);
		await runs.until('a tag', async () => (await tagging()).length > 0);
		expect(await tagging()).toEqual([{ lead: lead?.id, tag: runs.org.manualTag }]);
		expect(json(await runs.again(id), 'Tag Lead').map(({ replayed }) => replayed)).toEqual([true]);
		expect(await tagging()).toHaveLength(1);
		await runs.session.deactivateWorkflow(id);
	});
});
