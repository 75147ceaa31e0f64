import type { IPollFunctions } from 'n8n-workflow';
import type { Clock } from '../../service/clock';
import { systemClock } from '../../service/clock';
import type { RetrySettings } from '../../service/context';

// What n8n 2.x reports for a poll that it does not time. n8n 1.x has no time limit.
const UNMEASURED_BUDGET_MS = 300_000;

// n8n needs the rest of the time to start the execution and save the state.
const SHARE_OF_BUDGET = 0.8;

// A user may wait for the poll (`isAwaited` in core/occasion.ts).
const AWAITED_POLL_MS = 20_000;

// An activation must not hang on a busy service. Full jitter and n8n's own backoff do the rest.
const AWAITED: RetrySettings = { maxAttempts: 3, maxWaitMs: 5_000, timeoutMs: 10_000 };

// A poll with less time left requests no further page.
const SHARE_FOR_ONE_PAGE = 0.1;

/** The time limit of one poll and of its requests. n8n abandons a poll that takes too long, with all that it has read. */
export class PollTime {
	readonly totalMs: number;
	private readonly deadline: number;
	readonly signal: AbortSignal;

	constructor(
		functions: IPollFunctions,
		private readonly isAwaited: boolean,
		private readonly chosen: RetrySettings,
		private readonly clock: Pick<Clock, 'monotonic'> = systemClock,
	) {
		const totalMs = Math.floor(budgetMsOf(functions) * SHARE_OF_BUDGET);
		this.totalMs = isAwaited ? Math.min(totalMs, AWAITED_POLL_MS) : totalMs;
		this.deadline = clock.monotonic() + this.totalMs;
		this.signal = AbortSignal.timeout(this.totalMs);
	}

	/** Returns the retry settings for one page. No wait outlasts the poll. With `isImpatient` it is as short as in an awaited poll. */
	retry(isImpatient: boolean): RetrySettings {
		const left = () => this.left();
		const { maxAttempts, maxWaitMs, timeoutMs } = this.isAwaited || isImpatient ? impatient(this.chosen) : this.chosen;
		return {
			maxAttempts,
			// These are getters, because a page may take several attempts and the time left shrinks.
			get maxWaitMs() {
				return Math.min(maxWaitMs, left());
			},
			get timeoutMs() {
				return Math.max(1, Math.min(timeoutMs, left()));
			},
		};
	}

	hasTimeForPage(): boolean {
		return this.left() > this.totalMs * SHARE_FOR_ONE_PAGE;
	}

	/** Returns the milliseconds left, rounded up: a timeout below 1 would mean none. */
	private left(): number {
		return Math.max(0, Math.ceil(this.deadline - this.clock.monotonic()));
	}
}

export function isTimed(functions: IPollFunctions): boolean {
	return budgetMsOf(functions) !== UNMEASURED_BUDGET_MS;
}

/** Returns n8n's time limit for a poll, in milliseconds. */
export function budgetMsOf(functions: IPollFunctions): number {
	// The types are those of 2.x; n8n 1.x has no such function.
	const { getPollBudgetMs } = functions as Partial<IPollFunctions>;
	return getPollBudgetMs?.call(functions) ?? UNMEASURED_BUDGET_MS;
}

/** Returns the retry settings for what a person or an activation waits for, and for the census. */
export function impatient({ maxAttempts, maxWaitMs, timeoutMs }: RetrySettings): RetrySettings {
	return {
		maxAttempts: Math.min(maxAttempts, AWAITED.maxAttempts),
		maxWaitMs: Math.min(maxWaitMs, AWAITED.maxWaitMs),
		timeoutMs: Math.min(timeoutMs, AWAITED.timeoutMs),
	};
}
