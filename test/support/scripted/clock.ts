import type { Clock } from '../../../nodes/shared/service/clock.ts';
import { systemClock } from '../../../nodes/shared/service/clock.ts';

/** A clock that stands still until told to move; `random` returns the middle unless set. */
export class ManualClock implements Clock {
	private elapsed = 0;
	private readonly sleepers: Array<{ at: number; wake: () => void }> = [];
	readonly waits: number[] = [];

	constructor(
		private time = Date.parse('2026-01-01T00:00:00Z'),
		private readonly dice: () => number = () => 0.5,
	) {}

	now(): number {
		return this.time;
	}

	monotonic(): number {
		return this.elapsed;
	}

	/** Sets the machine's clock forward, or back; no time passes. */
	set(byMs: number): void {
		this.time += byMs;
	}

	random(): number {
		return this.dice();
	}

	async wait(ms: number, signal?: AbortSignal): Promise<void> {
		this.waits.push(ms);
		if (signal?.aborted) return;
		let wake = () => {};
		const over = new Promise<void>((resolve) => {
			wake = resolve;
		});
		this.sleepers.push({ at: this.elapsed + ms, wake });
		signal?.addEventListener('abort', wake);
		await over;
		signal?.removeEventListener('abort', wake);
	}

	/** Moves time on and ends the waits that are due, in order. */
	async advance(ms: number): Promise<void> {
		this.time += ms;
		this.elapsed += ms;
		const due = this.sleepers.filter(({ at }) => at <= this.elapsed).sort((a, b) => a.at - b.at);
		for (const sleeper of due) {
			this.sleepers.splice(this.sleepers.indexOf(sleeper), 1);
			sleeper.wake();
		}
		await settle();
	}
}

/** Lets everything run that needs no time to pass. */
export async function settle(): Promise<void> {
	for (let round = 0; round < 50; round++) await Promise.resolve();
}

/**
 * From now on time stands still for the nodes, until the test moves it: `at(ms)` after now, and `set(ms)` the machine's
 * clock alone.
 */
export function movableTime() {
	// Whole milliseconds, or their sums would be rounded.
	const [now, monotonic] = [systemClock.now(), Math.floor(systemClock.monotonic())];
	let [passed, ahead] = [0, 0];
	jest.spyOn(systemClock, 'now').mockImplementation(() => now + passed + ahead);
	jest.spyOn(systemClock, 'monotonic').mockImplementation(() => monotonic + passed);
	return { now, at: (ms: number) => void (passed = ms), set: (ms: number) => void (ahead = ms) };
}

/** From now on the nodes find that `ms()` more milliseconds have passed. */
export function timePassed(ms: () => number): void {
	jest.spyOn(systemClock, 'now').mockImplementation(() => Date.now() + ms());
	jest.spyOn(systemClock, 'monotonic').mockImplementation(() => performance.now() + ms());
}
