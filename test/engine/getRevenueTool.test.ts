import { SupplyDataContext, WorkflowExecute } from 'n8n-core';
import type { IDataObject, IExecuteFunctions, INode, INodeParameters, INodeType, INodeTypes } from 'n8n-workflow';
import { createEmptyRunExecutionData, NodeConnectionTypes, Workflow } from 'n8n-workflow';
import { additionalDataFor, nodeCredentials, NODES, ownType } from '../support/engine/n8nParts.ts';
import { startExecution } from '../support/engine/versions.ts';
import type { TestOrganization } from '../support/service.ts';
import { organization, withoutBackoff } from '../support/service.ts';

withoutBackoff();

interface Tool {
	name: string;
	invoke(args: object): Promise<string>;
}

/** Get Revenue as n8n makes it a tool: it runs as the node does, and its output goes to an agent. */
const GET_REVENUE = NODES[ownType('getRevenue')] as INodeType;
const TOOL: INodeType = Object.create(GET_REVENUE, {
	description: { value: { ...GET_REVENUE.description, name: 'getRevenueTool', inputs: [], outputs: ['ai_tool'] } },
}) as INodeType;

/** Calls its tools all at once, each as often as it is named, as n8n's agent does for one response of its model. */
function agentCalling(names: string[], outcomes: Array<PromiseSettledResult<IDataObject[]>>): INodeType {
	return {
		description: {
			displayName: 'Agent',
			name: 'agent',
			group: ['transform'],
			version: 1,
			description: 'Calls its tools',
			defaults: { name: 'Agent' },
			inputs: ['main', 'ai_tool'],
			outputs: ['main'],
			properties: [],
		},
		async execute(this: IExecuteFunctions) {
			const connected = await this.getInputConnectionData('ai_tool', 0);
			const tools = (Array.isArray(connected) ? connected : [connected]) as Tool[];
			const calls = names.map(
				async (name) =>
					JSON.parse((await tools.find((tool) => tool.name === name)?.invoke({})) as string) as IDataObject[],
			);
			outcomes.push(...(await Promise.allSettled(calls)));
			return [[]];
		},
	};
}

/** Runs an agent that calls these tools at once; returns the result of each call. */
async function call(
	org: TestOrganization,
	tools: Record<string, INodeParameters>,
	names: string[],
	settings: Partial<INode> = {},
) {
	const outcomes: Array<PromiseSettledResult<IDataObject[]>> = [];
	const types: Record<string, INodeType> = {
		'test.input': NODES['test.input'] as INodeType,
		'test.agent': agentCalling(names, outcomes),
		[ownType('getRevenueTool')]: TOOL,
	};
	const nodeTypes: INodeTypes = {
		getByName: (type) => types[type] as INodeType,
		getByNameAndVersion: (type) => types[type] as INodeType,
		getKnownTypes: () => ({}),
	};
	const common = { typeVersion: 1, position: [0, 0] as [number, number] };
	const workflow = new Workflow({
		id: 'workflow-with-agent',
		nodes: [
			{ ...common, id: 'input', name: 'Input', type: 'test.input', parameters: {} },
			{ ...common, id: 'agent', name: 'Agent', type: 'test.agent', parameters: {} },
			...Object.entries(tools).map(([name, parameters]) => ({
				...common,
				id: name,
				name,
				type: ownType('getRevenueTool'),
				parameters,
				credentials: nodeCredentials(parameters, `credential of ${org.id}`),
				...settings,
			})),
		],
		connections: {
			Input: { main: [[{ node: 'Agent', type: 'main', index: 0 }]] },
			...Object.fromEntries(
				Object.keys(tools).map((name) => [name, { ai_tool: [[{ node: 'Agent', type: 'ai_tool', index: 0 }]] }]),
			),
		} as never,
		active: false,
		nodeTypes,
		settings: { executionOrder: 'v1' },
	});
	const engine = new WorkflowExecute(additionalDataFor(org.credential, workflow.id, 'execution'), 'manual');
	const run = await startExecution(engine, {
		workflow,
		startNode: workflow.getNode('Input') as INode,
		pinData: { Input: [{ json: {} }] },
	});
	if (run.data.resultData.error !== undefined) throw run.data.resultData.error;
	return outcomes;
}

/** Returns how many records a call returned, or what it threw. */
const brief = (outcomes: Array<PromiseSettledResult<IDataObject[]>>) =>
	outcomes.map((outcome) =>
		outcome.status === 'fulfilled' ? outcome.value.length : (outcome.reason as Error).message,
	);

const LIST = { operation: 'getTransactions', returnAll: true };
const REJECTED = expect.stringContaining('did not find what it needs to');

describe('Get Revenue as a tool that is called several times at once', () => {
	test('one call that fails leaves the others of the same tool alone', async () => {
		const org = await organization({ transactions: 300 }, { action: 'status', status: 404 });
		const outcomes = await call(org, { Revenue: LIST }, ['Revenue', 'Revenue', 'Revenue']);
		expect(brief(outcomes).toSorted()).toEqual([300, 300, REJECTED]);
	});

	test('one tool that fails leaves another alone', async () => {
		const org = await organization({ transactions: 300 });
		await org.meets({ action: 'status', status: 404, times: -1, match: { path: '/v1/revenue/summary/' } });
		const tools = { Summary: { operation: 'getSummary' }, Revenue: LIST };
		const outcomes = await call(org, tools, ['Revenue', 'Summary', 'Revenue']);
		expect(brief(outcomes)).toEqual([300, REJECTED, 300]);
	});

	test('a list that changed while it was read ends with a sign of it, which belongs to no other call', async () => {
		const org = await organization({ transactions: 150 }, { action: 'duplicate_page', match: { page: 1 } });
		const outcomes = await call(org, { Revenue: LIST }, ['Revenue', 'Revenue']);
		const lists = outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []));
		const [whole, changed] = lists.toSorted((one, other) => one.length - other.length);
		expect(whole).toHaveLength(150);
		expect(whole?.every(({ id }) => typeof id === 'string')).toBe(true);
		expect(changed).toHaveLength(251);
		expect(changed?.at(-1)).toMatchObject({
			isRecord: false,
			arrivedTwice: 100,
			note: expect.stringContaining('Call this tool again, or narrow "Date From" and "Date To" under Filters.'),
		});
	});

	test('Retry On Fail calls again only what failed', async () => {
		const org = await organization({ transactions: 300 }, { action: 'status', status: 404 });
		const settings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 };
		expect(brief(await call(org, { Revenue: LIST }, ['Revenue', 'Revenue'], settings))).toEqual([300, 300]);
		expect(await org.journal()).toHaveLength(7);
	});
});

// In queue mode, n8n passes the client's request beside the arguments (MCP Server Trigger 2.1, read in 2.41.1).
describe('Get Revenue as a tool that a worker runs for an MCP client', () => {
	const dateFrom = "={{ $fromAI('from', '', 'string') }}";

	async function run(args: IDataObject) {
		const org = await organization({ transactions: 3 });
		const node: INode = {
			id: 'Revenue',
			name: 'Revenue',
			type: ownType('getRevenueTool'),
			typeVersion: 1,
			position: [0, 0],
			parameters: { ...LIST, filters: { dateFrom } },
			credentials: nodeCredentials(LIST, `credential of ${org.id}`),
		};
		const getByNameAndVersion = () => TOOL;
		const nodeTypes = { getByName: getByNameAndVersion, getByNameAndVersion, getKnownTypes: () => ({}) };
		const workflow = new Workflow({ nodes: [node], connections: {}, active: false, nodeTypes });
		const request = [[{ json: { body: {}, headers: {} } }]];
		const context = new SupplyDataContext(
			workflow,
			node,
			additionalDataFor(org.credential, 'workflow', 'execution'),
			'webhook',
			createEmptyRunExecutionData(),
			0,
			request[0] as never,
			{ main: request },
			NodeConnectionTypes.AiTool,
			{ node, data: { main: request }, source: null },
			[],
		);
		context.addInputData(NodeConnectionTypes.AiTool, [[{ json: args }]]);
		return (await TOOL.execute?.call(context as never)) as unknown[][];
	}

	test('it returns the list', async () => {
		expect((await run({ from: '2000-01-01' }))[0]).toHaveLength(3);
	});

	test('it rejects what it does not ask for', async () => {
		await expect(run({ from: '2000-01-01', limit: 1 })).rejects.toThrow('does not ask for: "limit"');
	});
});
