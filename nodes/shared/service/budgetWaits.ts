import type { LaneName } from './requestGate';

interface Waits {
	ms: number;
	countedTo: number;
}

// Keyed by the functions object that n8n makes for one run of a node.
const runs = new WeakMap<object, Map<LaneName, Waits>>();

/**
 * Notes that the run with these functions waited `ms` milliseconds for a spent budget, until `until` on the
 * monotonic clock. When several requests of the run wait at the same time, that time counts once.
 */
export function noteBudgetWait(functions: object, lane: LaneName, ms: number, until: number): void {
	if (ms <= 0) return;
	const lanes = runs.get(functions) ?? new Map<LaneName, Waits>();
	const { ms: before, countedTo } = lanes.get(lane) ?? { ms: 0, countedTo: 0 };
	const more = Math.max(0, until - Math.max(until - ms, countedTo));
	runs.set(functions, lanes.set(lane, { ms: before + more, countedTo: Math.max(countedTo, until) }));
}

/** How long the run with these functions has waited for each budget, in milliseconds. */
export function budgetWaits(functions: object): Array<[LaneName, number]> {
	return [...(runs.get(functions) ?? [])].map(([lane, { ms }]) => [lane, ms]);
}
