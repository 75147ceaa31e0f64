import type { IDataObject } from 'n8n-workflow';
import { NEWEST_AGENT, withAgent } from '../support/agentRuns.ts';
import { HOST } from '../support/hostUnderTest.ts';
import { N8nHost } from '../support/n8nHost.ts';
import type { ToolCall } from '../support/scriptedModel.ts';
import { control, organization } from '../support/service';
import type { TestOrganization } from '../support/service';
import { nodeOf } from '../support/workflows';
import { fromAi } from '../support/writeTools.ts';

jest.setTimeout(120_000);

/** An agent that calls its tools itself, all of a turn at once. The newest has n8n run them, one after the other. */
const CALLING = 2.2;

const LIST = { operation: 'getTransactions', returnAll: true };

/** How many records each call returned to the model; n8n 1.x and older agents tell it nothing of a failure. */
const brief = (told: string[]) =>
	told.map((text) => (text === '' || text.includes('"error"') ? 'failed' : (JSON.parse(text) as unknown[]).length));

describe('tools that an AI agent calls in one turn', () => {
	let host: N8nHost;
	beforeAll(() => {
		host = N8nHost.shared();
	});

	/** Runs an agent whose model calls these tools in its first turn, and returns what each call told the model. */
	async function call(
		version: number,
		org: TestOrganization,
		tools: Array<[name: string, type: string, parameters: IDataObject]>,
		turn: ToolCall[],
	) {
		const credential = await host.session.createCredential('agent', 'leadRevenueApi', org.credential);
		const setUp = {
			version,
			tools: tools.map(([name, type, parameters]) => nodeOf(name, type, credential, parameters)),
			script: [turn],
		};
		return await withAgent(host, setUp, async ({ workflowId, model }) => {
			const execution = await host.session.runWorkflow(workflowId, 'Start');
			return { error: execution.error?.message, told: model.toolResults() };
		});
	}

	test('of two calls of one tool, one that fails leaves the other alone', async () => {
		const org = await organization({ transactions: 500 });
		await control.addFaults(org.id, [{ action: 'status', status: 404 }]);
		const revenue = { name: 'Revenue', arguments: {} };
		const { told } = await call(CALLING, org, [['Revenue', 'getRevenueTool', LIST]], [revenue, revenue]);
		expect(brief(told).toSorted()).toEqual([500, 'failed']);
	});

	test.each(HOST === 'n8n-1' ? [CALLING] : [CALLING, NEWEST_AGENT])(
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
			{ ...LIST, filters: { dateFrom: fromAi('day') } },
			'"Date From" is an expression that returns nothing',
		],
		[
			'a part of the Idempotency Key',
			'Tag',
			'tagLeadTool',
			{
				lead: { __rl: true, mode: 'id', value: 'lead' },
				tagId: 1,
				options: { idempotencyKey: `={{ $execution.id }}-{{ $fromAI('day', '', 'string') }}` },
			},
			'"Idempotency Key" has a part that returns nothing',
		],
	])('%s that the model leaves empty is refused by its name', async (_what, name, type, parameters, message) => {
		const org = await organization();
		const { told, error } = await call(
			NEWEST_AGENT,
			org,
			[[name, type, parameters]],
			[{ name, arguments: { day: '' } }],
		);
		expect(HOST === 'n8n-1' ? error : JSON.parse(told[0] as string)).toEqual(
			HOST === 'n8n-1' ? message : [{ error: message }],
		);
		expect(await org.journal()).toEqual([]);
	});
});
