import type { Outcome, Call, Response } from '../call';
import { isSuccess, isWrite } from '../call';
import type { Clock } from '../clock';
import { networkFailure } from '../errors/failures';
import type { SpentBudget } from '../rateLimit/gate';
import { laneOf } from '../rateLimit/gate';
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

export type Step =
	| { kind: 'accept'; response: Response }
	/** `spent` comes with every 429: the other requests of the lane have to wait, too. */
	| { kind: 'retry'; waitMs: number; spent?: SpentBudget }
	| { kind: 'stop'; reason: 'final' | 'attempts'; spent?: SpentBudget }
	/** The budget returns later than `maxWaitMs` allows. */
	| { kind: 'stop'; reason: 'wait'; spent: SpentBudget };

const BACKOFF_BASE_MS = 1_000;
const BACKOFF_CAP_MS = 30_000;

/** Exponential backoff with full jitter, in milliseconds: from 0 to 1 s, 2 s, 4 s, … up to 30 s. `random` is in [0, 1). */
export function backoff(attempt: number, random: number): number {
	return random * Math.min(BACKOFF_CAP_MS, BACKOFF_BASE_MS * 2 ** (attempt - 1));
}

/**
 * What to do after an attempt; `attempt` counts from 1.
 * Source: API document, Errors, "Client handling rules"; Idempotency (409 while the same keyed request runs).
 */
export function nextStep(
	call: Call,
	outcome: Outcome,
	attempt: number,
	settings: RetrySettings,
	clock: Pick<Clock, 'now' | 'random'>,
): Step {
	if (outcome.kind === 'response' && outcome.status === 429) return after429(call, outcome, attempt, settings, clock);
	if (outcome.kind === 'response' && isUsable(call, outcome)) return { kind: 'accept', response: outcome };
	if (!isRetryable(call, outcome)) return { kind: 'stop', reason: 'final' };
	if (attempt >= settings.maxAttempts) return { kind: 'stop', reason: 'attempts' };
	return { kind: 'retry', waitMs: backoff(attempt, clock.random()) };
}

function after429(
	call: Call,
	response: Response,
	attempt: number,
	settings: RetrySettings,
	clock: Pick<Clock, 'now' | 'random'>,
): Step {
	// Never jittered below the time that the service names: an earlier retry would only be rejected again. A named time of 0
	// comes from rounding down; without a backoff all attempts would be made at the same moment.
	const waitMs = readRetryAfter(response.headers, response.body, clock.now()) || backoff(attempt, clock.random());
	const spent = { lane: laneOf(call), waitMs };
	if (waitMs > settings.maxWaitMs) return { kind: 'stop', reason: 'wait', spent };
	if (attempt >= settings.maxAttempts) return { kind: 'stop', reason: 'attempts', spent };
	return { kind: 'retry', waitMs, spent };
}

function isUsable(call: Call, response: Response): boolean {
	if (!isSuccess(response) || response.garbled) return false;
	// The response to a write may have no body (API document, Gaps of the endpoints); a read without one is unusable.
	return isWrite(call) || response.body !== undefined;
}

function isRetryable(call: Call, outcome: Outcome): boolean {
	if (call.once === true || outcome.kind === 'unsent') return false;
	if (outcome.kind === 'failure') return networkFailure(outcome.code).retryable;
	if (isSuccess(outcome)) return true; // unusable: truncated, or a proxy's page
	if (outcome.status >= 500) return true;
	return outcome.status === 409 && isWrite(call); // the first attempt may still be running
}
