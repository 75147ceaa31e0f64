import type { IExecuteData } from 'n8n-workflow';
import { Secrets } from '../shared/service/secrets';

// Keyed by what n8n hands to every input item of a run of a declarative node. Measured on n8n 2.41.1 and 1.123: it is no
// name of the run, for Retry On Fail hands out the same again, and every tool that an agent calls gets the agent's.
const stops = new WeakMap<IExecuteData, AbortController>();

/**
 * Runs one item's work; when it fails, the run's other items stop at once, since the run fails anyway and would
 * otherwise go on spending the request budget before the user sees the error. A stopped item gives `[]`: n8n throws
 * the first failure in item order and writes that item's number on it, so only the item that failed may throw.
 *
 * n8n begins a run's items in their order and waits for the last, so the first begins a run: what runs with the same
 * key besides, another call of a tool or what a try before left behind, must neither stop this one nor be stopped by it.
 * Its `[]` would pass for an answer.
 */
export async function amongSiblings<T>(
	run: IExecuteData,
	itemIndex: number,
	work: (signal: AbortSignal) => Promise<T[]>,
): Promise<T[]> {
	const stop = (itemIndex === 0 ? undefined : stops.get(run)) ?? new AbortController();
	stops.set(run, stop);
	const outcome = work(stop.signal);
	try {
		return await outcome;
	} catch {
		if (stop.signal.aborted) return [];
		stop.abort();
		return await outcome;
	}
}

const secrets = new WeakMap<IExecuteData, Secrets>();

/** What all items of a run keep secret: with expressions in the credential each may have another key. */
export function secretsOf(run: IExecuteData): Secrets {
	const known = secrets.get(run) ?? new Secrets();
	secrets.set(run, known);
	return known;
}
