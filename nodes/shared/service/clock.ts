import { sleep } from 'n8n-workflow';

/** The source of time and chance for the lanes and the retry policy. Tests inject their own, so that they need not wait. */
export interface Clock {
	/** Returns the machine's time, in milliseconds since the epoch. The time can be set back, so it measures no duration. */
	now(): number;
	/** Returns milliseconds since some past moment, for durations. They only increase, whatever the machine's clock does. */
	monotonic(): number;
	/** Resolves after `ms` milliseconds, or at once when `signal` aborts. It never rejects. */
	wait(ms: number, signal?: AbortSignal): Promise<void>;
	/** Returns a number in [0, 1), for jitter. */
	random(): number;
}

// n8n's sleep cannot end early: in slices, a cancelled wait leaves at most one behind. Node's timers fire at once beyond 24 days.
const SLICE_MS = 1_000;

/** Waits for one slice. It removes its listener, because the signal of one execution may see thousands of waits. */
async function slice(ms: number, signal?: AbortSignal): Promise<void> {
	let wake = () => {};
	const aborted = new Promise<void>((resolve) => {
		wake = resolve;
	});
	signal?.addEventListener('abort', wake);
	await Promise.race([sleep(ms), aborted]);
	signal?.removeEventListener('abort', wake);
}

export const systemClock: Clock = {
	now: () => Date.now(),
	monotonic: () => performance.now(),
	random: () => Math.random(),
	async wait(ms, signal) {
		const end = this.monotonic() + ms;
		for (let left = ms; left > 0 && signal?.aborted !== true; left = end - this.monotonic()) {
			await slice(Math.min(left, SLICE_MS), signal);
		}
	},
};

/** Whether `work` ends, in whatever way, within so many milliseconds. */
export async function endsWithin(ms: number, work: Promise<unknown>, clock = systemClock): Promise<boolean> {
	const over = new AbortController();
	const end = () => over.abort();
	work.then(end, end);
	await clock.wait(ms, over.signal);
	return over.signal.aborted;
}
