import { BudgetWindow, MAX_IN_FLIGHT } from './budgetWindow';
import type { Clock } from './clock';

export { MAX_IN_FLIGHT };

/** Reads and writes have separate minute buckets (API document, Limits), so a gate has a lane for each. */
export type LaneName = 'read' | 'write';

/** The budget of a lane returns in `waitMs` milliseconds, which is longer than the caller may wait. Never leaves the client. */
export class GateClosed extends Error {
	constructor(readonly waitMs: number) {
		super('the request gate is closed');
	}
}

/** API document, Limits. No promise: a plan may allow more or less, and other processes may have used a part. */
export const REQUESTS_A_MINUTE: Record<LaneName, number> = { read: 120, write: 60 };

// The daily budget returns in hours, but may be raised before: the lane opens now and then for one request.
const MAX_CLOSURE_MS = 15 * 60_000;

/**
 * A queue for the requests of one budget: a few are in flight at a time, and none while the budget is spent. After a 429
 * it is single file until the lane is idle, so that a window ends in one refused request, not in one for each that was
 * in flight. `BudgetWindow` knows what other processes leave of the budget.
 */
class Lane {
	private inFlight = 0;
	private visitors = 0;
	/** Callers that wait for a turn, first come first served. */
	private readonly waiting = new Set<() => void>();
	private closedUntil = 0;
	/** When the budget returns, as the service says. Later than `closedUntil` when that is hours away. */
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
			// A closed lane is not idle: callers that were refused wait outside it.
			if (this.isIdle()) this.singleFile = false;
			// A caller that finds no room would go to the end of the queue.
			if (this.inFlight < this.concurrency()) this.callNext();
		}
	}

	close(ms: number): void {
		const now = this.clock.monotonic();
		// A time that was named before the lane last opened may no longer hold.
		this.spentUntil = Math.max(this.closedUntil > now ? this.spentUntil : 0, now + ms);
		this.closedUntil = Math.max(this.closedUntil, now + Math.min(ms, MAX_CLOSURE_MS));
		this.singleFile = true;
		this.window.refused(ms);
		// Callers in the queue may not wait that long: each finds out, and calls the next.
		this.callNext();
	}

	isIdle(): boolean {
		return this.visitors === 0 && this.closedUntil <= this.clock.monotonic();
	}

	private async enter(maxWaitMs: number, signal?: AbortSignal): Promise<{ heldMs: number; sends: boolean }> {
		let heldMs = 0;
		while (signal?.aborted !== true) {
			const now = this.clock.monotonic();
			const closedFor = this.closedUntil - now;
			if (closedFor > 0 && this.spentUntil - now > maxWaitMs) throw new GateClosed(this.spentUntil - now);
			const holdMs = closedFor > 0 ? closedFor : this.window.yieldsUntil() - now;
			// Only a spent budget ends a call. A window that is left to others holds nobody longer than they may wait.
			if (holdMs > 0 && holdMs <= maxWaitMs) {
				// The next in the queue may not wait that long.
				this.callNext();
				await this.clock.wait(holdMs, signal);
				heldMs += this.clock.monotonic() - now;
			} else if (this.inFlight >= this.concurrency()) await this.turn(signal);
			else break;
		}
		const sends = signal?.aborted !== true;
		if (sends) {
			this.inFlight++;
			this.window.sent();
			// When single file ends, there is room for more than the caller that was called.
			if (this.inFlight < this.concurrency()) this.callNext();
		}
		return { heldMs, sends };
	}

	private concurrency(): number {
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
			// A caller that gave up leaves the queue, or it would take the next caller's turn.
			const giveUp = () => {
				this.waiting.delete(go);
				resolve();
			};
			this.waiting.add(go);
			signal?.addEventListener('abort', giveUp);
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
	 * Runs `work` when it is its turn. Also runs it when `signal` aborts: `work` then has to send nothing, and is not counted.
	 * `heldMs` is how long the budget held it back, in milliseconds; time in the queue is not part of it.
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

	/** Closes the lane for `ms` milliseconds, because a request met a 429. Call it before that request leaves the gate. */
	close(lane: LaneName, ms: number): void {
		this.lanes[lane].close(ms);
	}

	isIdle(): boolean {
		return this.lanes.read.isIdle() && this.lanes.write.isIdle();
	}
}

const gates = new Map<string, RequestGate>();

/** The gate that all nodes in this process share whose requests draw on the same budgets. */
export function gateFor(budgetKey: string, clock: Clock): RequestGate {
	for (const [key, gate] of gates) {
		if (key !== budgetKey && gate.isIdle()) gates.delete(key);
	}
	const gate = gates.get(budgetKey) ?? new RequestGate(clock);
	gates.set(budgetKey, gate);
	return gate;
}
