import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { executionsOf, startByWebhook } from '../../scripts/n8n/executions.ts';
import type { Credential, WorkflowNode } from '../../scripts/n8n/session.ts';
import { outputItems } from '../../scripts/n8n/session.ts';
import { nodeOf } from '../../scripts/n8n/workflows.ts';
import { draft, rejectedInVain, tag, tagPath } from '../support/engine/writes.ts';
import { N8nHost } from '../support/host/n8nHost.ts';
import { fedChain, rawItems, splitItems } from '../support/host/workflows.ts';
import { HOST } from '../support/hostUnderTest.ts';
import type { TestOrganization } from '../support/service.ts';
import { control, leadIds, organization, WRITE_FAULTS } from '../support/service.ts';

async function credentialFor({ session }: N8nHost, org: TestOrganization): Promise<Credential> {
	return await session.createCredential(org.name, 'leadRevenueApi', org.credential);
}

const tagging = (org: TestOrganization, options: INodeParameters = {}) => tag(org, '={{ $json.id }}', { options });

function tagEach(leads: string[], node: WorkflowNode) {
	const items = leads.map((id) => ({ id }));
	return fedChain('tags', 'manual', items, [node]);
}

const drafting = (options: IDataObject = {}) => ({ ...draft, name: '={{ $json.name }}', options });

const drafts = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `Draft ${index}` }));

describe('in a running n8n', () => {
	const host = N8nHost.shared();

	test('200 leads, a fault on a third of the requests: every tag is applied exactly once, and every item is correct', async () => {
		const org = await organization({ leads: 200 });
		const leads = await leadIds(org, 200);
		await org.meets(
			...WRITE_FAULTS.map((fault) => ({ ...fault, probability: 0.1, times: -1, match: { method: 'POST' } })),
		);
		await org.meets({
			action: 'stall',
			ms: 60_000,
			then: 'respond',
			when: 'after',
			skip: 100,
			match: { method: 'POST' },
		});
		const credential = await credentialFor(host, org);
		const node = nodeOf('Tag', 'tagLead', credential, tagging(org, { timeout: 1, maxAttempts: 20 }));
		const execution = await host.session.runNew(tagEach(leads, node), 200_000);
		expect(execution.error).toBeUndefined();
		const items = outputItems(execution, 'Tag');
		expect(items.map(({ json }) => json.leadId)).toEqual(leads);
		const applied = await control.tagApplications(org.id);
		// Four are in flight at once, and the requests after a rejected one overtake it.
		expect(applied.map(({ lead_id: lead }) => lead).sort()).toEqual([...leads].sort());
		expect((await org.journal()).filter(({ fault }) => fault !== undefined).length).toBeGreaterThan(200 / 3);
		const keyOf = new Map(applied.map(({ lead_id: lead, idempotency_key: key }) => [lead, key]));
		expect(items.map(({ json }) => json.idempotencyKey)).toEqual(leads.map((lead) => keyOf.get(lead)));
		expect(items.filter(({ json }) => json.replayed).length).toBeGreaterThan(10);
	});

	test('Retry On Fail, with item 57 of 100 failing on the first two tries: items 1 to 56 are replays', async () => {
		const org = await organization({ leads: 100 });
		const leads = await leadIds(org, 100);
		// The first try stops at item 57; the second replays 56 and stops there again.
		await org.meets({ action: 'status', status: 403, times: 2, match: { path: tagPath(leads[56]) } });
		// Those in flight with it let no other item pass in the meantime.
		for (const lead of leads.slice(57, 60)) {
			await org.meets({ action: 'stall', ms: 2_000, then: 'respond', times: 2, match: { path: tagPath(lead) } });
		}
		const settings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 };
		const node = nodeOf('Tag', 'tagLead', await credentialFor(host, org), tagging(org), settings);
		const execution = await host.session.runNew(tagEach(leads, node));
		expect(execution.error).toBeUndefined();
		const items = outputItems(execution, 'Tag').map(({ json }) => json);
		expect(items.slice(0, 57).map(({ replayed }) => replayed)).toEqual([...Array(56).fill(true), false]);
		const journal = await org.journal();
		expect(journal.filter(({ status }) => status === 403)).toHaveLength(2);
		// Of the items after it, only those in flight with it had been sent.
		const replays = new Set(journal.filter(({ replay }) => replay).map(({ path }) => path.split('/')[3]));
		expect(items.map(({ replayed }) => replayed)).toEqual(leads.map((lead) => replays.has(lead)));
		expect(items.slice(60).map(({ replayed }) => replayed)).toEqual(Array(40).fill(false));
		expect(await control.tagApplications(org.id)).toHaveLength(100);
	});

	test('300 items use the rate limit of writes fully, with one rejected request a minute after the first', async () => {
		const org = await organization({ leads: 300, budgets: { enabled: true, read: 1_000, write: 60, minute: '3s' } });
		const leads = await leadIds(org, 300);
		const node = nodeOf('Tag', 'tagLead', await credentialFor(host, org), tagging(org));
		const execution = await host.session.runNew(tagEach(leads, node));
		expect(outputItems(execution, 'Tag')).toHaveLength(300);
		const writes = (await org.journal()).filter(({ method }) => method === 'POST');
		expect(writes.filter(({ status }) => status !== 429)).toHaveLength(300);
		expect(rejectedInVain(writes, 60)).toBe(0);
	});

	const NAMES = ['={{ $json.name }}', '=Draft {{ $execution.id }} {{ $now }}'];

	test.each(NAMES.flatMap((name) => [false, true].map((loadWorkflow) => ({ name, loadWorkflow }))))(
		'the retry of a failed execution (with the current workflow: $loadWorkflow) replays the changes already made, named $name',
		async ({ name, loadWorkflow }) => {
			const org = await organization();
			await org.meets({ action: 'status', status: 403, skip: 30 });
			const node = nodeOf('Create', 'createKeywordAutomation', await credentialFor(host, org), { ...drafting(), name });
			const failed = await host.session.runNew(fedChain('failed', 'manual', drafts(50), [node]));
			expect(failed.status).toBe('error');
			const retried = await host.session.runRetry(failed.id, { loadWorkflow });
			expect(retried.status).toBe('success');
			expect(outputItems(retried, 'Create').map(({ json }) => json.replayed)).toEqual([
				...Array(30).fill(true),
				...Array(20).fill(false),
			]);
			expect(await control.automations(org.id)).toHaveLength(50);
		},
	);
});

describe('n8n killed with -9 in the middle of a batch', () => {
	interface Batch {
		org: TestOrganization;
		executionId: string;
		retry: Retry;
	}

	interface Retry {
		/** Which of the two entries of n8n's Retry menu. */
		loadWorkflow: boolean;
		/** Whether the user sets the nodes' Idempotency Key. */
		ownKey: boolean;
		/** Whether the automations get a different name each time. */
		volatile?: boolean;
	}

	async function startBatch(host: N8nHost, retry: Retry): Promise<Batch> {
		const { loadWorkflow, ownKey, volatile = false } = retry;
		const org = await organization({ leads: 1 });
		const [lead] = await leadIds(org, 1);
		const credential = await credentialFor(host, org);
		const webhook = `batch-${loadWorkflow}-${ownKey}-${volatile}`;
		const key = (text: string) => (ownKey ? { idempotencyKey: text } : {});
		const parameters = volatile
			? { ...drafting({ timeout: 300, maxAttempts: 1 }), name: '={{ $json.name }} {{ $now }}' }
			: drafting({ timeout: 300, ...key('={{ $json.name }}') });
		const settings = volatile ? { onError: 'continueRegularOutput' } : {};
		const workflow = fedChain(
			webhook,
			{ webhook },
			[{ id: lead }],
			[
				// This node finishes before the crash; the retry runs it again with another run index.
				nodeOf('Tag', 'tagLead', credential, tagging(org, key('={{ $json.id }}'))),
				rawItems('Drafts', { list: drafts(50) }),
				splitItems('Split drafts'),
				nodeOf('Create', 'createKeywordAutomation', credential, parameters, settings),
			],
		);
		await org.meets({
			action: 'stall',
			ms: 600_000,
			then: 'respond',
			when: 'after',
			skip: 30,
			match: { path: '/v1/automations/keyword/' },
		});
		const id = await startByWebhook(host.session, workflow, webhook);
		while ((await control.automations(org.id)).length < 31) await host.session.workflow(id);
		const [execution] = await executionsOf(host.session, id);
		return { org, executionId: execution!.id, retry };
	}

	const retries = (ownKey: boolean): Retry[] => [false, true].map((loadWorkflow) => ({ loadWorkflow, ownKey }));
	// Nothing that a node can read survives a crash of n8n 1.x, so there only the user's own key matches after it.
	const survives = ({ ownKey }: Retry) => ownKey || HOST !== 'n8n-1';

	test('the retries of its executions, from both entries, leave exactly 50 automations (on n8n 1.x with the user’s own key)', async () => {
		let host = await N8nHost.start();
		try {
			const batches: Batch[] = [];
			for (const retry of [
				...retries(false),
				{ ...(retries(false)[0] as Retry), volatile: true },
				...(HOST === 'n8n-1' ? retries(true) : []),
			]) {
				batches.push(await startBatch(host, retry));
			}
			await host.kill9();
			for (const { org } of batches) await control.clearFaults(org.id);
			host = await N8nHost.start({ userFolder: host.address.userFolder });
			for (const { org, executionId, retry } of batches) {
				expect((await host.session.finishedExecution(executionId)).status).toBe('crashed');
				const { loadWorkflow } = retry;
				const retried = await host.session.runRetry(executionId, { loadWorkflow });
				expect(retried.error).toBeUndefined();
				const replays = outputItems(retried, 'Create').map(({ json }) => json.replayed);
				// A request with the same key and other content is rejected: neither replayed nor made twice.
				const made = retry.volatile === true && survives(retry) ? null : survives(retry);
				expect(replays).toEqual([...Array(31).fill(made), ...Array(19).fill(false)]);
				const told = retried.runData.Create?.[0]?.hints?.map(({ message }) => message) ?? [];
				expect(told).toEqual(
					survives(retry) ? [] : [expect.stringMatching(/^If the execution that you retry crashed/)],
				);
				expect(await control.automations(org.id)).toHaveLength(survives(retry) ? 50 : 31 + 50);
				expect(await control.tagApplications(org.id)).toHaveLength(survives(retry) ? 1 : 2);
			}
		} finally {
			await host.kill9();
			await host.remove();
		}
	});
});
