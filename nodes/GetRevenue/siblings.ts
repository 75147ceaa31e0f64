import type { IExecuteData, IExecuteSingleFunctions } from 'n8n-workflow';
import { Secrets } from '../shared/service/connection/secrets';
import { runsAsTool } from '../shared/service/context';

/** What the items of a run share. */
interface Run {
	stop: AbortController;
	secrets: Secrets;
	/** The index of the item with which all have started. */
	last: number;
	allStarted: Promise<void>;
	open: () => void;
}

// The key is the object that n8n passes to every input item of a run of a declarative node. The object does not identify the run:
// Retry On Fail passes it again, and all tools of an agent get the agent's object (measured on n8n 2.41.1 and 1.123).
const siblings = new WeakMap<IExecuteData, Run>();

function newRun(last: number, secrets = new Secrets()): Run {
	let open = () => {};
	const allStarted = new Promise<void>((resolve) => {
		open = resolve;
	});
	return { stop: new AbortController(), secrets, last, allStarted, open };
}

/**
 * Runs one item's work. When the work fails, the run's other items stop at once: the run fails anyway, and more requests would
 * only use up the rate limit and keep the user waiting for the error. A stopped item returns `[]`. n8n throws the first error in
 * item order and labels it with that item's number, so only the item that failed may throw.
 *
 * n8n starts a run's items in order and waits for the last one, so item 0 starts a run. Other work with this object (another tool
 * call, or work that a failed run left running) must not stop this run, and this run must not stop that work: a `[]` would pass
 * for a result.
 *
 * No work begins before n8n has started the last item. If n8n cannot read a parameter of an item, n8n fails the execution at once,
 * starts no more items, and forgets those that it started: the work of these never begins.
 * @param count returns the number of items that n8n starts in one turn.
 * @param work gets the secrets of all items. With expressions in the credential, each item may have another API key.
 */
export async function stopSiblingsOnFailure<T>(
	key: IExecuteData,
	itemIndex: number,
	count: () => number,
	work: (signal: AbortSignal, secrets: Secrets) => Promise<T[]>,
): Promise<T[]> {
	const known = siblings.get(key);
	const run = itemIndex === 0 || known === undefined ? newRun(count() - 1, known?.secrets) : known;
	siblings.set(key, run);
	if (itemIndex >= run.last) run.open();
	await run.allStarted;
	const { stop } = run;
	const outcome = work(stop.signal, run.secrets);
	try {
		return await outcome;
	} catch {
		if (stop.signal.aborted) return [];
		stop.abort();
		return await outcome;
	}
}

/**
 * Returns the number of items that n8n starts in one turn: all of a run (read in n8n 1.123.81, 2.0.3, 2.20.12 and 2.41.1). It is 1
 * if n8n may wait before the next item (Batching) or leave one out (Continue). In a tool, the execute data are the agent's.
 */
export function itemsInOneTurn(functions: IExecuteSingleFunctions): number {
	const node = functions.getNode();
	if (runsAsTool(node) || node.executeOnce === true || functions.continueOnFail()) return 1;
	if (functions.getNodeParameter('requestOptions.batching', null) !== null) return 1;
	return functions.getExecuteData().data.main?.[0]?.length ?? 1;
}
