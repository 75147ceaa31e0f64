/** Returns the value; `undefined` if it cannot be had because `read` throws. */
export function orUndefined<T>(read: () => T): T | undefined {
	try {
		return read();
	} catch {
		return undefined;
	}
}
