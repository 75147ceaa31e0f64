import type { Clock } from '../clock';
import type { RetrySettings } from '../context';
import type { End } from '../retryPolicy';

/** The longest wait of a request. It shrinks with the time of a poll. */
type Patience = Pick<RetrySettings, 'maxWaitMs'>;

/** Reads and writes have separate rate limits for a minute (API document, Limits), so each rate limit key has two lanes. */
export type LaneName = 'read' | 'write';

/** The documented rate limits (API document, Limits). A plan may allow more or less, and other processes may use a part. */
export const REQUESTS_A_MINUTE: Record<LaneName, number> = { read: 120, write: 60 };

/** The maximum number of requests in a lane: enough to keep a fast service busy, and not one for each of 100 items. */
export const MAX_IN_FLIGHT = 4;

/** The time that a lane is single file after a closure: the minute for which the service counts (API document, Limits). */
const SINGLE_FILE_MS = 60_000;

/** The longest closure of a lane. A daily rate limit resets in hours, but somebody may raise it before. */
const MAX_CLOSURE_MS = 15 * 60_000;

interface Turn {
	begunAt: number;
	go(): void;
}

/**
 * A queue for the requests of one rate limit. Each runs its work in turn, or gives up. A 429 closes the lane. A request enters in
 * three steps, and starts again at the first after each wait, because another request may have met a 429 meanwhile:
 *
 * 1. While the lane is closed, a request gives up if it may not wait until the rate limit resets.
 * 2. While the lane is closed, the others wait until `opensAt`: when the rate limit resets, or a quarter of an hour after the
 *    lane closed, to probe whether the limit was raised.
 * 3. While the lane is full, a request waits for its turn. The one that began first is the next, also after a closure: timers
 *    wake in any order. Four requests fill the lane. In the minute after a closure one fills it, so that a limit that is still
 *    exceeded rejects one request, not four.
 *
 * Times are on the monotonic clock, in milliseconds.
 */
export class Lane {
	private inFlight = 0;
	/** The requests that wait for their turn. The one that began first is the first. */
	private readonly queue: Turn[] = [];
	/** The number of requests that wait or are in flight. */
	private requests = 0;
	private opensAt = -Infinity;
	/** The time when the rate limit resets, as the service says. */
	private resetsAt = -Infinity;

	constructor(private readonly clock: Pick<Clock, 'monotonic' | 'wait'>) {}

	/**
	 * Runs `work` in turn, unless the request gives up or `signal` aborts first. The rate limit held it back for `heldMs`; the time
	 * in the queue does not count. A retry keeps its place by `begunAt`, when its first attempt began.
	 */
	async pass<T>(
		work: (heldMs: number) => Promise<T>,
		patience: Patience,
		begunAt: number,
		signal?: AbortSignal,
	): Promise<T | End> {
		this.requests++;
		try {
			const heldMs = await this.enter(begunAt, patience, signal);
			if (typeof heldMs !== 'number') return heldMs;
			try {
				return signal?.aborted === true ? { kind: 'cancelled' } : await work(heldMs);
			} finally {
				this.inFlight--;
			}
		} finally {
			this.requests--;
			this.wakeNext();
		}
	}

	/** Closes the lane after a 429. Call this before the rejected request leaves the lane. */
	close(resetsInMs: number): void {
		const now = this.clock.monotonic();
		// The time of an earlier closure may no longer hold.
		this.resetsAt = Math.max(this.isClosed() ? this.resetsAt : -Infinity, now + resetsInMs);
		this.opensAt = Math.min(this.resetsAt, now + MAX_CLOSURE_MS);
		// Some requests in the queue may not wait that long.
		for (const { go } of [...this.queue]) go();
	}

	/** Whether this lane does the same as a new one: no request is in it, and it remembers no 429. */
	isLikeNew(): boolean {
		return this.requests === 0 && !this.isSingleFile();
	}

	/** Waits until the request may run. Returns the milliseconds that the rate limit held it back, or the end if it gives up. */
	private async enter(begunAt: number, patience: Patience, signal?: AbortSignal): Promise<number | End> {
		let heldMs = 0;
		while (signal?.aborted !== true) {
			if (this.isClosed()) {
				const since = this.clock.monotonic();
				const resetsInMs = this.resetsAt - since;
				// 1.
				if (resetsInMs > patience.maxWaitMs) return { kind: 'too late', resetsInMs };
				// 2.
				await this.clock.wait(this.opensAt - since, signal);
				heldMs += this.clock.monotonic() - since;
			} else if (this.isFull()) {
				// 3.
				await this.waitForTurn(begunAt, signal);
			} else break;
		}
		this.inFlight++;
		// When single file ends, the lane has room for more requests than the one that was woken.
		this.wakeNext();
		return heldMs;
	}

	private isClosed(): boolean {
		return this.clock.monotonic() < this.opensAt;
	}

	private isFull(): boolean {
		return this.inFlight >= (this.isSingleFile() ? 1 : MAX_IN_FLIGHT);
	}

	private isSingleFile(): boolean {
		return this.clock.monotonic() < this.opensAt + SINGLE_FILE_MS;
	}

	private async waitForTurn(begunAt: number, signal?: AbortSignal): Promise<void> {
		const over = new AbortController();
		await new Promise<void>((resolve) => {
			const go = () => {
				this.queue.splice(this.queue.indexOf(turn), 1);
				signal?.removeEventListener('abort', go);
				over.abort();
				resolve();
			};
			const turn = { begunAt, go };
			this.queue.splice(this.queue.findLastIndex((one) => one.begunAt <= begunAt) + 1, 0, turn);
			signal?.addEventListener('abort', go);
			void this.wakeAfterSingleFile(turn, over.signal);
		});
	}

	/** Wakes the first request of the queue when single file ends: the request in flight may take much longer. */
	private async wakeAfterSingleFile(own: Turn, over: AbortSignal): Promise<void> {
		if (!this.isSingleFile()) return;
		await this.clock.wait(this.opensAt + SINGLE_FILE_MS - this.clock.monotonic(), over);
		if (this.queue[0] === own) this.wakeNext();
	}

	private wakeNext(): void {
		if (!this.isFull()) this.queue[0]?.go();
	}
}
