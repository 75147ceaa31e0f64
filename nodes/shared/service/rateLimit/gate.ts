import type { Clock } from '../clock';

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

/** Concurrency: a few at once keep a fast service busy without letting 100 items open 100 connections. */
export const MAX_IN_FLIGHT = 4;

/** The minute in which the service counts requests (API document, Limits). */
const WINDOW_MS = 60_000;

// The daily budget returns in hours, but may be raised before: the lane opens now and then for one request.
const MAX_CLOSURE_MS = 15 * 60_000;

/**
 * A queue for the requests of one budget. Four are in flight at a time. A 429 closes the lane until the budget returns;
 * until a minute has then passed without another 429 it is single file, so that a spent budget rejects one request, not
 * four. Times are on the monotonic clock, in milliseconds.
 */
class Lane {
	private inFlight = 0;
	/** Callers that wait for a turn, first come first served. */
	private readonly waiting = new Set<() => void>();
	private opensAt = -Infinity;
	/** When the budget returns, as the service says. Later than `opensAt` when that is hours away. */
	private resetsAt = -Infinity;

	constructor(private readonly clock: Pick<Clock, 'monotonic' | 'wait'>) {}

	async pass<T>(work: (heldMs: number) => Promise<T>, maxWaitMs: number, signal?: AbortSignal): Promise<T> {
		try {
			const heldMs = await this.enter(maxWaitMs, signal);
			try {
				return await work(heldMs);
			} finally {
				this.inFlight--;
			}
		} finally {
			this.callNext();
		}
	}

	close(ms: number): void {
		const now = this.clock.monotonic();
		// A time that was named before the lane last opened may no longer hold.
		this.resetsAt = Math.max(this.isOpen() ? -Infinity : this.resetsAt, now + ms);
		this.opensAt = Math.min(this.resetsAt, now + MAX_CLOSURE_MS);
		// Some of those in the queue may not wait that long.
		for (const call of this.waiting) call();
	}

	/** Whether a minute has passed since the last closure: four in flight again, and nothing to remember. */
	hasRecovered(): boolean {
		return this.clock.monotonic() >= this.opensAt + WINDOW_MS;
	}

	private isOpen(): boolean {
		return this.clock.monotonic() >= this.opensAt;
	}

	private hasRoom(): boolean {
		return this.inFlight < (this.hasRecovered() ? MAX_IN_FLIGHT : 1);
	}

	/** Waits while the lane is closed, and then for a turn. Returns how long it was closed. */
	private async enter(maxWaitMs: number, signal?: AbortSignal): Promise<number> {
		let heldMs = 0;
		while (signal?.aborted !== true) {
			if (!this.isOpen()) heldMs += await this.opening(maxWaitMs, signal);
			else if (!this.hasRoom()) await this.turn(signal);
			else break;
		}
		this.inFlight++;
		// When single file ends, there is room for more than the caller that was called.
		this.callNext();
		return heldMs;
	}

	private async opening(maxWaitMs: number, signal?: AbortSignal): Promise<number> {
		const now = this.clock.monotonic();
		if (this.resetsAt - now > maxWaitMs) throw new GateClosed(this.resetsAt - now);
		await this.clock.wait(this.opensAt - now, signal);
		return this.clock.monotonic() - now;
	}

	private async turn(signal?: AbortSignal): Promise<void> {
		await new Promise<void>((resolve) => {
			const go = () => {
				this.waiting.delete(go);
				signal?.removeEventListener('abort', go);
				resolve();
			};
			this.waiting.add(go);
			signal?.addEventListener('abort', go);
		});
	}

	private callNext(): void {
		const [next] = this.waiting;
		// Without room it would go to the end of the queue.
		if (this.hasRoom()) next?.();
	}
}

/** The request gate of one credential and base URL. */
export class RequestGate {
	private callers = 0;
	private readonly lanes: Record<LaneName, Lane>;

	constructor(clock: Pick<Clock, 'monotonic' | 'wait'>) {
		this.lanes = { read: new Lane(clock), write: new Lane(clock) };
	}

	/**
	 * Runs `work` when it is its turn. Also runs it, at once, when `signal` aborts: `work` then has to send nothing.
	 * `heldMs` is how long the budget held it back, in milliseconds; time in the queue is not part of it.
	 * @throws GateClosed when the lane is closed and its budget returns later than `maxWaitMs` from now.
	 */
	async pass<T>(
		lane: LaneName,
		work: (heldMs: number) => Promise<T>,
		maxWaitMs: number,
		signal?: AbortSignal,
	): Promise<T> {
		this.callers++;
		try {
			return await this.lanes[lane].pass(work, maxWaitMs, signal);
		} finally {
			this.callers--;
		}
	}

	/** Closes the lane for `ms` milliseconds, because a request met a 429. Call it before that request leaves the gate. */
	close(lane: LaneName, ms: number): void {
		this.lanes[lane].close(ms);
	}

	/** Whether a new gate would do the same as this one: nobody is in it, and no 429 is remembered. */
	isLikeNew(): boolean {
		return this.callers === 0 && this.lanes.read.hasRecovered() && this.lanes.write.hasRecovered();
	}
}

const gates = new Map<string, RequestGate>();

/** The gate that all nodes in this process share whose requests draw on the same budgets. */
export function gateFor(budgetKey: string, clock: Clock): RequestGate {
	forgetOne();
	const gate = gates.get(budgetKey) ?? new RequestGate(clock);
	gates.set(budgetKey, gate);
	return gate;
}

/** Looks at one gate, in turn: a call that adds a gate may remove one, and costs the same however many there are. */
function forgetOne(): void {
	for (const [key, gate] of gates) {
		gates.delete(key);
		if (!gate.isLikeNew()) gates.set(key, gate);
		return;
	}
}
