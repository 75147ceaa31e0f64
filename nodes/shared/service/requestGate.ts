import { BudgetWindow, MOST_IN_FLIGHT } from './budgetWindow';
import type { Clock } from './clock';

export { MOST_IN_FLIGHT };

/** Reads and writes have separate minute buckets (API document, Limits), so a gate has a lane for each. */
export type LaneName = 'read' | 'write';

/** Thrown inside the client when the budget of a lane returns later than the caller may wait: in `waitMs` milliseconds. */
export class GateClosed extends Error {
	constructor(readonly waitMs: number) {
		super('the request gate is closed');
	}
}

/** API document, Limits. No promise: another plan may allow more, and another process may have used some of it. */
export const REQUESTS_A_MINUTE: Record<LaneName, number> = { read: 120, write: 60 };

// A budget that returns in hours (the daily one) may be raised meanwhile: ask again now and then.
const LONGEST_CLOSURE_MS = 15 * 60_000;

/**
 * Lets requests of one budget through, a few at a time and none while the budget is spent. A queue and a closure; what
 * other processes leave of the budget is the window's to know. After a refusal it is single file until the lane falls
 * idle, so that a window ends in one refused request, not in one for each that was in flight.
 */
class Lane {
	private inFlight = 0;
	private visitors = 0;
	/** Those who wait for a turn, in the order they came. */
	private readonly waiting = new Set<() => void>();
	private closedUntil = 0;
	/** When the service says that the budget returns: later than `closedUntil` when that is hours away. */
	private spentUntil = 0;
	private singleFile = false;
	private readonly window: BudgetWindow;

	constructor(
		private readonly clock: Clock,
		budget: number,
	) {
		this.window = new BudgetWindow(clock, budget);
	}

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
		this.window.refused(ms);
		// Those in line may not wait that long: each one called finds out, and calls the next.
		this.callNext();
	}

	isIdle(): boolean {
		return this.visitors === 0 && this.closedUntil <= this.clock.now();
	}

	private async enter(maxWaitMs: number, signal?: AbortSignal): Promise<{ heldMs: number; sends: boolean }> {
		let heldMs = 0;
		while (signal?.aborted !== true) {
			const now = this.clock.now();
			const closedFor = this.closedUntil - now;
			if (closedFor > 0 && this.spentUntil - now > maxWaitMs) throw new GateClosed(this.spentUntil - now);
			const holdMs = closedFor > 0 ? closedFor : this.window.yieldsUntil() - now;
			// The service has refused nothing yet when the window is left to others, so nobody waits for that in vain.
			if (holdMs > 0 && holdMs <= maxWaitMs) {
				// The next in line may have to give up sooner.
				this.callNext();
				await this.clock.wait(holdMs, signal);
				heldMs += this.clock.now() - now;
			} else if (this.inFlight >= this.width()) await this.turn(signal);
			else break;
		}
		const sends = signal?.aborted !== true;
		if (sends) {
			this.inFlight++;
			this.window.sent();
			// Where single file ends there is room for more than the one who was called.
			if (this.inFlight < this.width()) this.callNext();
		}
		return { heldMs, sends };
	}

	private width(): number {
		return this.singleFile ? 1 : this.window.concurrency();
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
