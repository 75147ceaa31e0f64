import { ClientRequest } from 'node:http';

/** Above the Timeout of those that are kept waiting, below all other limits. */
const SHORT_MS = 5_000;

/** Lets each limit of time be up when `moved` says. Returns what they were, in milliseconds, as they come. */
export function timeLimits(moved: (ms: number) => number): number[] {
	const { timeout } = AbortSignal;
	const said: number[] = [];
	jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => (said.push(ms), timeout.call(AbortSignal, moved(ms))));
	return said;
}

/**
 * Lets every limit of time but those of a short Timeout be up twenty times later, those of n8n's request helper among them:
 * on a busy machine an answer that has come may wait for its turn. It is undone by `jest.restoreAllMocks()`.
 */
export function ampleTimeLimits(): void {
	const moved = (ms: number) => (ms > SHORT_MS ? ms * 20 : ms);
	timeLimits(moved);
	const { setTimeout: pauseAtMost } = ClientRequest.prototype;
	jest.spyOn(ClientRequest.prototype, 'setTimeout').mockImplementation(function (this: ClientRequest, ms, ...more) {
		return pauseAtMost.call(this, moved(ms), ...more);
	});
	const { setTimeout: later } = globalThis;
	const ampler = (work: () => void, ms = 0, ...more: []) => later(work, moved(ms), ...more);
	jest.spyOn(globalThis, 'setTimeout').mockImplementation(ampler as typeof setTimeout);
}
