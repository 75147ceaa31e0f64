import type { IExecuteFunctions } from 'n8n-workflow';
import type { LaneName } from './lane';
import { REQUESTS_A_MINUTE } from './lane';

// The time that each lane held a run, by the functions object that n8n makes for one run of a node.
const runs = new WeakMap<object, Map<LaneName, { ms: number; countedTo: number }>>();

/**
 * Notes that the rate limit held the run with these functions for `heldMs` milliseconds, until `until` on the monotonic clock.
 * Time in which several requests of the run are held counts once.
 */
export function noteRateLimitWait(functions: object, lane: LaneName, heldMs: number, until: number): void {
	if (heldMs <= 0) return;
	const waits = runs.get(functions) ?? new Map();
	const { ms: before, countedTo } = waits.get(lane) ?? { ms: 0, countedTo: 0 };
	const more = Math.max(0, Math.min(heldMs, until - countedTo));
	runs.set(functions, waits.set(lane, { ms: before + more, countedTo: Math.max(countedTo, until) }));
}

/**
 * Adds a hint about the run's wait for the rate limit to the output panel, from half a second on. Polls and declarative nodes
 * cannot add hints.
 */
export function tellRateLimitWaits(functions: Pick<IExecuteFunctions, 'addExecutionHints'>): void {
	for (const [lane, { ms }] of runs.get(functions) ?? []) {
		if (ms < 500) continue;
		functions.addExecutionHints({
			message: `Waited ${Math.round(ms / 1_000)} s for the rate limit (${REQUESTS_A_MINUTE[lane]} ${lane}s a minute, shared by everything that uses this credential)`,
			location: 'outputPane',
		});
	}
}
