import { sleep } from 'n8n-workflow';

/** The passing of time, as the request gate and the retry policy see it. Injected so that tests need not wait. */
export interface Clock {
	/** Milliseconds since the epoch. */
	now(): number;
	/** Ends after `ms` milliseconds, or at once when `signal` aborts; it never rejects. */
	wait(ms: number, signal?: AbortSignal): Promise<void>;
	/** A number in [0, 1), for jitter. */
	random(): number;
}

// n8n's sleep cannot be ended early, so a wait is cut in slices: a cancelled one leaves at most one slice behind.
const SLICE_MS = 1_000;

async function untilAborted(signal: AbortSignal): Promise<void> {
	if (signal.aborted) return;
	await new Promise<void>((resolve) => {
		signal.addEventListener('abort', () => resolve(), { once: true });
	});
}

export const systemClock: Clock = {
	now: () => Date.now(),
	random: () => Math.random(),
	async wait(ms, signal) {
		if (signal === undefined) {
			await sleep(ms);
			return;
		}
		const end = Date.now() + ms;
		const aborted = untilAborted(signal);
		for (let left = ms; left > 0 && !signal.aborted; left = end - Date.now()) {
			await Promise.race([sleep(Math.min(left, SLICE_MS)), aborted]);
		}
	},
};
