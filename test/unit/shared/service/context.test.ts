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

test('a request goes by the signals it is given, else by the cancellation of the execution', () => {
	const [stop, over, cancel] = [1, 2, 3].map(() => new AbortController().signal);
	const names = new Map([stop, over, cancel].map((signal, index) => [signal, ['stop', 'over', 'cancel'][index]]));
	const limits = { maxAttempts: 1, maxWaitMs: 0, timeoutMs: 1 };
	const signalsOf = (functions: ReturnType<typeof functionsOf>, settings?: Parameters<typeof requestContext>[4]) => {
		const { cancellation, signal } = requestContext(functions, connectionOf('one'), limits, 0, settings);
		return [cancellation, signal].map((one) => names.get(one));
	};
	expect(signalsOf(functionsOf(cancel))).toEqual(['cancel', 'cancel']);
	expect(signalsOf(functionsOf(cancel), { signal: stop })).toEqual(['cancel', 'stop']);
	expect(signalsOf(functionsOf(cancel), { cancellation: over })).toEqual(['over', 'over']);
	expect(signalsOf(functionsOf())).toEqual([undefined, undefined]);
});
