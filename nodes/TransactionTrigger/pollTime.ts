import type { IPollFunctions } from 'n8n-workflow';
import type { Clock } from '../shared/service/clock';

// n8n 1.x knows no budget; this is what n8n 2.x gives where it measures none.
const USUAL_BUDGET_MS = 300_000;

// What is left over is for n8n to start the execution and save the state.
const SHARE_OF_BUDGET = 0.8;

// The activation waits for the first poll, and with it the person who clicked.
const FIRST_POLL_MS = 20_000;

// Below this a page is not begun any more.
const SHARE_FOR_ONE_PAGE = 0.1;

/** The time of one poll. */
export class PollTime {
	private readonly deadline: number;
	/** Aborts when the time is up. */
	readonly signal: AbortSignal;

	constructor(
		readonly totalMs: number,
		private readonly clock: Pick<Clock, 'now'>,
	) {
		this.deadline = clock.now() + totalMs;
		this.signal = AbortSignal.timeout(totalMs);
	}

	/** Milliseconds. */
	left(): number {
		return Math.max(0, this.deadline - this.clock.now());
	}

	hasTimeForPage(): boolean {
		return this.left() > this.totalMs * SHARE_FOR_ONE_PAGE;
	}
}

/** How long a poll may take, in milliseconds. */
export function pollTimeMs(functions: IPollFunctions, isFirstPoll: boolean): number {
	// n8n 1.x has no such function, whatever the types of 2.x say.
	const { getPollBudgetMs } = functions as Partial<IPollFunctions>;
	const budgetMs = getPollBudgetMs?.call(functions) ?? USUAL_BUDGET_MS;
	const totalMs = Math.floor(budgetMs * SHARE_OF_BUDGET);
	return isFirstPoll ? Math.min(totalMs, FIRST_POLL_MS) : totalMs;
}
