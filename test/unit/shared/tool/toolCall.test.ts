import { NodeOperationError } from 'n8n-workflow';
import { rejectToolCall, settleFailure } from '../../../../nodes/shared/tool/toolCall.ts';
import type { ToolCalled } from '../../../support/scripted/toolCall.ts';
import { AGENT, functionsOf } from '../../../support/scripted/toolCall.ts';

const begin = (call: ToolCalled) => rejectToolCall(functionsOf(call));

describe('a value that the tool does not ask for', () => {
	const parameters = { lead: "={{ $fromAI(\n\t'lead', '', 'string') }}", tagId: '={{ $json.tag }}' };
	const call = { json: { tag: 777, lead: 'a', toolCallId: 'call_1' }, parameters };

	test('is rejected', () => {
		const message = 'The tool call has a value that this tool does not ask for: "tag"';
		expect(() => begin({ ...call, fromAi: { lead: 'a', tag: 777 } })).toThrow(message);
	});

	const REVIEWED = { ...call.json, tool: 'Node' };
	const FOREIGN = { ...call.json, 'the tag': 777, caller: 'x' };

	test.each<[string, ToolCalled]>([
		['a field of the agent’s input', { fromAi: { lead: 'a' } }],
		['what n8n adds after a human review', { json: REVIEWED, fromAi: { lead: 'a', tool: 'Node' } }],
		['one that $fromAI does not take', { json: FOREIGN, fromAi: { lead: 'a', 'the tag': 777 } }],
		['not to be told apart, on n8n 1.x', { fromAi: { lead: 'a', tag: 777, toolCallId: 'call_1' } }],
		['dropped by n8n', { args: { lead: 'a' }, json: { lead: 'a' }, paired: false, fromAi: { lead: 'a' } }],
		['in an ordinary node', { type: 'tagLead', fromAi: { lead: 'a', tag: 777 } }],
	])('is not rejected when it is %s', (_what, more) => {
		expect(() => begin({ ...call, ...more })).not.toThrow();
	});

	// n8n's Agents.
	const ALONE = [{ tag: 777 }, { toolCallId: 'guessed' }, { tool: 'Tag' }, { 'the tag': 777 }];
	test.each(ALONE)('is rejected where the item has nothing else: %j', (fromAi) => {
		const agents = { json: { lead: 'a', ...fromAi }, fromAi, paired: false, parameters };
		expect(() => begin(agents)).toThrow('does not ask for');
	});

	test('is none where the item has only what the tool asks for', () => {
		const json = { lead: 'a', tag: 777 };
		const both = { ...parameters, tagId: "={{ $fromAI('tag') }}" };
		expect(() => begin({ json, fromAi: json, paired: false, parameters: both })).not.toThrow();
	});

	test('is rejected even under the name that n8n adds after a human review', () => {
		const tool = { json: { ...call.json, tool: 'other' }, fromAi: { lead: 'a', tool: 'other' } };
		expect(() => begin({ ...call, ...tool })).toThrow('does not ask for: "tool"');
	});

	// There, $fromAI reads the item (measured on 2.41.1).
	test('is rejected again in n8n’s Retry, where nothing tells it from the agent’s input, and no other call is', () => {
		const context = {};
		const retry = (toolCallId: string) => {
			const json = { ...call.json, toolCallId };
			begin({ ...call, json, fromAi: json, context: JSON.parse(JSON.stringify(context)) as object });
		};
		retry('call_1');
		expect(() => begin({ ...call, fromAi: { lead: 'a', tag: 777 }, context })).toThrow('"tag"');
		expect(() => retry('call_1')).toThrow('does not ask for: "tag"');
		retry('call_2');
	});

	test('is not hidden by an ID of the call that the model sends', () => {
		const fromAi = { lead: 'a', tag: 777, toolCallId: 'guessed' };
		expect(() => begin({ ...call, fromAi })).toThrow('"tag"');
	});
});

describe('a value from "query" in the agent’s input', () => {
	const parameters = { lead: "={{ $fromAI('lead') }}" };
	const json = { lead: 'a', query: { lead: 'b', tag: 1 }, toolCallId: 'call_1' };
	const call = { json, parameters, fromAi: { lead: 'b', toolCallId: 'call_1' } };

	test('is rejected where $fromAI reads it in place of the model’s', () => {
		expect(() => begin(call)).toThrow('n8n gave this tool call "lead" from "query"');
	});

	const AS_NUMBER = { ...json, lead: 1, query: { lead: '1' } };

	test.each<[string, ToolCalled]>([
		['$fromAI reads the model’s', { fromAi: { lead: 'a' } }],
		['the model sends the same', { json: { ...json, lead: 'b' } }],
		['the tool does not ask for it', { parameters: {} }],
		['there is none', { json: { ...json, query: 'lead' } }],
		['the model sends the same as a number', { json: AS_NUMBER, fromAi: { lead: '1' } }],
		['n8n passes only what the model sends', { args: {}, fromAi: {} }],
	])('is none where %s', (_where, more) => {
		expect(() => begin({ ...call, ...more })).not.toThrow();
	});
});

test('the values of another call are rejected before one that the tool does not ask for', () => {
	const parameters = { lead: "={{ $fromAI('lead') }}" };
	const args = { lead: 'a', tag: 777 };
	const call = { args, json: args, paired: false, parameters };
	expect(() => begin({ ...call, fromAi: { ...args, lead: 'b' } })).toThrow('the values of another call');
	expect(() => begin({ ...call, fromAi: args })).toThrow('does not ask for: "tag"');
});

// n8n checks an MCP client's values against the types of a tool, but not in queue mode (read in 2.41.1).
test('a value of null, which $fromAI does not return, is not that of another call', () => {
	const call = { args: { lead: null }, parameters: { lead: "={{ $fromAI('lead') }}" } };
	expect(() => begin(call)).not.toThrow();
	expect(() => begin({ ...call, fromAi: { lead: 'b' } })).toThrow('the values of another call');
});

test('the values of another call say that nothing was sent only if no earlier attempt at the call may have sent it', () => {
	const call = { args: { lead: 'a' }, fromAi: { lead: 'b' }, settings: { retryOnFail: true } };
	const description = () => {
		try {
			begin(call);
		} catch (error) {
			settleFailure(functionsOf(call), error as NodeOperationError, false);
			return (error as NodeOperationError).description;
		}
		return undefined;
	};
	expect(description()).toMatch(/^Nothing was sent\. Two agents run/);
	expect(description()).toMatch(/^Two agents run/);
});

describe('a tool with an error output', () => {
	const settings = { onError: 'continueErrorOutput' };

	test('is rejected where n8n runs it as a node, and the error is thrown', () => {
		const json = { lead: 'a' };
		expect(() => begin({ settings, json })).toThrow('n8n drops what this tool returns');
		// Before 2.25, n8n passes the input on.
		expect(json).toEqual({ lead: 'a', error: expect.stringMatching(/returns\. Nothing was sent\. Set "On Error"/) });
		const error = new NodeOperationError({ name: 'Node' } as never, 'It failed');
		expect(settleFailure(functionsOf({ settings }), error, true)).toBe('throw');
	});

	const PASSED_ON = [{ args: {} }, { type: 'tagLead' }, { settings: { onError: 'continueRegularOutput' } }];

	test.each<ToolCalled>(PASSED_ON)('is not rejected where n8n passes its results on: %j', (call) => {
		expect(() => begin({ settings, ...call })).not.toThrow();
	});
});

describe('a failure', () => {
	const error = (message = 'It failed') =>
		new NodeOperationError({ name: 'Node' } as never, message, { description: 'Do this.' });
	const settle = (call: ToolCalled, { thrown = error(), continues = false } = {}) =>
		settleFailure(functionsOf(call), thrown, continues);

	test.each([
		['tagLeadTool', 'It failed', 'It failed. Do this.'],
		['tagLeadTool', 'It failed!', 'It failed! Do this.'],
		['tagLeadTool', 'It failed. Do this.', 'It failed. Do this.'],
		['tagLead', 'It failed', 'It failed'],
	])('of a %s with the message "%s" is thrown as "%s"', (type, message, told) => {
		const thrown = error(message);
		expect(settle({ type }, { thrown })).toBe('throw');
		expect(thrown.message).toBe(told);
	});

	test.each<[string, ToolCalled, boolean]>([
		['with Continue On Fail', {}, true],
		['whose caller would drop the error', { args: {} }, false],
	])('%s is returned with the message as it is', (_when, call, continues) => {
		const thrown = error();
		expect(settle(call, { thrown, continues })).toBe('return');
		expect(thrown.message).toBe('It failed');
	});

	test.each([
		[AGENT, 'return'],
		['@n8n/n8n-nodes-langchain.agentTool', 'return'],
		['@n8n/n8n-nodes-langchain.microsoftAgent365Trigger', 'return'],
		['@n8n/n8n-nodes-langchain.mcpTrigger', 'throw'],
		['@n8n/n8n-nodes-langchain.toolExecutor', 'throw'],
		// In queue mode, n8n gives a tool of the MCP Server Trigger itself.
		['n8n-nodes-lead-revenue.tagLeadTool', 'throw'],
	])('of a call by %s: %s', (caller, settled) => {
		expect(settle({ caller, args: {} })).toBe(settled);
	});

	test.each([{ type: 'tagLead', args: {} }, { args: undefined }])('of %j is thrown', (call) => {
		expect(settle(call)).toBe('throw');
	});

	test.each([
		[{}, 1],
		[{ maxTries: 4 }, 1],
		[{ retryOnFail: true }, 3],
		[{ retryOnFail: true, maxTries: 4 }, 4],
		[{ retryOnFail: true, maxTries: 1 }, 2],
		[{ retryOnFail: true, maxTries: 9 }, 5],
	])('with the settings %j is returned at try %d of a call, not before', (settings, last) => {
		const call = { args: {}, settings };
		const other = { args: {}, settings };
		const tries = Array.from({ length: last }, () => [settle(call), settle(other)]);
		expect(tries.map(([own]) => own)).toEqual([...Array<string>(last - 1).fill('throw'), 'return']);
		expect(tries.map(([, others]) => others)).toEqual(tries.map(([own]) => own));
	});

	test('counts also with Continue On Fail', () => {
		const call = { args: {}, settings: { retryOnFail: true, maxTries: 2 } };
		settle(call, { continues: true });
		expect(settle(call)).toBe('return');
	});
});
