import type { LaneName } from './requestGate';

interface Waits {
	ms: number;
	countedTo: number;
}

// Keyed by what n8n hands to one run of a node.
const runs = new WeakMap<object, Map<LaneName, Waits>>();

/**
 * Notes that the run with these functions has waited for a spent budget, `ms` milliseconds up to `until` (ms since the
 * epoch). Time that several requests of the run have waited through together counts once.
 */
export function noteBudgetWait(functions: object, lane: LaneName, ms: number, until: number): void {
	if (ms <= 0) return;
	const lanes = runs.get(functions) ?? new Map<LaneName, Waits>();
	const { ms: before, countedTo } = lanes.get(lane) ?? { ms: 0, countedTo: 0 };
	const more = Math.max(0, until - Math.max(until - ms, countedTo));
	runs.set(functions, lanes.set(lane, { ms: before + more, countedTo: Math.max(countedTo, until) }));
}

/** How long the run with these functions has waited for each spent budget, in milliseconds. */
export function budgetWaits(functions: object): Array<[LaneName, number]> {
	return [...(runs.get(functions) ?? [])].map(([lane, { ms }]) => [lane, ms]);
}
