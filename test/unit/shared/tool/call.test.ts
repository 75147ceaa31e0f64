import { NodeOperationError } from 'n8n-workflow';
import { countFailure, isDropped, rejectValuesNotAskedFor, tellCaller } from '../../../../nodes/shared/tool/call';
import type { ToolCalled } from '../../../support/scripted/toolCall';
import { AGENT, functionsOf } from '../../../support/scripted/toolCall';

describe('a value that the tool does not ask for', () => {
	const parameters = { lead: "={{ $fromAI(\n\t'lead', '', 'string') }}", tagId: '={{ $json.tag }}' };
	const call = { json: { tag: 777, lead: 'a', toolCallId: 'call_1' }, parameters };

	test('is rejected', () => {
		expect(() => rejectValuesNotAskedFor(functionsOf({ ...call, fromAi: { lead: 'a', tag: 777 } }))).toThrow(
			'The tool call has a value that this tool does not ask for: "tag"',
		);
	});

	test.each<[string, ToolCalled]>([
		['a field of the agent’s input', { fromAi: { lead: 'a' } }],
		['what n8n adds after a human review', { json: { ...call.json, tool: 'Tag' }, fromAi: { lead: 'a', tool: 'Tag' } }],
		[
			'under a name that $fromAI does not take',
			{ json: { ...call.json, 'the tag': 777 }, fromAi: { lead: 'a', 'the tag': 777 } },
		],
		['not to be told apart, on n8n 1.x', { fromAi: { lead: 'a', tag: 777, toolCallId: 'call_1' } }],
		['dropped by n8n', { args: { lead: 'a' }, json: { lead: 'a' }, paired: false, fromAi: { lead: 'a' } }],
		['in an ordinary node', { type: 'tagLead', fromAi: { lead: 'a', tag: 777 } }],
	])('is not rejected when it is %s', (_what, more) => {
		expect(() => rejectValuesNotAskedFor(functionsOf({ ...call, ...more }))).not.toThrow();
	});

	// n8n's Agents.
	test.each([{ tag: 777 }, { toolCallId: 'guessed' }, { tool: 'Tag' }, { 'the tag': 777 }])(
		'is rejected where the item has nothing else: %j',
		(fromAi) => {
			const agents = { json: { lead: 'a', ...fromAi }, fromAi, paired: false, parameters };
			expect(() => rejectValuesNotAskedFor(functionsOf(agents))).toThrow('does not ask for');
		},
	);

	test('is none where the item has only what the tool asks for', () => {
		const agents = { json: { lead: 'a' }, fromAi: { lead: 'a' }, paired: false, parameters };
		expect(() => rejectValuesNotAskedFor(functionsOf(agents))).not.toThrow();
	});

	test('is not hidden by an ID of the call that the model sends', () => {
		const fromAi = { lead: 'a', tag: 777, toolCallId: 'guessed' };
		expect(() => rejectValuesNotAskedFor(functionsOf({ ...call, fromAi }))).toThrow('"tag"');
	});
});

const failing = (functions: never) => {
	countFailure(functions);
	return isDropped(functions);
};

describe('an error', () => {
	const error = (message: string) =>
		new NodeOperationError({ name: 'Node' } as never, message, { description: 'Do this.' });

	test.each([
		['tagLeadTool', 'It failed', 'It failed. Do this.'],
		['tagLeadTool', 'It failed!', 'It failed! Do this.'],
		['tagLeadTool', 'It failed. Do this.', 'It failed. Do this.'],
		['tagLead', 'It failed', 'It failed'],
	])('of a %s with the message "%s" is told as "%s"', (type, message, told) => {
		expect(tellCaller(functionsOf({ type }), error(message)).message).toBe(told);
	});

	test.each([
		[AGENT, true],
		['@n8n/n8n-nodes-langchain.agentTool', true],
		['@n8n/n8n-nodes-langchain.mcpTrigger', false],
		['@n8n/n8n-nodes-langchain.toolExecutor', false],
		// In queue mode, n8n gives a tool of the MCP Server Trigger itself.
		['n8n-nodes-lead-revenue.tagLeadTool', false],
	])('that %s gets is dropped: %s', (caller, dropped) => {
		expect(failing(functionsOf({ caller, args: {} }))).toBe(dropped);
	});

	test.each([{ type: 'tagLead', args: {} }, { args: undefined }])('of %j is not dropped', (call) => {
		expect(failing(functionsOf(call))).toBe(false);
	});

	test.each([
		[{}, 1],
		[{ maxTries: 4 }, 1],
		[{ retryOnFail: true }, 3],
		[{ retryOnFail: true, maxTries: 4 }, 4],
		[{ retryOnFail: true, maxTries: 1 }, 2],
		[{ retryOnFail: true, maxTries: 9 }, 5],
	])('with the settings %j is dropped at try %d of a call, not before', (settings, last) => {
		const call = functionsOf({ args: {}, settings });
		const other = functionsOf({ args: {}, settings });
		const tries = Array.from({ length: last }, () => [failing(call), failing(other)]);
		expect(tries.map(([own]) => own)).toEqual([...Array<boolean>(last - 1).fill(false), true]);
		expect(tries.map(([, others]) => others)).toEqual(tries.map(([own]) => own));
	});
});
