/**
 * Lets the test say when the first time that is limited from now on is up; no other ever is. `given` are the limits, in
 * milliseconds. It is undone by `jest.restoreAllMocks()`.
 */
export function timeInHand(): { given: number[]; end: () => void } {
	const over = new AbortController();
	const given: number[] = [];
	jest
		.spyOn(AbortSignal, 'timeout')
		.mockImplementation((ms) => (given.push(ms), given.length === 1 ? over.signal : new AbortController().signal));
	return { given, end: () => over.abort() };
}
