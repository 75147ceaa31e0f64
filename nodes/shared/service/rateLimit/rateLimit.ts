import type { IExecuteFunctions } from 'n8n-workflow';
import { isWrite } from '../call';
import type { Situation } from '../context';
import type { Step } from '../retryPolicy';
import type { LaneName } from './lane';
import { Lane, REQUESTS_A_MINUTE } from './lane';

export { MAX_IN_FLIGHT } from './lane';

/** The lanes of all nodes in this process, by name and rate limit key. */
const lanes = new Map<string, Lane>();

// The time that each lane held a run, by the functions object that n8n makes for one run of a node.
const waitsByRun = new WeakMap<object, Map<LaneName, { ms: number; countedTo: number }>>();

/**
 * Makes an attempt when the rate limit allows it (see Lane). Before its retry, a request waits the whole time that its step
 * names: the lane may open earlier for another request, to probe whether the rate limit was raised.
 */
export async function withinRateLimit(
	situation: Pick<Situation, 'functions' | 'connection' | 'call' | 'retry' | 'clock' | 'signal' | 'begunAt'>,
	attempt: () => Promise<Step>,
): Promise<Step> {
	const { functions, connection, call, retry, clock, signal, begunAt } = situation;
	const name = isWrite(call) ? 'write' : 'read';
	const lane = laneFor(`${name}\n${connection.rateLimitKey}`, clock);
	const attemptInLane = async (heldMs: number): Promise<Step> => {
		noteRateLimitWait(functions, name, heldMs, clock.monotonic());
		const step = await attempt();
		// The lane closes before this request leaves it. Otherwise the next request would pass and be rejected.
		if ('resetsInMs' in step && step.resetsInMs !== undefined) lane.close(step.resetsInMs);
		return step;
	};
	const step = await lane.pass(attemptInLane, retry, begunAt, signal);
	if (step.kind === 'retry') {
		await clock.wait(step.waitMs, signal);
		noteRateLimitWait(functions, name, step.resetsInMs ?? 0, clock.monotonic());
	}
	return step;
}

// API keys may come from an expression, and a key may never be used again, so there may be any number of lanes.
function laneFor(key: string, clock: Situation['clock']): Lane {
	for (const [known, other] of lanes) if (other.isLikeNew()) lanes.delete(known);
	const lane = lanes.get(key) ?? new Lane(clock);
	lanes.set(key, lane);
	return lane;
}

/** Notes that the rate limit held the run until `until` (monotonic). Time in which several requests are held counts once. */
export function noteRateLimitWait(functions: object, lane: LaneName, heldMs: number, until: number): void {
	if (heldMs <= 0) return;
	const waits = waitsByRun.get(functions) ?? new Map();
	const { ms: before, countedTo } = waits.get(lane) ?? { ms: 0, countedTo: 0 };
	const more = Math.max(0, Math.min(heldMs, until - countedTo));
	waitsByRun.set(functions, waits.set(lane, { ms: before + more, countedTo: Math.max(countedTo, until) }));
}

/** Adds a hint about the run's wait, from half a second on. Polls and declarative nodes cannot add hints. */
export function tellRateLimitWaits(functions: Pick<IExecuteFunctions, 'addExecutionHints'>): void {
	for (const [lane, { ms }] of waitsByRun.get(functions) ?? []) {
		if (ms < 500) continue;
		functions.addExecutionHints({
			message: `Waited ${Math.round(ms / 1_000)} s for the rate limit (${REQUESTS_A_MINUTE[lane]} ${lane}s a minute, shared by everything that uses this credential)`,
			location: 'outputPane',
		});
	}
}
