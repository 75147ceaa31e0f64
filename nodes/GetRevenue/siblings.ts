import type { IExecuteData } from 'n8n-workflow';

// Keyed by what n8n hands to every input item of a run of a declarative node. It starts them all at once and waits for
// the last.
const stops = new WeakMap<IExecuteData, AbortController>();

/**
 * Runs one item's work; when it fails, the run's other items stop at once, since the run fails anyway and would
 * otherwise go on spending the request budget before the user sees the error. A stopped item gives `[]`: n8n throws
 * the first failure in item order and writes that item's number on it, so only the item that failed may throw.
 */
export async function amongSiblings<T>(run: IExecuteData, work: (signal: AbortSignal) => Promise<T[]>): Promise<T[]> {
	const stop = stops.get(run) ?? new AbortController();
	stops.set(run, stop);
	const outcome = work(stop.signal);
	try {
		return await outcome;
	} catch {
		if (stop.signal.aborted) return [];
		stop.abort();
		// Retry On Fail runs the items again under the same key.
		stops.delete(run);
		return await outcome;
	}
}
