import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { IDataObject } from 'n8n-workflow';
import { freePort } from '../../../scripts/lib/ports.ts';
import { executionsOf, startByWebhook } from '../../../scripts/n8n/executions.ts';
import type { Turn } from '../../../scripts/n8n/scriptedModel.ts';
import type { Credential, Workflow, WorkflowNode } from '../../../scripts/n8n/session.ts';
import { outputItems } from '../../../scripts/n8n/session.ts';
import { byId, linkTo, n8nNode, nodeOf } from '../../../scripts/n8n/workflows.ts';
import { findQueuePrograms } from '../../../scripts/scale/programs.ts';
import { Postgres } from '../../scale/support/postgres.ts';
import { withAgent } from '../../support/agents/agentRuns.ts';
import { fromAi } from '../../support/agents/writeTools.ts';
import { draft } from '../../support/engine/writes.ts';
import { N8nHost } from '../../support/host/n8nHost.ts';
import { fedChain } from '../../support/host/workflows.ts';
import { HOST } from '../../support/hostUnderTest.ts';
import type { TestOrganization } from '../../support/service.ts';
import { control, organization } from '../../support/service.ts';
import { describeUnless } from '../../support/unless.ts';

/**
 * What test/simulation/writes takes for granted of n8n, where no other test shows it. Others are: Retry On Fail, the Retry of a
 * failed execution, a crash that shifts run indexes, and what survives it (writes.test.ts), a node added again under its name
 * (idempotency.test.ts), tools and calls without an execution (toolWays.test.ts, aiToolsParallel.test.ts).
 */

interface Setup {
	host: N8nHost;
	org: TestOrganization;
	credential: Credential;
}

async function setUp(host: N8nHost): Promise<Setup> {
	const org = await organization({ leads: 1 });
	return { host, org, credential: await host.session.createCredential(org.name, 'leadRevenueApi', org.credential) };
}

const creating = ({ credential }: Setup, settings: object = {}, more: IDataObject = {}) => {
	const options = { maxAttempts: 1, ...(more.options as IDataObject | undefined) };
	const parameters = { ...draft, name: '={{ $json.name }}', ...more, options };
	return nodeOf('Create', 'createKeywordAutomation', credential, parameters, settings);
};

const looping = (): WorkflowNode => n8nNode('Loop', 'splitInBatches', 3, { batchSize: 1, options: {} });

/** Start → items → Loop → the nodes → Loop. */
function loop(
	name: string,
	start: Parameters<typeof fedChain>[1],
	items: IDataObject[],
	nodes: WorkflowNode[],
): Workflow {
	const workflow = fedChain(name, start, items, [looping(), ...nodes]);
	return {
		...workflow,
		connections: {
			...workflow.connections,
			Loop: { main: [[], ...linkTo(nodes[0]!.name).main!] },
			[nodes.at(-1)!.name]: linkTo('Loop'),
		},
	};
}

const ALIKE = ['a', 'a', 'a'].map((name) => ({ name }));
const READS: Record<string, object> = {
	listLeads: { id: expect.any(String) as unknown },
	getRevenue: { metrics: expect.objectContaining({ amount: 0 }) as unknown },
};
const rejectTheThird = { action: 'status', status: 403, skip: 2 } as const;

describe('on a running n8n', () => {
	let setup: Setup;
	beforeEach(async () => {
		setup = await setUp(N8nHost.shared());
	});

	const run = async (workflow: Workflow) => await setup.host.session.runNew(workflow);
	const retry = async (executionId: string) => await setup.host.session.runRetry(executionId);

	test.each([
		[0, 4],
		[1, 2],
	])(
		'with Continue, Retry On Fail repeats only what failed in item 0 (item %i: %i requests)',
		async (item, requests) => {
			await setup.org.meets({ action: 'status', status: 403, skip: item });
			const settings = { onError: 'continueRegularOutput', retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
			await run(fedChain('continue', 'manual', [{ name: 'a' }, { name: 'b' }], [creating(setup, settings)]));
			expect((await setup.org.journal()).filter(({ method }) => method === 'POST')).toHaveLength(requests);
		},
	);

	test('a retry continues a loop in the round that failed, and a failed execution can be retried again', async () => {
		await setup.org.meets({ ...rejectTheThird, times: 2 });
		const failed = await run(loop('loop', 'manual', ALIKE, [creating(setup)]));
		expect(failed.status).toBe('error');
		// The first retry meets the second fault; then the first execution is retried, not its retry.
		expect((await retry(failed.id)).status).toBe('error');
		expect((await retry(failed.id)).status).toBe('success');
		expect(await control.automations(setup.org.id)).toHaveLength(3);
		expect((await setup.org.journal()).filter(({ method }) => method === 'POST')).toHaveLength(5);
	});

	test('the error output merges the input of an item into it, but not over its own fields', async () => {
		await setup.org.meets({ action: 'status', status: 403, skip: 1 });
		const second = { ...creating(setup, { onError: 'continueErrorOutput' }), id: 'second', name: 'Second' };
		const execution = await run(fedChain('error output', 'manual', [{ name: 'a' }], [creating(setup), second]));
		const [first] = outputItems(execution, 'Create');
		const failed = execution.runData.Second?.[0]?.data?.main?.[1] ?? [];
		expect(failed.map(({ json }) => json)).toMatchObject([
			{ id: first?.json.id, mayHaveBeenMade: false, replayed: null },
		]);
		expect(failed[0]?.json.idempotencyKey).not.toBe(first?.json.idempotencyKey);
	});

	test('a workflow that is run again by Retry On Fail of another one is another execution', async () => {
		const { session } = setup.host;
		const trigger = n8nNode('Start', 'executeWorkflowTrigger', 1.1, { inputSource: 'passthrough' });
		const stop = n8nNode('Stop', 'stopAndError', 1, { errorMessage: 'no' });
		const sub = fedChain('sub', 'manual', [{ name: 'a' }], [creating(setup), stop]);
		const { id } = await session.createWorkflow({ ...sub, nodes: [trigger, ...sub.nodes.slice(1)] });
		await session.publishWorkflow(id).catch(() => undefined);
		const call = {
			...n8nNode('Call', 'executeWorkflow', 1.2, { workflowId: byId(id), options: {} }),
			retryOnFail: true,
			maxTries: 2,
			waitBetweenTries: 1,
		};
		expect((await run(fedChain('parent', 'manual', [{}], [call]))).status).toBe('error');
		expect(await control.automations(setup.org.id)).toHaveLength(2);
	});

	test('an execution that is stopped sends nothing more, even with Continue, and is canceled', async () => {
		const { session } = setup.host;
		await setup.org.meets({ action: 'stall', ms: 2_000, then: 'respond', times: -1 });
		const node = creating(setup, { onError: 'continueRegularOutput' });
		const workflow = fedChain('stopped', { webhook: 'stopped' }, ALIKE, [node]);
		const id = await startByWebhook(session, workflow, 'stopped');
		// The first change is made, and the second request is under way.
		while ((await setup.org.journal()).length < 2) await session.workflow(id);
		const [latest] = await executionsOf(session, id);
		await session.request('POST', `/rest/executions/${latest!.id}/stop`, {});
		expect((await session.finishedExecution(latest!.id)).status).toBe('canceled');
		// A request that goes on would be complete by now.
		await wait(4_000);
		expect(await setup.org.journal()).toHaveLength(2);
		expect(await control.automations(setup.org.id)).toHaveLength(1);
	});

	test('a node with pinned data does not run', async () => {
		const workflow = fedChain('pinned', 'manual', [{ name: 'a' }], [creating(setup)]);
		const execution = await run({ ...workflow, pinData: { Create: [{ json: { pinned: true } }] } } as Workflow);
		expect(outputItems(execution, 'Create').map(({ json }) => json)).toEqual([{ pinned: true }]);
		expect(await setup.org.journal()).toEqual([]);
	});

	test('a retry repeats the run of an AI Agent 2 that failed, and its calls, with the same input and source', async () => {
		const { session } = setup.host;
		const tool = nodeOf('Draft', 'createKeywordAutomationTool', setup.credential, {
			name: fromAi('title'),
			keywords: ['price'],
			replies: ['Thanks!'],
		});
		const call = { name: 'Draft', arguments: { title: 'Prices' } };
		// In each round a call, and a response, which fails once in the second round.
		const script: Turn[] = [[call], [], [call], 'failure', [call], []];
		await withAgent(
			setup.host,
			{ version: 2.2, tools: [tool], script, items: ALIKE.slice(1) },
			async ({ workflowId }) => {
				const { id: _saved, ...workflow } = await session.workflow(workflowId);
				const connections = {
					...workflow.connections,
					Split: linkTo('Loop'),
					Loop: { main: [[], ...linkTo('Agent').main!] },
					Agent: linkTo('Loop'),
				};
				const failed = await session.runNew({ ...workflow, nodes: [...workflow.nodes, looping()], connections });
				expect(failed.status).toBe('error');
				expect((await retry(failed.id)).status).toBe('success');
			},
		);
		// Without the same source, the retried call would pass for one of the first round.
		expect(await control.automations(setup.org.id)).toHaveLength(2);
		expect((await setup.org.journal()).map(({ replay }) => replay)).toEqual([false, false, true]);
	});
});

test('after a crash, an execution whose progress is saved continues in the round that was lost, with what the node kept', async () => {
	let host = await N8nHost.start();
	try {
		const { session } = host;
		const setup = await setUp(host);
		const webhook = 'progress';
		const workflow = loop('progress', { webhook }, ALIKE, [creating(setup, {}, { options: { timeout: 300 } })]);
		const settings = { ...workflow.settings, saveExecutionProgress: true };
		await setup.org.meets({ action: 'stall', ms: 600_000, then: 'respond', when: 'after', skip: 1 });
		const id = await startByWebhook(session, { ...workflow, settings }, webhook);
		while ((await control.automations(setup.org.id)).length < 2) await session.workflow(id);
		await host.kill9();
		await control.clearFaults(setup.org.id);
		host = await N8nHost.start({ userFolder: host.address.userFolder });
		const [latest] = await executionsOf(host.session, id);
		const crashed = await host.session.finishedExecution(latest!.id);
		expect(crashed.status).toBe('crashed');
		const retried = await host.session.runRetry(crashed.id);
		expect(retried.status).toBe('success');
		// This holds even on n8n 1.x, where a lineage in the node's context is all that there is.
		expect(await control.automations(setup.org.id)).toHaveLength(3);
		expect((await setup.org.journal()).filter(({ method }) => method === 'POST')).toHaveLength(4);
	} finally {
		await host.kill9();
		await host.remove();
	}
});

const programs = findQueuePrograms();
const missing = HOST === 'n8n-1' ? 'n8n 1.x has no Engine 2.0' : 'missing' in programs ? programs.missing : undefined;
describeUnless(missing, 'on Engine 2.0', () => {
	const folder = mkdtempSync(path.join(os.tmpdir(), 'lead-revenue-engine2-'));
	// PostgreSQL runs as another user.
	chmodSync(folder, 0o755);
	let postgres: Postgres | undefined;
	let setup: Setup | undefined;
	beforeAll(async () => {
		const { postgresFolder } = programs as { postgresFolder: string };
		postgres = await Postgres.start(postgresFolder, path.join(folder, 'data'));
		const [engine, controlPlane] = [await freePort(), await freePort()];
		const env = {
			N8N_ENABLED_MODULES: 'engine-v2',
			N8N_ENGINE_DATABASE_URL: `postgres://n8n:none@127.0.0.1:${postgres.port}/postgres`,
			N8N_ENGINE_HOST: '127.0.0.1',
			N8N_ENGINE_PORT: String(engine),
			N8N_ENGINE_CONTROL_PLANE_PORT: String(controlPlane),
			N8N_EXPRESSION_ENGINE: 'vm',
		};
		setup = await setUp(await N8nHost.start({ env }));
	});
	afterAll(async () => {
		await setup?.host.end();
		await postgres?.stop();
		rmSync(folder, { recursive: true, force: true });
	});

	const onEngine2 = ({ settings, ...workflow }: Workflow): Workflow => ({
		...workflow,
		settings: { ...settings, engineType: 'v2' },
	});

	test('each round of a loop is a change of its own, and n8n offers no retry', async () => {
		const { host, org } = setup!;
		const { session } = host;
		const { id } = await session.createWorkflow(onEngine2(loop('engine 2.0', 'manual', ALIKE, [creating(setup!)])));
		const executionId = await session.startWorkflow(id, 'Start');
		// A UUID: the node tells the engine by it.
		expect(executionId).toMatch(/^[\da-f-]{36}$/);
		while ((await control.automations(org.id)).length < 3) await session.workflow(id);
		await expect(session.retryExecution(executionId)).rejects.toThrow();
	});

	test('a second start makes a change again, unless it has a key of its own', async () => {
		const { host, credential } = setup!;
		const org = await organization();
		const target = {
			host,
			org,
			credential: await host.session.createCredential(org.name, credential.type, org.credential),
		};
		const own = creating(target, {}, { options: { idempotencyKey: '=order {{ $json.name }}' } });
		for (const [node, made] of [
			[own, 1],
			[creating(target), 3],
		] as const) {
			const workflow = fedChain(`engine 2.0 ${made}`, 'manual', [{ name: 'a' }], [node]);
			const { id } = await host.session.createWorkflow(onEngine2(workflow));
			for (const _start of [1, 2]) expect((await host.session.runWorkflow(id, 'Start')).status).toBe('success');
			expect(await control.automations(org.id)).toHaveLength(made);
		}
	});

	// n8n gives a node without `execute` one that runs its routing (measured on 2.41.1).
	test.each(['listLeads', 'getRevenue'])('%s reads as elsewhere', async (type) => {
		const { host, credential } = setup!;
		const workflow = fedChain(`engine 2.0 ${type}`, 'manual', [{}], [nodeOf('Read', type, credential, {})]);
		const execution = await host.session.runNew(onEngine2(workflow));
		expect(execution.id).toMatch(/^[\da-f-]{36}$/);
		expect(execution.status).toBe('success');
		expect(outputItems(execution, 'Read')).toEqual([
			expect.objectContaining({ json: expect.objectContaining(READS[type]!) as unknown }),
		]);
	});
});
