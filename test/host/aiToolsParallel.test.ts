import type { IDataObject } from 'n8n-workflow';
import type { ToolCall } from '../../scripts/n8n/scriptedModel.ts';
import { byId, nodeOf } from '../../scripts/n8n/workflows.ts';
import { NEWEST_AGENT, runAgent } from '../support/agents/agentRuns.ts';
import { fromAi } from '../support/agents/writeTools.ts';
import { N8nHost } from '../support/host/n8nHost.ts';
import { HOST } from '../support/hostUnderTest.ts';
import type { TestOrganization } from '../support/service.ts';
import { organization } from '../support/service.ts';

/** An agent that calls all tools of a turn itself, at once. For the newest, n8n runs them one after the other. */
const SELF_CALLING = 2.2;

const LIST = { operation: 'getTransactions', returnAll: true };

/**
 * Returns how many records each call returned to the model. On n8n 1.x and with older agents, the model gets no text for a
 * failure.
 */
const brief = (results: string[]) =>
	results.map((text) => (text === '' || text.includes('"error"') ? 'failed' : (JSON.parse(text) as unknown[]).length));

describe('tools that an AI agent calls in one turn', () => {
	const host = N8nHost.shared();

	/** Runs an agent whose model calls these tools in its first turn. Returns the result of each call as the model gets it. */
	async function call(
		version: number,
		org: TestOrganization,
		tools: Array<[name: string, type: string, parameters: IDataObject]>,
		turn: ToolCall[],
	) {
		const credential = await host.session.createCredential('agent', 'leadRevenueApi', org.credential);
		const nodes = tools.map(([name, type, parameters]) => nodeOf(name, type, credential, parameters));
		const { execution, results } = await runAgent(host, { version, tools: nodes, script: [turn] });
		return { error: execution.error?.message, results };
	}

	test('a failed call does not affect another call of the same tool', async () => {
		const org = await organization({ transactions: 300 });
		await org.meets({ action: 'status', status: 404 });
		const revenue = { name: 'Revenue', arguments: {} };
		const { results } = await call(SELF_CALLING, org, [['Revenue', 'getRevenueTool', LIST]], [revenue, revenue]);
		expect(brief(results).toSorted()).toEqual([300, 'failed']);
	});

	test.each(HOST === 'n8n-1' ? [SELF_CALLING] : [SELF_CALLING, NEWEST_AGENT])(
		'a failed tool does not affect another tool (agent %d)',
		async (version) => {
			const org = await organization({ transactions: 300 });
			await org.meets({ action: 'status', status: 404, times: -1, match: { path: '/v1/revenue/summary/' } });
			const tools: Parameters<typeof call>[2] = [
				['Summary', 'getRevenueTool', { operation: 'getSummary' }],
				['Revenue', 'getRevenueTool', LIST],
			];
			const { results } = await call(version, org, tools, [
				{ name: 'Revenue', arguments: {} },
				{ name: 'Summary', arguments: {} },
			]);
			expect(brief(results)).toEqual([300, 'failed']);
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
				lead: byId('lead'),
				tagId: 1,
				options: { idempotencyKey: `={{ $execution.id }}-{{ $fromAI('day', '', 'string') }}` },
			},
			'"Idempotency Key" has a part that returns nothing',
		],
	])('%s that the model leaves empty is rejected by name', async (_what, name, type, parameters, message) => {
		const org = await organization();
		const { results, error } = await call(
			NEWEST_AGENT,
			org,
			[[name, type, parameters]],
			[{ name, arguments: { day: '' } }],
		);
		const told = HOST === 'n8n-1' ? error : (JSON.parse(results[0] as string) as IDataObject[])[0]?.error;
		// What to do follows.
		expect(told).toMatch(`${message}. `);
		expect(await org.journal()).toEqual([]);
	});
});
