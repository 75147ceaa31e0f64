import type { Outcome, Call, Response } from '../call';
import { isSuccess, isWrite } from '../call';
import type { Clock } from '../clock';
import { networkFailure } from '../errors/failures';
import type { BudgetTooFar } from '../rateLimit/gate';
import { readRetryAfter } from './retryAfter';

/** How often and how long a node retries a request. Set by the user under Options. */
export interface RetrySettings {
	/** Attempts for one request, the first included. */
	maxAttempts: number;
	/** The longest wait for a request budget, in milliseconds. */
	maxWaitMs: number;
	/** The longest wait for one response, in milliseconds. */
	timeoutMs: number;
}

/** What follows an attempt. `spentMs` comes with every 429: the other requests of the lane wait as long for the budget. */
export type Step =
	| { kind: 'accept'; response: Response }
	| { kind: 'retry'; waitMs: number; spentMs?: number }
	| { kind: 'stop'; outcome: Outcome; spentMs?: number }
	| BudgetTooFar;

const BACKOFF_BASE_MS = 1_000;
const BACKOFF_CAP_MS = 30_000;

/** Exponential backoff with full jitter, in milliseconds: from 0 to 1 s, 2 s, 4 s, … up to 30 s. `random` is in [0, 1). */
export function backoff(attempt: number, random: number): number {
	return random * Math.min(BACKOFF_CAP_MS, BACKOFF_BASE_MS * 2 ** (attempt - 1));
}

/** What decides on a retry besides the outcome. */
interface RetryLimits {
	retry: RetrySettings;
	clock: Pick<Clock, 'now' | 'random'>;
	/** See RequestContext. */
	once?: boolean;
}

/**
 * What to do after an attempt; `attempt` counts from 1.
 * Source: API document, Errors, "Client handling rules"; Idempotency (409 while the same keyed request runs).
 */
export function nextStep(call: Call, outcome: Outcome, attempt: number, limits: RetryLimits): Step {
	const { retry, clock, once = false } = limits;
	if (outcome.kind === 'response' && outcome.status === 429) return after429(outcome, attempt, limits);
	if (outcome.kind === 'response' && isUsable(call, outcome)) return { kind: 'accept', response: outcome };
	if (once || !isRetryable(call, outcome) || attempt >= retry.maxAttempts) return { kind: 'stop', outcome };
	return { kind: 'retry', waitMs: backoff(attempt, clock.random()) };
}

function after429(outcome: Response, attempt: number, { retry, clock }: RetryLimits): Step {
	// Never jittered below the time that the service names: an earlier retry would only be rejected again. A named time of 0
	// comes from rounding down; without a backoff all attempts would be made at the same moment.
	const spentMs = readRetryAfter(outcome.headers, outcome.body, clock.now()) || backoff(attempt, clock.random());
	if (spentMs > retry.maxWaitMs) return { kind: 'too far', spentMs, outcome };
	if (attempt >= retry.maxAttempts) return { kind: 'stop', outcome, spentMs };
	return { kind: 'retry', waitMs: spentMs, spentMs };
}

function isUsable(call: Call, response: Response): boolean {
	if (!isSuccess(response) || response.problem !== undefined) return false;
	// The response to a write may have no body (API document, Gaps of the endpoints); a read without one is unusable.
	return isWrite(call) || response.body !== undefined;
}

function isRetryable(call: Call, outcome: Outcome): boolean {
	if (outcome.kind === 'unsent') return false;
	if (outcome.kind === 'failure') return networkFailure(outcome.code).retryable;
	if (isSuccess(outcome)) return true; // unusable: truncated, or a proxy's page
	if (outcome.status >= 500) return true;
	return outcome.status === 409 && isWrite(call); // the first attempt may still be running
}
