import type { Call } from '../call';
import { isWrite } from '../call';
import type { Clock } from '../clock';

/** Reads and writes have separate minute buckets (API document, Limits), so a gate has a lane for each. */
export type LaneName = 'read' | 'write';

export function laneOf(call: Call): LaneName {
	return isWrite(call) ? 'write' : 'read';
}

/** The end of a request whose budget returns later than it may wait. */
export interface BudgetTooFar {
	kind: 'stop';
	reason: 'wait';
	/** How long the budget is spent, in milliseconds. */
	spentMs: number;
}

/** API document, Limits. No promise: a plan may allow more or less, and other processes may have used a part. */
export const REQUESTS_A_MINUTE: Record<LaneName, number> = { read: 120, write: 60 };

/** How many requests of a lane run at once: enough to keep a fast service busy, and not one for each of 100 items. */
export const MAX_IN_FLIGHT = 4;

/** How long a lane is single file after it opened: the minute in which the service counts requests (API document, Limits). */
const SINGLE_FILE_MS = 60_000;

/** How long a lane stays closed at most: a daily budget returns in hours, but somebody may raise it before. */
const MAX_CLOSURE_MS = 15 * 60_000;

/**
 * A queue for the requests of one budget. A 429 closes it. A request enters in three steps, and takes them again from the
 * first after each wait, because another request may have met a 429 meanwhile:
 *
 * 1. While the lane is closed, a request that may not wait until the budget returns gives up.
 * 2. While the lane is closed, the others wait until it opens: when the budget returns, or after a quarter of an hour, to
 *    probe whether it was raised.
 * 3. While the lane is full, a request waits for its turn, first come first served. Four fill it; in the minute after it
 *    opened one does, so that a budget that is still spent rejects one request, not four.
 *
 * A cancelled request waits for nothing. Times are on the monotonic clock, in milliseconds.
 */
class Lane {
	private inFlight = 0;
	/** Callers that wait for a turn, first come first served. */
	private readonly waiting = new Set<() => void>();
	private opensAt = -Infinity;
	/** When the budget returns, as the service says. Later than `opensAt` when that is far away. */
	private returnsAt = -Infinity;

	constructor(private readonly clock: Pick<Clock, 'monotonic' | 'wait'>) {}

	async pass<T>(
		work: (heldMs: number) => Promise<T>,
		maxWaitMs: number,
		signal?: AbortSignal,
	): Promise<T | BudgetTooFar> {
		try {
			const heldMs = await this.enter(maxWaitMs, signal);
			if (typeof heldMs !== 'number') return heldMs;
			try {
				return await work(heldMs);
			} finally {
				this.inFlight--;
			}
		} finally {
			this.callNext();
		}
	}

	close(spentMs: number): void {
		const now = this.clock.monotonic();
		// A time that was named before the lane last opened may no longer hold.
		this.returnsAt = Math.max(this.isClosed() ? this.returnsAt : -Infinity, now + spentMs);
		this.opensAt = Math.min(this.returnsAt, now + MAX_CLOSURE_MS);
		// Some of those in the queue may not wait that long.
		for (const call of this.waiting) call();
	}

	/** Whether the lane is no longer single file, and so remembers nothing. */
	hasRecovered(): boolean {
		return this.clock.monotonic() >= this.opensAt + SINGLE_FILE_MS;
	}

	/** Returns how long the lane was closed meanwhile, or gives up. */
	private async enter(maxWaitMs: number, signal?: AbortSignal): Promise<number | BudgetTooFar> {
		let heldMs = 0;
		while (signal?.aborted !== true) {
			if (this.isClosed()) {
				const since = this.clock.monotonic();
				const spentMs = this.returnsAt - since;
				if (spentMs > maxWaitMs) return { kind: 'stop', reason: 'wait', spentMs };
				await this.clock.wait(this.opensAt - since, signal);
				heldMs += this.clock.monotonic() - since;
			} else if (this.isFull()) await this.waitForTurn(signal);
			else break;
		}
		this.inFlight++;
		// When single file ends, there is room for more than the caller that was called.
		this.callNext();
		return heldMs;
	}

	private isClosed(): boolean {
		return this.clock.monotonic() < this.opensAt;
	}

	private isFull(): boolean {
		return this.inFlight >= (this.hasRecovered() ? MAX_IN_FLIGHT : 1);
	}

	private async waitForTurn(signal?: AbortSignal): Promise<void> {
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
		// A caller that finds the lane full would go to the end of the queue.
		if (!this.isFull()) next?.();
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
	 * Runs `work` when it is its turn. When `signal` aborts, it runs `work` at once, which then has to send nothing.
	 * `heldMs` is how long the budget held it back, in milliseconds; time in the queue is not part of it. `work` does not run
	 * when the lane is closed and its budget returns later than `maxWaitMs` from now.
	 */
	async pass<T>(
		lane: LaneName,
		work: (heldMs: number) => Promise<T>,
		maxWaitMs: number,
		signal?: AbortSignal,
	): Promise<T | BudgetTooFar> {
		this.callers++;
		try {
			return await this.lanes[lane].pass(work, maxWaitMs, signal);
		} finally {
			this.callers--;
		}
	}

	/** Closes the lane of a budget that a 429 reports as spent for so long. Call it before that request leaves the gate. */
	close(lane: LaneName, spentMs: number): void {
		this.lanes[lane].close(spentMs);
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
