/**
 * Lets the test end the first timeout that starts from now on; no other timeout ever ends. `given` are the timeouts, in
 * milliseconds. `jest.restoreAllMocks()` undoes it.
 */
export function timeInHand(): { given: number[]; end: () => void } {
	const over = new AbortController();
	const given: number[] = [];
	jest
		.spyOn(AbortSignal, 'timeout')
		.mockImplementation((ms) => (given.push(ms), given.length === 1 ? over.signal : new AbortController().signal));
	return { given, end: () => over.abort() };
}
