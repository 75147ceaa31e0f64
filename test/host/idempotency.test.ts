import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { Credential, WorkflowNode } from '../../scripts/n8n/session.ts';
import { outputItems } from '../../scripts/n8n/session.ts';
import { nodeOf } from '../../scripts/n8n/workflows.ts';
import { draft, tag, tagPath } from '../support/engine/writes.ts';
import { N8nHost } from '../support/host/n8nHost.ts';
import { changeNode, fedChain } from '../support/host/workflows.ts';
import type { TestOrganization } from '../support/service.ts';
import { control, leadIds, organization } from '../support/service.ts';

const FIVE = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name }));

const host = N8nHost.shared();
let org: TestOrganization;
let credential: Credential;

beforeEach(async () => {
	org = await organization({ leads: 8 });
	credential = await host.session.createCredential(org.name, 'leadRevenueApi', org.credential);
});

const creating = (name: string, options: IDataObject = {}, settings: object = {}) =>
	nodeOf('Create', 'createKeywordAutomation', credential, { ...draft, name, options }, settings);

const tagging = (name: string, options: INodeParameters = {}, settings: object = {}) =>
	nodeOf(name, 'tagLead', credential, tag(org, '={{ $json.id }}', { options }), settings);

const leads = async (count: number) => (await leadIds(org, count)).map((id) => ({ id }));

async function save(items: IDataObject[], nodes: WorkflowNode[]) {
	return await host.session.createWorkflow(fedChain('idempotency', 'manual', items, nodes));
}

describe('a change whose expression returns another value each time is made once', () => {
	test('when Retry On Fail tries the node again', async () => {
		await org.meets({ action: 'status', status: 503, skip: 3, when: 'after' });
		const node = creating(
			'=Draft {{ $now }} {{ Math.random() }}',
			{ maxAttempts: 1 },
			{ retryOnFail: true, maxTries: 2, waitBetweenTries: 100 },
		);
		const execution = await host.session.runWorkflow((await save(FIVE, [node])).id, 'Start');
		expect(execution.error).toBeUndefined();
		expect(await control.automations(org.id)).toHaveLength(5);
	});

	test.each([false, true])(
		'when the failed execution is retried (with the current workflow: %s)',
		async (loadWorkflow) => {
			await org.meets({ action: 'status', status: 403, skip: 3 });
			const failed = await host.session.runWorkflow(
				(await save(FIVE, [creating('=Draft {{ $execution.id }} {{ $now }}')])).id,
				'Start',
			);
			expect(failed.status).toBe('error');
			const retried = await host.session.runRetry(failed.id, { loadWorkflow });
			expect(retried.status).toBe('success');
			expect(outputItems(retried, 'Create').map(({ json }) => json.replayed)).toEqual([true, true, true, false, false]);
			expect(await control.automations(org.id)).toHaveLength(5);
		},
	);

	test('with a key that is such an expression, by a node that was deleted and added again under its name', async () => {
		const eight = await leads(8);
		await org.meets({ action: 'status', status: 403, match: { path: tagPath(eight[3]?.id) } });
		const key = { idempotencyKey: '={{ $execution.id }} {{ $json.id }}' };
		const workflow = await save(eight, [tagging('Tag', key)]);
		const failed = await host.session.runWorkflow(workflow.id, 'Start');
		expect(failed.status).toBe('error');
		await changeNode(host.session, workflow.id, 'Tag', ({ position }) => {
			return { ...tagging('Tag', key), id: 'added-again', position };
		});
		const retried = await host.session.runRetry(failed.id, { loadWorkflow: true });
		expect(retried.status).toBe('success');
		expect(await control.tagApplications(org.id)).toHaveLength(8);
	});
});

test('items of the error output, sent again with their keys, make exactly the missing changes', async () => {
	const three = await leads(3);
	await org.meets(
		{ action: 'status', status: 503, when: 'after', match: { path: tagPath(three[0]?.id) } },
		{ action: 'status', status: 500, match: { path: tagPath(three[2]?.id) } },
	);
	const workflow = fedChain('error output', 'manual', three, [
		tagging('Tag', { maxAttempts: 1 }, { onError: 'continueErrorOutput' }),
		tagging('Tag again', { idempotencyKey: '={{ $json.idempotencyKey }}' }),
	]);
	const toAgain = [{ node: 'Tag again', type: 'main', index: 0 }];
	const execution = await host.session.runNew({
		...workflow,
		connections: { ...workflow.connections, Tag: { main: [[], toAgain] } },
	});
	expect(execution.status).toBe('success');
	expect(outputItems(execution, 'Tag')).toHaveLength(1);
	expect(outputItems(execution, 'Tag again').map(({ json }) => [json.leadId, json.replayed])).toEqual([
		[three[0]?.id, true],
		[three[2]?.id, false],
	]);
	expect(await control.tagApplications(org.id)).toHaveLength(3);
});
