import type { INode } from 'n8n-workflow';
import { requestContext, runsAsTool, stopOrCancellation } from '../../../../nodes/shared/service/context';
import { connectionOf, ScriptedWire } from '../../../support/scripted/wire';

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

test('a request goes by the signals that it gets, else by the cancellation of the execution', () => {
	const [stop, cancel, time] = Array.from({ length: 3 }, () => new AbortController().signal);
	const signalsOf = (
		functions: ReturnType<typeof functionsOf>,
		passed?: { signal?: AbortSignal; cancel?: AbortSignal },
	) => {
		const retry = { maxAttempts: 1, maxWaitMs: 0, timeoutMs: 1 };
		const { signal, cancel: canceling } = requestContext(functions, connectionOf('one'), retry, 0, passed);
		return { signal, cancel: canceling };
	};
	expect(signalsOf(functionsOf(cancel))).toStrictEqual({ signal: cancel, cancel: cancel });
	expect(signalsOf(functionsOf(cancel), { signal: stop })).toStrictEqual({ signal: stop, cancel: cancel });
	expect(signalsOf(functionsOf(), { cancel: time })).toStrictEqual({ signal: time, cancel: time });
	expect(signalsOf(functionsOf())).toStrictEqual({ signal: undefined, cancel: undefined });
});
