import type { IExecuteData } from 'n8n-workflow';
import { Secrets } from '../shared/service/connection/secrets';

// The key is the object that n8n passes to every input item of a run of a declarative node. It does not identify the run: Retry
// On Fail passes it again, and all tools of an agent get the agent's (measured on n8n 2.41.1 and 1.123).
const siblings = new WeakMap<IExecuteData, { stop: AbortController; secrets: Secrets }>();

/**
 * Runs one item's work. When it fails, the run's other items stop at once: the run fails anyway, and more requests would use up
 * the rate limit. A stopped item returns `[]`: n8n throws the first error in item order with that item's number, so only the item
 * that failed may throw.
 *
 * n8n starts a run's items in order and waits for the last one, so item 0 starts a run. Other work may have the same object:
 * another tool call, or leftovers of a failed run. Neither may stop the other, because `[]` would pass for a result.
 * @param work gets the secrets of all items. With expressions in the credential, each item may have another API key.
 */
export async function stopSiblingsOnFailure<T>(
	executeData: IExecuteData,
	itemIndex: number,
	work: (signal: AbortSignal, secrets: Secrets) => Promise<T[]>,
): Promise<T[]> {
	const known = siblings.get(executeData);
	const stop = (itemIndex === 0 ? undefined : known?.stop) ?? new AbortController();
	const secrets = known?.secrets ?? new Secrets();
	siblings.set(executeData, { stop, secrets });
	return await work(stop.signal, secrets).catch((error: unknown) => {
		if (stop.signal.aborted) return [];
		stop.abort();
		throw error;
	});
}
