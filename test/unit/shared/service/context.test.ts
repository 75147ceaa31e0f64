import type { INode } from 'n8n-workflow';
import { audienceOf, requestContext, runsAsTool, stopOrCancellation } from '../../../../nodes/shared/service/context';
import { connectionOf, ScriptedWire } from '../../../support/scripted/wire';

const WORKFLOW = { type: 'n8n-nodes-lead-revenue.tagLead' } as INode;
const TOOL = { type: 'n8n-nodes-lead-revenue.tagLeadTool' } as INode;

test.each([
	['the agent that called a tool', TOOL, { continueOnFail: () => true }, 'agent'],
	['the next node, with Continue', WORKFLOW, { continueOnFail: () => true }, 'workflow'],
	['the person at a failed execution', WORKFLOW, { continueOnFail: () => false }, 'person'],
	['the person at a poll, which has no Continue', WORKFLOW, {}, 'person'],
])('an error is for %s', (_who, node, functions, expected) => {
	expect(audienceOf(functions as never, node)).toBe(expected);
	expect(runsAsTool(node)).toBe(expected === 'agent');
});

const functionsOf = (cancel?: AbortSignal) => new ScriptedWire([], cancel).functions;

test.each(['stop', 'cancellation'] as const)('either ends the work: %s', (which) => {
	const ends = { stop: new AbortController(), cancellation: new AbortController() };
	const signal = stopOrCancellation(ends.stop.signal, functionsOf(ends.cancellation.signal));
	expect(signal.aborted).toBe(false);
	ends[which].abort();
	expect(signal.aborted).toBe(true);
});

test('where n8n cannot cancel, what stops the work is the signal', () => {
	const { signal } = new AbortController();
	expect(stopOrCancellation(signal, functionsOf())).toBe(signal);
});

test('a request goes by the signal it is given, else by the cancellation of the execution', () => {
	const [stop, cancel] = [new AbortController().signal, new AbortController().signal];
	const signalOf = (functions: ReturnType<typeof functionsOf>, settings?: { signal: AbortSignal }) =>
		requestContext(functions, connectionOf('one'), { maxAttempts: 1, maxWaitMs: 0, timeoutMs: 1 }, 0, settings).signal;
	expect(signalOf(functionsOf(cancel))).toBe(cancel);
	expect(signalOf(functionsOf(cancel), { signal: stop })).toBe(stop);
	expect(signalOf(functionsOf())).toBeUndefined();
});
