import { sleep } from 'n8n-workflow';

/** Time and chance for the lanes and the retry policy. Injected, so that tests need not wait. */
export interface Clock {
	/** The machine's clock, in milliseconds since the epoch. It can be set forward and back, so it measures no duration. */
	now(): number;
	/** Milliseconds since some moment in the past, for durations: it only goes forward, whatever the machine's clock does. */
	monotonic(): number;
	/** Resolves after `ms` milliseconds, or at once when `signal` aborts. Never rejects. */
	wait(ms: number, signal?: AbortSignal): Promise<void>;
	/** A number in [0, 1), for jitter and probes. */
	random(): number;
}

// n8n's sleep cannot end early, so a wait is cut into slices. A cancelled wait leaves at most one slice behind, and no timer is
// longer than Node's longest, beyond which it would fire at once.
const SLICE_MS = 1_000;

/** Waits for one slice and removes its listener: the signal of one execution may see thousands of waits. */
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
