import type { IExecuteData } from 'n8n-workflow';

/** The input items of one run of a declarative node, which n8n all starts at once and waits for to the last. */
interface Siblings {
	running: number;
	stop: AbortController;
}

// Keyed by what n8n hands to every item of a run; a retried run gets the same object, hence the count.
const runs = new WeakMap<IExecuteData, Siblings>();

/**
 * Runs one item's work; when it fails, the run's other items stop at once, since the run fails anyway and would
 * otherwise go on spending the request budget before the user sees the error. A stopped item gives `[]`: n8n throws
 * the first failure in item order and writes that item's number on it, so only the item that failed may throw.
 */
export async function amongSiblings<T>(run: IExecuteData, work: (signal: AbortSignal) => Promise<T[]>): Promise<T[]> {
	const siblings = runs.get(run) ?? { running: 0, stop: new AbortController() };
	runs.set(run, siblings);
	siblings.running++;
	const outcome = work(siblings.stop.signal);
	try {
		return await outcome;
	} catch {
		if (siblings.stop.signal.aborted) return [];
		siblings.stop.abort();
		return await outcome;
	} finally {
		siblings.running--;
		if (siblings.running === 0) runs.delete(run);
	}
}
