import { NodeOperationError } from 'n8n-workflow';
import { countFailure, isDropped, tellCaller } from '../../../../nodes/shared/tool/error';
import { AGENT, functionsOf } from '../../../support/scripted/toolCall';

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
