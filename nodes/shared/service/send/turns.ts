const lastTurns = new Map<string, Promise<void>>();

/** Runs work with the same key one at a time, first come first served. Work with another key does not wait for it. */
export async function inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
	const turn = (lastTurns.get(key) ?? Promise.resolve()).then(work);
	const over = turn.then(
		() => undefined,
		() => undefined,
	);
	lastTurns.set(key, over);
	try {
		return await turn;
	} finally {
		if (lastTurns.get(key) === over) lastTurns.delete(key);
	}
}
