import type { Clock } from './clock';

/** Concurrency: a few at once keep a fast service busy without letting 100 items open 100 connections. */
export const MAX_IN_FLIGHT = 4;

// When the budget ends, each of four processes that started together has sent a quarter of it. If all four requests stay
// in flight until then, three processes have 6 % of 300 writes refused instead of 4 %.
const PROCESSES = 4;

// The documented window. It is a minute at most, and Retry-After rounds up to whole seconds.
const WINDOW_MS = 60_000;
const MAX_WINDOW_MS = WINDOW_MS + 1_000;

// The part of its share that a process leaves free. Without headroom a slower process comes too late in every window:
// simulated, it was refused up to 206 times in a row.
const HEADROOM = 1 / 10;

// The part of the budget that every process may use. Without it shares only shrink: simulated, ten processes used 23 % of
// the writes' budget.
const LEAST_SHARE = 1 / 10;

// Probes in one window, of all processes together. With one of each, ten processes have 14 % of their writes refused
// instead of 4 %. With none, a process that is left alone never takes up what the others no longer use.
const PROBES = 2;

// Slower processes have had their share by the middle of the window. With probes at once they were refused up to 44
// times in a row.
const PROBE_AT = 1 / 2;

/** What a window teaches: the requests that got through before its 429, and its length as seen from here. */
interface Lesson {
	share: number;
	lengthMs: number;
}

const NOTHING_LEARNED: Lesson = { share: Infinity, lengthMs: WINDOW_MS };

/**
 * What one process knows of a rate limit that is counted in windows and that other processes may draw on, too (n8n's
 * queue mode). Only a 429 tells of them: the requests that got through before it were this process's share. In the next
 * window it stops a little below the share. It then probes for more in the middle of the window, or leaves the rest of
 * the window to the others.
 *
 * Before a request the owner reads `concurrency` and `yieldsUntil`. It calls `sent` with every request that it sends and
 * `refused` with every 429; only these two change anything.
 */
export class BudgetWindow {
	/** Both on the monotonic clock, in milliseconds; `end` is 0 once a 429 has ended the window. */
	private start = 0;
	private end = 0;
	private sentInWindow = 0;
	private probes = false;
	private learned = NOTHING_LEARNED;

	/** @param budget requests in a window, as documented. No promise: a plan may allow more or less. */
	constructor(
		private readonly clock: Pick<Clock, 'monotonic' | 'random'>,
		private readonly budget: number,
	) {}

	/**
	 * How many requests may be in flight now: 1 to 4. When the budget ends, all that are in flight are refused. So it is 1
	 * around the documented budget, and 2 from where other processes may have used the rest.
	 */
	concurrency(): number {
		if (Math.abs(this.budget - this.sentInWindow) <= MAX_IN_FLIGHT) return 1;
		const mayBeSpent = this.sentInWindow > this.budget / PROCESSES && this.sentInWindow < this.budget;
		return mayBeSpent ? MAX_IN_FLIGHT / 2 : MAX_IN_FLIGHT;
	}

	/** Until when to leave the window to others, on the monotonic clock in milliseconds; in the past when a request may go now. */
	yieldsUntil(): number {
		if (this.sentInWindow < this.limit()) return 0;
		return this.start + (this.end - this.start) * (this.probes ? PROBE_AT : 1);
	}

	/** Counts a request that is sent now. The first one after the end of a window opens the next window. */
	sent(): void {
		if (this.clock.monotonic() >= this.end) this.open();
		this.sentInWindow++;
	}

	/**
	 * Learns from a 429 that asks to wait `waitMs` milliseconds, and ends the window. Nothing is learned when no request
	 * got through, nor from a wait longer than a window: that one comes from the daily budget.
	 */
	refused(waitMs: number): void {
		this.sentInWindow--;
		if (this.sentInWindow > 0 && waitMs <= MAX_WINDOW_MS) {
			const lengthMs = Math.min(this.clock.monotonic() + waitMs - this.start, MAX_WINDOW_MS);
			this.learned = { share: this.sentInWindow, lengthMs };
		}
		this.end = 0;
	}

	private open(): void {
		const leftToOthers = this.sentInWindow >= this.limit() && !this.probes;
		// Neither a 429 nor this process ended the window: there is room.
		if (this.end > 0 && !leftToOthers) this.learned = NOTHING_LEARNED;
		this.start = this.clock.monotonic();
		this.end = this.start + this.learned.lengthMs;
		this.sentInWindow = 0;
		// In proportion to the share, so that the number of processes does not matter.
		this.probes = this.clock.random() < (PROBES * this.limit()) / this.budget;
	}

	/** Requests after which the window is left to others. Rounded down, or a small share would have no headroom. */
	private limit(): number {
		const { share } = this.learned;
		// A process that had all of the budget is alone.
		if (share >= this.budget) return Infinity;
		return Math.max(Math.floor(share * (1 - HEADROOM)), this.budget * LEAST_SHARE);
	}
}
