/**
 * Lets the test end the first timeout that starts from now on; no other timeout ever ends. `timeouts` are the timeouts, in
 * milliseconds.
 */
export function timeInHand(): { timeouts: number[]; end: () => void } {
	const over = new AbortController();
	const timeouts: number[] = [];
	jest
		.spyOn(AbortSignal, 'timeout')
		.mockImplementation(
			(ms) => (timeouts.push(ms), timeouts.length === 1 ? over.signal : new AbortController().signal),
		);
	return { timeouts, end: () => over.abort() };
}
