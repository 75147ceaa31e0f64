import { ClientRequest } from 'node:http';

/** Above the Timeout of stalled subjects, below all other limits. */
const SHORT_MS = 5_000;

/** Changes each AbortSignal timeout with `moved`. Returns the original ones in order, in milliseconds; the list grows. */
export function timeLimits(moved: (ms: number) => number): number[] {
	const { timeout } = AbortSignal;
	const limits: number[] = [];
	jest
		.spyOn(AbortSignal, 'timeout')
		.mockImplementation((ms) => (limits.push(ms), timeout.call(AbortSignal, moved(ms))));
	return limits;
}

/**
 * Makes every time limit except a short Timeout twenty times as long, including those of n8n's request helper: on a busy
 * machine a response that has arrived may wait to be read.
 */
export function ampleTimeLimits(): void {
	const moved = (ms: number) => (ms > SHORT_MS ? ms * 20 : ms);
	timeLimits(moved);
	const { setTimeout: setRequestTimeout } = ClientRequest.prototype;
	jest.spyOn(ClientRequest.prototype, 'setTimeout').mockImplementation(function (this: ClientRequest, ms, ...more) {
		return setRequestTimeout.call(this, moved(ms), ...more);
	});
	const { setTimeout: later } = globalThis;
	const ampler = (work: () => void, ms = 0, ...more: []) => later(work, moved(ms), ...more);
	jest.spyOn(globalThis, 'setTimeout').mockImplementation(ampler as typeof setTimeout);
}
