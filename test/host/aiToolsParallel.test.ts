import type { IDataObject } from 'n8n-workflow';
import type { WorkflowNode } from '../../scripts/n8n/session.ts';
import { HOST } from '../support/hostUnderTest.ts';
import { N8nHost } from '../support/n8nHost.ts';
import { startScriptedModel } from '../support/scriptedModel.ts';
import type { ToolCall } from '../support/scriptedModel.ts';
import { control, organization } from '../support/service';
import type { TestOrganization } from '../support/service';
import { nodeOf } from '../support/workflows';

jest.setTimeout(120_000);

/** Calls its tools itself, all of a turn at once. */
const CALLING = 2.2;
/** Has n8n run its tools, one after the other. */
const NEWEST = HOST === 'n8n-1' ? 3 : 3.1;

const fromAi = (key: string) => `{{ $fromAI('${key}', '', 'string') }}`;
const LIST = { operation: 'getTransactions', returnAll: true };

/** How many records each call gave the model; n8n 1.x and older agents tell it nothing of a failure. */
const brief = (told: string[]) =>
	told.map((text) => (text === '' || text.includes('"error"') ? 'failed' : (JSON.parse(text) as unknown[]).length));

describe('tools that an AI agent calls in one turn', () => {
	let host: N8nHost;
	beforeAll(() => {
		host = N8nHost.shared();
	});

	/** Runs an agent whose model calls these tools in its first turn; what the model was told of each call. */
	async function call(
		typeVersion: number,
		org: TestOrganization,
		tools: Array<[name: string, type: string, parameters: IDataObject]>,
		turn: ToolCall[],
	) {
		const { session } = host;
		const model = await startScriptedModel([turn]);
		try {
			const credential = await session.createCredential('agent', 'leadRevenueApi', org.credential);
			const key = await session.createCredential('model', 'openAiApi', { apiKey: 'none', url: model.url });
			const common = { position: [0, 0] as [number, number] };
			const nodes: WorkflowNode[] = [
				{ ...common, name: 'Start', type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, parameters: {} },
				{
					...common,
					name: 'Agent',
					type: '@n8n/n8n-nodes-langchain.agent',
					typeVersion,
					parameters: { promptType: 'define', text: 'go', options: {} },
				},
				{
					...common,
					name: 'Model',
					type: '@n8n/n8n-nodes-langchain.lmChatOpenAi',
					typeVersion: 1.2,
					parameters: { model: { __rl: true, mode: 'id', value: 'scripted' }, options: {} },
					credentials: { openAiApi: { id: key.id, name: key.name } },
				},
				...tools.map(([name, type, parameters]) => nodeOf(name, type, credential, parameters)),
			];
			const to = (type: string) => ({ [type]: [[{ node: 'Agent', type, index: 0 }]] });
			const connections = {
				Start: to('main'),
				Model: to('ai_languageModel'),
				...Object.fromEntries(tools.map(([name]) => [name, to('ai_tool')])),
			};
			const { id } = await session.createWorkflow({
				name: 'agent',
				active: false,
				nodes,
				connections,
				settings: { executionOrder: 'v1' },
			});
			const execution = await session.runWorkflow(id, 'Start');
			return { error: execution.error?.message, told: model.toolResults() };
		} finally {
			await model.stop();
		}
	}

	test('of two calls of one tool, one that fails leaves the other alone', async () => {
		const org = await organization({ transactions: 500 });
		await control.addFaults(org.id, [{ action: 'status', status: 404 }]);
		const revenue = { name: 'Revenue', arguments: {} };
		const { told } = await call(CALLING, org, [['Revenue', 'getRevenueTool', LIST]], [revenue, revenue]);
		expect(brief(told).toSorted()).toEqual([500, 'failed']);
	});

	test.each(HOST === 'n8n-1' ? [CALLING] : [CALLING, NEWEST])(
		'of two tools, one that fails leaves the other alone (agent %d)',
		async (version) => {
			const org = await organization({ transactions: 500 });
			await control.addFaults(org.id, [
				{ action: 'status', status: 404, times: -1, match: { path: '/v1/revenue/summary/' } },
			]);
			const tools: Parameters<typeof call>[2] = [
				['Summary', 'getRevenueTool', { operation: 'getSummary' }],
				['Revenue', 'getRevenueTool', LIST],
			];
			const { told } = await call(version, org, tools, [
				{ name: 'Revenue', arguments: {} },
				{ name: 'Summary', arguments: {} },
			]);
			expect(brief(told)).toEqual([500, 'failed']);
		},
	);

	test.each<[string, string, string, IDataObject, string]>([
		[
			'a filter',
			'Revenue',
			'getRevenueTool',
			{ ...LIST, filters: { dateFrom: `=${fromAi('day')}` } },
			'"Date From" is an expression that gives nothing',
		],
		[
			'a part of the Idempotency Key',
			'Tag',
			'tagLeadTool',
			{
				lead: { __rl: true, mode: 'id', value: 'lead' },
				tagId: 1,
				options: { idempotencyKey: `={{ $execution.id }}-${fromAi('day')}` },
			},
			'"Idempotency Key" has a part that gives nothing',
		],
	])('%s that the model leaves empty is refused by its name', async (_what, name, type, parameters, message) => {
		const org = await organization();
		const { told, error } = await call(NEWEST, org, [[name, type, parameters]], [{ name, arguments: { day: '' } }]);
		expect(HOST === 'n8n-1' ? error : JSON.parse(told[0] as string)).toEqual(
			HOST === 'n8n-1' ? message : [{ error: message }],
		);
		expect(await org.journal()).toEqual([]);
	});
});
