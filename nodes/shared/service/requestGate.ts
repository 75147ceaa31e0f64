import type { Clock } from './clock';

/** Reads and writes have separate minute buckets (API document, Limits), so a gate has a lane for each. */
export type LaneName = 'read' | 'write';

/** Thrown inside the client when the budget of a lane returns later than the caller may wait: in `waitMs` milliseconds. */
export class GateClosed extends Error {
	constructor(readonly waitMs: number) {
		super('the request gate is closed');
	}
}

/** A few at once keep a fast service busy without letting 100 items open 100 connections. */
export const MOST_IN_FLIGHT = 4;

/** API document, Limits. No promise: another plan may allow more, and another process may have used some of it. */
export const REQUESTS_A_MINUTE: Record<LaneName, number> = { read: 120, write: 60 };
const WINDOW_MS = 60_000;

// A budget that returns in hours (the daily one) may be raised meanwhile: ask again now and then.
const LONGEST_CLOSURE_MS = 15 * 60_000;

// Retry-After counts whole seconds, and is rounded up.
const ROUNDING_MS = 1_000;

// What is left at first for processes that are slower and would come too late; a tenth of the budget is modest anyway.
const MODESTY = 1 / 10;

/**
 * Lets requests of one budget through, a few at a time and none while the budget is spent. It is single file where a
 * refusal is near, so that a window ends in one refused request, not in one for each that was in flight: around the
 * documented budget, around the share it had of the last window, and after a refusal until the lane falls idle.
 *
 * Other processes may draw on the same budget (n8n's queue mode), and nothing but refusals tells of them. So a lane
 * remembers how many requests got through in the window that a refusal ended: its share. In the next window it stops
 * there, and asks for more with a probability that leaves about two refused requests a window to all processes
 * together, however many they are; later in the window, so that slower processes have had their share by then.
 */
class Lane {
	private inFlight = 0;
	private closedUntil = 0;
	/** When the service says that the budget returns: later than `closedUntil` when that is hours away. */
	private spentUntil = 0;
	private singleFile = false;
	private sentInWindow = 0;
	private windowStart = 0;
	/** 0 once a window has been used up. */
	private windowEnd = 0;
	/** Requests that got through in the last window that was used up. */
	private share = Infinity;
	/** How long that window was, as seen from here. */
	private windowMs = 0;
	/** Requests after which the present window is left to others. */
	private limit = Infinity;
	/** Those who wait for a turn, in the order they came. */
	private readonly waiting = new Set<() => void>();
	private visitors = 0;

	constructor(
		private readonly clock: Clock,
		private readonly budget: number,
	) {}

	async pass<T>(work: (heldMs: number) => Promise<T>, maxWaitMs: number, signal?: AbortSignal): Promise<T> {
		this.visitors++;
		try {
			const { heldMs, sends } = await this.enter(maxWaitMs, signal);
			try {
				return await work(heldMs);
			} finally {
				if (sends) this.inFlight--;
			}
		} finally {
			this.visitors--;
			// While it is closed, those who were refused wait elsewhere: it is not idle.
			if (this.isIdle()) this.singleFile = false;
			// One that is called where there is no room goes to the end of the line.
			if (this.inFlight < this.width()) this.callNext();
		}
	}

	close(ms: number): void {
		const now = this.clock.now();
		// What was said before the lane was closed the last time may no longer hold.
		this.spentUntil = Math.max(this.closedUntil > now ? this.spentUntil : 0, now + ms);
		this.closedUntil = Math.max(this.closedUntil, now + Math.min(ms, LONGEST_CLOSURE_MS));
		this.singleFile = true;
		this.learnShare(now, ms);
		this.windowEnd = 0;
	}

	isIdle(): boolean {
		return this.visitors === 0 && this.closedUntil <= this.clock.now();
	}

	private learnShare(now: number, ms: number): void {
		this.sentInWindow--;
		// A longer wait is no minute's; a window in which nothing got through says nothing about a share.
		if (ms > WINDOW_MS + ROUNDING_MS) this.share = Infinity;
		else if (this.sentInWindow > 0) {
			this.share = this.sentInWindow;
			this.windowMs = Math.min(now + ms - this.windowStart, WINDOW_MS + ROUNDING_MS);
		}
	}

	private async enter(maxWaitMs: number, signal?: AbortSignal): Promise<{ heldMs: number; sends: boolean }> {
		let heldMs = 0;
		while (signal?.aborted !== true) {
			const now = this.clock.now();
			const closedFor = this.closedUntil - now;
			if (closedFor > 0 && this.spentUntil - now > maxWaitMs) throw new GateClosed(this.spentUntil - now);
			// What the service has not refused holds nobody longer than they may wait.
			if (closedFor > 0 && closedFor <= maxWaitMs) {
				await this.clock.wait(closedFor, signal);
				heldMs += this.clock.now() - now;
			} else if (this.inFlight >= this.width()) await this.turn(signal);
			else if (this.sentInWindow < this.limit || !this.leaveToOthers(maxWaitMs)) break;
		}
		const sends = signal?.aborted !== true;
		if (sends) {
			this.inFlight++;
			this.count();
			// Where single file ends there is room for more than the one who was called.
			if (this.inFlight < this.width()) this.callNext();
		}
		return { heldMs, sends };
	}

	/** Ends the window here, or puts off asking for more of it. Not for one who may not wait that long: nothing was refused yet. */
	private leaveToOthers(maxWaitMs: number): boolean {
		const now = this.clock.now();
		const asks = this.clock.random() < (2 * this.limit) / this.budget;
		this.limit = Infinity;
		const until = this.windowStart + this.windowMs * (asks ? 0.5 : 1);
		if (now >= until || until - now > maxWaitMs) return false;
		this.closedUntil = until;
		if (!asks) this.windowEnd = 0;
		return true;
	}

	private count(): void {
		const now = this.clock.now();
		if (now >= this.windowEnd) {
			// One that was not used up tells that there is room.
			if (this.windowEnd > 0) this.share = Infinity;
			// One that had all of it is alone.
			this.limit = this.share >= this.budget ? Infinity : Math.max(this.share * (1 - MODESTY), this.budget * MODESTY);
			this.windowStart = now;
			this.windowEnd = now + WINDOW_MS;
			this.sentInWindow = 0;
		}
		this.sentInWindow++;
	}

	private width(): number {
		const budgetMayEnd = Math.abs(this.budget - this.sentInWindow) <= MOST_IN_FLIGHT;
		const limitIsNear = this.limit - this.sentInWindow <= MOST_IN_FLIGHT;
		if (this.singleFile || budgetMayEnd || limitIsNear) return 1;
		// Three other processes that began with this one would have had the rest by now.
		const othersMayEndIt = this.sentInWindow > this.budget / 4 && this.sentInWindow < this.budget;
		return othersMayEndIt ? MOST_IN_FLIGHT / 2 : MOST_IN_FLIGHT;
	}

	private callNext(): void {
		const [next] = this.waiting;
		if (next === undefined) return;
		this.waiting.delete(next);
		next();
	}

	private async turn(signal?: AbortSignal): Promise<void> {
		await new Promise<void>((resolve) => {
			const go = () => {
				signal?.removeEventListener('abort', giveUp);
				resolve();
			};
			// One that has given up must leave the line, or it would swallow the next one's turn.
			const giveUp = () => {
				this.waiting.delete(go);
				resolve();
			};
			this.waiting.add(go);
			signal?.addEventListener('abort', giveUp, { once: true });
		});
	}
}

/** The request gate of one credential and base URL. */
export class RequestGate {
	private readonly lanes: Record<LaneName, Lane>;

	constructor(clock: Clock) {
		this.lanes = { read: new Lane(clock, REQUESTS_A_MINUTE.read), write: new Lane(clock, REQUESTS_A_MINUTE.write) };
	}

	/**
	 * Runs `work` when the lane lets it through, or when `signal` aborts: then it is for `work` to send nothing, and it
	 * counts for nothing. `heldMs` says how long it was held back because the budget was spent.
	 * @throws GateClosed when the lane is closed and its budget returns later than `maxWaitMs` from now.
	 */
	async pass<T>(
		lane: LaneName,
		work: (heldMs: number) => Promise<T>,
		maxWaitMs: number,
		signal?: AbortSignal,
	): Promise<T> {
		return await this.lanes[lane].pass(work, maxWaitMs, signal);
	}

	/** Holds everything on the lane back for `ms` milliseconds: its budget is spent. */
	close(lane: LaneName, ms: number): void {
		this.lanes[lane].close(ms);
	}

	isIdle(): boolean {
		return this.lanes.read.isIdle() && this.lanes.write.isIdle();
	}
}

const gates = new Map<string, RequestGate>();

/** The gate shared by every node in this process whose requests draw on the same budgets. */
export function gateFor(budgetKey: string, clock: Clock): RequestGate {
	for (const [key, gate] of gates) {
		if (key !== budgetKey && gate.isIdle()) gates.delete(key);
	}
	const gate = gates.get(budgetKey) ?? new RequestGate(clock);
	gates.set(budgetKey, gate);
	return gate;
}
