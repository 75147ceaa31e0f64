import type { ChatRequest, ToolCall, Turn } from '../../scripts/n8n/scriptedModel.ts';
import { toolResultsIn } from '../../scripts/n8n/scriptedModel.ts';
import type { WorkflowNode } from '../../scripts/n8n/session.ts';
import { byId, nodeOf } from '../../scripts/n8n/workflows.ts';
import type { AgentSetUp } from '../support/agents/agentRuns.ts';
import { NEWEST_AGENT, runAgent } from '../support/agents/agentRuns.ts';
import { TOOL_WAYS } from '../support/agents/toolWays.ts';
import type { ToolSetUp } from '../support/agents/writeTools.ts';
import { changesMade, liveTool, setUpTools, tagCall, tagTool } from '../support/agents/writeTools.ts';
import { HOST } from '../support/hostUnderTest.ts';
import { control } from '../support/service.ts';
import { testUnless } from '../support/unless.ts';

const userMessage = ({ messages }: ChatRequest) =>
	JSON.stringify(messages.find(({ role }) => role === 'user')?.content);

const hasToolResult = ({ messages }: ChatRequest) => messages.some(({ role }) => role === 'tool');

// Measured on n8n 2.41.1 and 1.123.81: two agents that run at once give their calls the same run index, and $fromAI then
// returns the first call's arguments to the second.
describe('calls that n8n mixes up: no call writes the values of another', () => {
	test('items that an AI Agent 2.2 works on in parallel', async () => {
		const scene = await setUpTools();
		const script = (request: ChatRequest): Turn => {
			const lead = scene.leads.find((id) => userMessage(request).includes(id));
			return hasToolResult(request) ? [] : [tagCall(lead)];
		};
		const setUp = {
			version: 2.2,
			tools: [tagTool(scene)],
			script,
			text: '={{ $json.lead }}',
			items: scene.leads.map((lead) => ({ lead })),
			options: { batching: { batchSize: 2 } },
		};
		await expectOwnWrites(scene, setUp);
	});

	test('two AI Agent Tools 2.2 that an AI Agent 2.2 calls at once', async () => {
		const scene = await setUpTools();
		const script = (request: ChatRequest): Turn => {
			if (hasToolResult(request)) return [];
			const lead = scene.leads.find((id) => userMessage(request).includes(id));
			return lead === undefined
				? scene.leads.map((question) => ({ name: 'Sub', arguments: { question } }))
				: [tagCall(lead)];
		};
		await expectOwnWrites(scene, { version: 2.2, subAgent: 2.2, tools: [tagTool(scene)], script });
	});

	/** Expects each receipt to be for the lead in its agent's user message, and no lead to be tagged twice. */
	async function expectOwnWrites({ host, org, leads }: ToolSetUp, setUp: AgentSetUp): Promise<void> {
		const { requests } = await runAgent(host, setUp);
		const receipts = requests
			.flatMap((request) => toolResultsIn(request).map((result) => ({ for: userMessage(request), result })))
			.filter(({ result }) => result.includes('"leadId":"'));
		expect(receipts.length).toBeGreaterThan(0);
		for (const receipt of receipts) {
			expect(receipt.result).toContain(`"leadId":"${leads.find((id) => receipt.for.includes(id))}"`);
		}
		const made = (await control.tagApplications(org.id)).map(({ lead_id: lead }) => lead);
		expect(new Set(made).size).toBe(made.length);
	}
});

describe('what only the author decides', () => {
	const start = async (scene: ToolSetUp, version: number, tool: WorkflowNode, call: ToolCall) => {
		// A field that $fromAI does not take (read in 2.41.1 and 1.123.81).
		const items = [{ tag: scene.org.manualTag, caller: '+49 30 123' }];
		return (await runAgent(scene.host, { version, tools: [tool], script: [[call]], items })).results;
	};

	// For an AI Agent 3, n8n merges all that the model sends into $json (measured on 2.41.1 and 1.123.81).
	test.each(HOST === 'n8n-1' ? [2.2] : [2.2, NEWEST_AGENT])(
		'a value that an expression takes from the input of an AI Agent %s is not the model’s to replace',
		async (version) => {
			const scene = await setUpTools();
			const [lead] = scene.leads;
			const tool = tagTool(scene);
			tool.parameters.tagId = '={{ $json.tag }}';
			const sent = { name: 'Tag', arguments: { lead, tag: 777 } };
			expect(await start(scene, version, tool, sent)).toEqual([
				version < 3
					? expect.stringContaining(`"tagId":${scene.org.manualTag}`)
					: expect.stringMatching(/does not ask for: \W+tag\b.*only the values that it asks for/),
			]);
			expect(await start(scene, version, tool, tagCall(lead))).toEqual([
				expect.stringContaining(`"tagId":${scene.org.manualTag}`),
			]);
			const tags = (await control.tagApplications(scene.org.id)).map(({ tag_id: tag }) => tag);
			expect(new Set(tags)).toEqual(new Set([scene.org.manualTag]));
		},
	);

	testUnless(
		HOST === 'n8n-1' ? 'nothing tells the model’s values on n8n 1.x' : undefined,
		'a call with a value in its place is rejected again in n8n’s Retry, where $fromAI reads the agent’s input, too',
		async () => {
			const scene = await setUpTools();
			const tool = tagTool(scene, { onError: 'stopWorkflow' });
			tool.parameters.tagId = '={{ $json.tag }}';
			const script = [[{ name: 'Tag', arguments: { lead: scene.leads[0], tag: 777 } }]];
			const { execution } = await runAgent(scene.host, {
				tools: [tool],
				script,
				items: [{ tag: scene.org.manualTag }],
			});
			const retried = await scene.host.session.runRetry(execution.id);
			for (const { error } of [execution, retried]) expect(error?.message).toMatch(/does not ask for: "tag"/);
			expect((await scene.org.journal()).map(({ method }) => method)).not.toContain('POST');
		},
	);

	// On 2.x, $fromAI reads the input only in n8n's Retry.
	test('a value of the model is not replaced by one from the address of a Webhook', async () => {
		const scene = await setUpTools();
		const [lead, other] = scene.leads;
		await scene.org.meets({ action: 'status', status: 403, match: { method: 'POST' } });
		const items = [{ query: { lead: other } }];
		const tools = [tagTool(scene, { onError: 'stopWorkflow' })];
		const { execution } = await runAgent(scene.host, { tools, script: [[tagCall(lead)]], items });
		const { error } = HOST === 'n8n-1' ? execution : await scene.host.session.runRetry(execution.id);
		expect(error?.message).toContain('n8n gave this tool call "lead" from "query"');
		expect((await changesMade(scene)).tags).toEqual([]);
	});

	test.each([
		['an agent turns on Active when the author permits it', true, { agentMayActivate: true }],
		['an agent that is asked makes a draft without that', false, {}],
	])('%s', async (_what, active, more) => {
		const scene = await setUpTools();
		const call = { name: 'Live', arguments: { active } };
		const results = await start(scene, NEWEST_AGENT, liveTool(scene, {}, more), call);
		expect(results).toEqual([expect.stringContaining(`"is_active":${active}`)]);
	});
});

// n8n creates the execution after the call, or never; until then its id is "__UNKNOWN__".
describe.each(TOOL_WAYS.filter(({ name }) => /MCP|Agents/.test(name)))(
	'an Idempotency Key with $execution.id, called by $name',
	({ call }) => {
		test('is rejected, because every call would have the same key', async () => {
			const scene = await setUpTools();
			const tools = [tagTool(scene, {}, { idempotencyKey: '={{ $execution.id }} welcome' })];
			const { results } = await call(scene.host, tools, [[tagCall(scene.leads[0])]]);
			expect(results).toEqual([expect.stringContaining('$execution.id')]);
			expect((await changesMade(scene)).tags).toHaveLength(0);
		});
	},
);

// n8n keeps the steps of one item only, and asks the model about each item in every round (measured on 2.41.1 and 1.123.81).
test('an AI Agent 3 repeats the calls of an item that is done; with a key from the item, each change is made once', async () => {
	const scene = await setUpTools();
	const { host, org, leads } = scene;
	const [, slow] = leads as [string, string];
	const script = (request: ChatRequest): Turn => {
		const lead = leads.find((id) => userMessage(request).includes(id)) as string;
		const results = toolResultsIn(request);
		if (!results.some((result) => result.includes(`"leadId":"${lead}"`))) return [tagCall(lead)];
		return lead === slow && results.length === 1 ? [{ name: 'Revenue', arguments: {} }] : [];
	};
	const key = { idempotencyKey: '={{ $json.of }} welcome' };
	const setUp = {
		tools: [tagTool(scene, {}, key), nodeOf('Revenue', 'getRevenueTool', scene.credential, {})],
		script,
		text: '={{ $json.of }}',
		items: leads.map((of) => ({ of })),
	};
	await runAgent(host, setUp);
	const sent = (await org.journal()).filter(({ method }) => method === 'POST');
	expect(sent.length).toBeGreaterThan(leads.length);
	const made = (await control.tagApplications(org.id)).map(({ lead_id: lead }) => lead);
	expect(made.toSorted()).toEqual(leads.toSorted());
});

// Measured on 2.41.1 and 1.123.81.
test.each([
	[2.2, '={{ $json.of }}'],
	[2.2, "={{ $('Split').item.json.of }}"],
	[NEWEST_AGENT, "={{ $('Split').item.json.of }}"],
])('in a tool of an AI Agent %s with several items, %s is the first item', async (version, lead) => {
	const scene = await setUpTools();
	const tool = tagTool(scene);
	tool.parameters.lead = byId(lead);
	const script = (request: ChatRequest): Turn => (hasToolResult(request) ? [] : [{ name: 'Tag', arguments: {} }]);
	await runAgent(scene.host, { version, tools: [tool], script, items: scene.leads.map((of) => ({ of })) });
	const made = (await control.tagApplications(scene.org.id)).map(({ lead_id: id }) => id);
	expect(made).toEqual(scene.leads.map(() => scene.leads[0]));
});

// n8n keeps no item of such a tool (measured on 2.41.1). Only from 2.25 on it passes the error of a tool to the model.
test('a tool whose results n8n drops makes no change, and says so', async () => {
	const scene = await setUpTools();
	const dropped = { onError: 'continueErrorOutput' };
	const tools = [tagTool(scene, dropped), nodeOf('Revenue', 'getRevenueTool', scene.credential, {}, dropped)];
	const script = [[tagCall(scene.leads[0])], [{ name: 'Revenue', arguments: {} }]];
	const { results } = await runAgent(scene.host, { tools, script });
	const said = expect.stringMatching(/drops what this tool returns.*Nothing was sent.*\W+Continue\W/);
	expect(results).toEqual([said, said]);
	expect((await changesMade(scene)).tags).toHaveLength(0);
});
