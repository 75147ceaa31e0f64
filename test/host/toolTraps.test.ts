import type { WorkflowNode } from '../../scripts/n8n/session.ts';
import { NEWEST_AGENT, withAgent } from '../support/agents/agentRuns.ts';
import { HOST } from '../support/hostUnderTest.ts';
import type { ChatRequest, ToolCall, Turn } from '../../scripts/n8n/scriptedModel.ts';
import { toolResultsIn } from '../../scripts/n8n/scriptedModel.ts';
import { control } from '../support/service';
import { TOOL_WAYS } from '../support/agents/toolWays.ts';
import type { ToolSetUp } from '../support/agents/writeTools.ts';
import { changesMade, liveTool, setUpTools, tagCall, tagTool } from '../support/agents/writeTools.ts';

jest.setTimeout(120_000);

const tagged = async (orgId: string) => (await control.tagApplications(orgId)).map(({ lead_id: lead }) => lead);

// Measured on n8n 2.41.1 and 1.123.81: two agents that run at once give their calls the same run index, and $fromAI then
// returns the first call's arguments to the second.
describe('calls that n8n mixes up: no call writes the values of another', () => {
	const userMessage = ({ messages }: ChatRequest) =>
		JSON.stringify(messages.find(({ role }) => role === 'user')?.content);
	const hasToolResult = ({ messages }: ChatRequest) => messages.some(({ role }) => role === 'tool');

	test('items that an AI Agent 2.2 works on in parallel', async () => {
		const given = await setUpTools();
		const script = (request: ChatRequest): Turn => {
			const lead = given.leads.find((id) => userMessage(request).includes(id));
			return hasToolResult(request) ? [] : [tagCall(lead)];
		};
		const setUp = {
			version: 2.2,
			tools: [tagTool(given)],
			script,
			text: '={{ $json.lead }}',
			items: given.leads.map((lead) => ({ lead })),
			options: { batching: { batchSize: 2 } },
		};
		await withAgent(given.host, setUp, async ({ workflowId, model }) => {
			await given.host.session.runWorkflow(workflowId, 'Start');
			await expectOwnValues(given.leads, model.requests);
		});
		const made = await tagged(given.org.id);
		expect(new Set(made).size).toBe(made.length);
	});

	test('two AI Agent Tools 2.2 that an AI Agent 2.2 calls at once', async () => {
		const given = await setUpTools();
		const script = (request: ChatRequest): Turn => {
			if (hasToolResult(request)) return [];
			const lead = given.leads.find((id) => userMessage(request).includes(id));
			return lead === undefined
				? given.leads.map((question) => ({ name: 'Sub', arguments: { question } }))
				: [tagCall(lead)];
		};
		await withAgent(
			given.host,
			{ version: 2.2, subAgent: 2.2, tools: [tagTool(given)], script },
			async ({ workflowId, model }) => {
				await given.host.session.runWorkflow(workflowId, 'Start');
				await expectOwnValues(given.leads, model.requests);
			},
		);
		const made = await tagged(given.org.id);
		expect(new Set(made).size).toBe(made.length);
	});

	/** Expects each receipt to be for the lead in its agent's user message. */
	async function expectOwnValues(leads: string[], requests: ChatRequest[]): Promise<void> {
		const receipts = requests
			.flatMap((request) => toolResultsIn(request).map((result) => ({ for: userMessage(request), result })))
			.filter(({ result }) => result.includes('"leadId":"'));
		expect(receipts.length).toBeGreaterThan(0);
		for (const receipt of receipts)
			expect(receipt.result).toContain(`"leadId":"${leads.find((id) => receipt.for.includes(id))}"`);
	}
});

describe('what only the author decides', () => {
	const start = async (given: ToolSetUp, version: number, tool: WorkflowNode, call: ToolCall) => {
		const setUp = { version, tools: [tool], script: [[call]], items: [{ tag: given.org.manualTag }] };
		return await withAgent(given.host, setUp, async ({ workflowId, model }) => {
			await given.host.session.runWorkflow(workflowId, 'Start');
			return model.toolResults();
		});
	};

	// For an AI Agent 3, n8n merges all that the model sends into $json (measured on 2.41.1 and 1.123.81).
	test.each(HOST === 'n8n-1' ? [2.2] : [2.2, NEWEST_AGENT])(
		'a value that an expression takes from the input of an AI Agent %s is not the model’s to replace',
		async (version) => {
			const given = await setUpTools();
			const [lead] = given.leads;
			const tool = tagTool(given);
			tool.parameters.tagId = '={{ $json.tag }}';
			const sent = { name: 'Tag', arguments: { lead, tag: 777 } };
			expect(await start(given, version, tool, sent)).toEqual([
				version < 3
					? expect.stringContaining(`"tagId":${given.org.manualTag}`)
					: expect.stringMatching(/does not ask for: \W+tag\b.*only the values that it asks for/),
			]);
			expect(await start(given, version, tool, tagCall(lead))).toEqual([
				expect.stringContaining(`"tagId":${given.org.manualTag}`),
			]);
			const tags = (await control.tagApplications(given.org.id)).map(({ tag_id: tag }) => tag);
			expect(new Set(tags)).toEqual(new Set([given.org.manualTag]));
		},
	);

	test('an agent turns on Active when the author permits it', async () => {
		const given = await setUpTools();
		const tool = liveTool(given, {}, { agentMayActivate: true });
		expect(await start(given, NEWEST_AGENT, tool, { name: 'Live', arguments: { active: true } })).toEqual([
			expect.stringContaining('"is_active":true'),
		]);
	});

	test('an agent that is asked makes a draft without that', async () => {
		const given = await setUpTools();
		expect(await start(given, NEWEST_AGENT, liveTool(given), { name: 'Live', arguments: { active: false } })).toEqual([
			expect.stringContaining('"is_active":false'),
		]);
	});
});

// n8n creates the execution after the call, or never; until then its id is "__UNKNOWN__".
describe.each(TOOL_WAYS.filter(({ name }) => /MCP|Agents/.test(name)))(
	'an Idempotency Key with $execution.id, called by $name',
	({ call }) => {
		test('is rejected, because every call would have the same key', async () => {
			const given = await setUpTools();
			const tools = [tagTool(given, {}, { idempotencyKey: '={{ $execution.id }} welcome' })];
			const { results } = await call(given.host, tools, [[tagCall(given.leads[0])]]);
			expect(results).toEqual([expect.stringContaining('$execution.id')]);
			expect((await changesMade(given)).tags).toHaveLength(0);
		});
	},
);
