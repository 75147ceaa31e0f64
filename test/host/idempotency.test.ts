import type { INodeParameters } from 'n8n-workflow';
import { executionsOf } from '../../scripts/n8n/executions.ts';
import type { Credential } from '../../scripts/n8n/session.ts';
import { outputItems } from '../../scripts/n8n/session.ts';
import { byId, linkTo, n8nNode, nodeOf } from '../../scripts/n8n/workflows.ts';
import { tag, tagPath } from '../support/engine/writes.ts';
import { N8nHost } from '../support/host/n8nHost.ts';
import { changeNode, fedChain } from '../support/host/workflows.ts';
import type { TestOrganization } from '../support/service.ts';
import { control, leadIds, organization } from '../support/service.ts';

const host = N8nHost.shared();
let org: TestOrganization;
let credential: Credential;

beforeEach(async () => {
	org = await organization({ leads: 8 });
	credential = await host.session.createCredential(org.name, 'leadRevenueApi', org.credential);
});

const tagging = (name: string, options: INodeParameters = {}, settings: object = {}) =>
	nodeOf(name, 'tagLead', credential, tag(org, '={{ $json.id }}', { options }), settings);

const leads = async (count: number) => (await leadIds(org, count)).map((id) => ({ id }));

test('a change whose key is another each time is made once, by a node that was deleted and added again under its name', async () => {
	const eight = await leads(8);
	await org.meets({ action: 'status', status: 403, match: { path: tagPath(eight[3]?.id) } });
	const key = { idempotencyKey: '={{ $execution.id }} {{ $json.id }}' };
	const workflow = await host.session.createWorkflow(fedChain('key', 'manual', eight, [tagging('Tag', key)]));
	const failed = await host.session.runWorkflow(workflow.id, 'Start');
	expect(failed.status).toBe('error');
	await changeNode(host.session, workflow.id, 'Tag', ({ position }) => {
		return { ...tagging('Tag', key), id: 'added-again', position };
	});
	const retried = await host.session.runRetry(failed.id, { loadWorkflow: true });
	expect(retried.status).toBe('success');
	expect(await control.tagApplications(org.id)).toHaveLength(8);
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
	const connections = { ...workflow.connections, Tag: { main: [[], ...linkTo('Tag again').main!] } };
	const execution = await host.session.runNew({ ...workflow, connections });
	expect(execution.status).toBe('success');
	expect(outputItems(execution, 'Tag')).toHaveLength(1);
	expect(outputItems(execution, 'Tag again').map(({ json }) => [json.leadId, json.replayed])).toEqual([
		[three[0]?.id, true],
		[three[2]?.id, false],
	]);
	expect(await control.tagApplications(org.id)).toHaveLength(3);
});

test('the error of a sub-workflow, which its parent shows, says whose retry makes each change once', async () => {
	const { session } = host;
	const three = await leads(3);
	const sub = fedChain('sub', 'manual', three, [tagging('Tag')]);
	const trigger = n8nNode('Start', 'executeWorkflowTrigger', 1.1, { inputSource: 'passthrough' });
	const { id } = await session.createWorkflow({ ...sub, nodes: [trigger, ...sub.nodes.slice(1)] });
	// n8n 2.x runs the published sub-workflow; n8n 1.x cannot publish it.
	await session.publishWorkflow(id).catch(() => undefined);
	await org.meets({ action: 'status', status: 403, match: { path: tagPath(three[2]?.id) } });
	const call = n8nNode('Call', 'executeWorkflow', 1.2, { workflowId: byId(id), options: {} });
	const parent = await session.runNew(fedChain('parent', 'manual', [{}], [call]));
	expect(parent.error?.description).toContain(
		'retry the execution of this sub-workflow, not the one that called it (a new one would repeat',
	);
	const [own] = await executionsOf(session, id);
	expect((await session.runRetry(own?.id as string)).status).toBe('success');
	expect(await control.tagApplications(org.id)).toHaveLength(3);
});
