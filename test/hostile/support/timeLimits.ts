/**
 * Lets limits of time (`AbortSignal.timeout`) be up at another moment than they say: one that a test waits for sooner, one
 * that an answer must not meet later, however busy the machine is. Returns what they said, in milliseconds, as they come.
 * It is undone by `jest.restoreAllMocks()`.
 */
export function timeLimits(moved: (ms: number) => number): number[] {
	const { timeout } = AbortSignal;
	const said: number[] = [];
	jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => (said.push(ms), timeout.call(AbortSignal, moved(ms))));
	return said;
}
