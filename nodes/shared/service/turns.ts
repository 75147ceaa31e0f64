const latest = new Map<string, Promise<void>>();

/** Runs pieces of work that have the same key one after the other, in the order they came; the others at once. */
export async function inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
	const turn = (latest.get(key) ?? Promise.resolve()).then(work);
	const over = turn.then(
		() => undefined,
		() => undefined,
	);
	latest.set(key, over);
	try {
		return await turn;
	} finally {
		if (latest.get(key) === over) latest.delete(key);
	}
}
