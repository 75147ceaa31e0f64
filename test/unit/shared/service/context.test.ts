import type { INode } from 'n8n-workflow';
import { requestContext, runsAsTool, stopOrCancellation } from '../../../../nodes/shared/service/context.ts';
import { connectionOf, ScriptedWire } from '../../../support/scripted/wire.ts';

const WORKFLOW = { type: 'n8n-nodes-lead-revenue.tagLead' } as INode;
const TOOL = { type: 'n8n-nodes-lead-revenue.tagLeadTool' } as INode;

test('a node runs as a tool where n8n appends that to its type', () => {
	expect([WORKFLOW, TOOL].map(runsAsTool)).toEqual([false, true]);
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
