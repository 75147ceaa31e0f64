import type { Call, NoResponse, Outcome, Recovers, Response } from './call';
import { isSuccess, isWrite, lackingIn } from './call';
import type { Situation } from './context';

/** The step after an attempt, or in place of one. After a 429 its lane closes for `resetsInMs`. */
export type Step =
	{ kind: 'accept'; response: Response } | { kind: 'retry'; waitMs: number; resetsInMs?: number } | End;

export type End =
	| { kind: 'stop'; outcome: Outcome; resetsInMs?: number }
	/** The rate limit resets later than the request may wait. `outcome` is the 429, if this request got one. */
	| { kind: 'too late'; resetsInMs: number; outcome?: Response }
	/** `problem` completes "It is not as documented: …". A lost response may be the reason if `mayLackPage`. */
	| { kind: 'not as documented'; outcome: Response; problem: string; mayLackPage?: boolean }
	| { kind: 'cancelled' };

const BACKOFF_BASE_MS = 1_000;
const MAX_BACKOFF_MS = 30_000;

/** Returns a backoff with full jitter, in milliseconds: up to 1 s, 2 s, 4 s, … 30 s. @param random in [0, 1). */
export function backoff(attempt: number, random: number): number {
	return random * Math.min(MAX_BACKOFF_MS, BACKOFF_BASE_MS * 2 ** (attempt - 1));
}

type Attempted = Pick<Situation, 'call' | 'page' | 'attempts' | 'retry' | 'clock'>;

/**
 * README.md has the outcomes. A 409 to a write is retried, because its first attempt may still be running (API document,
 * Conventions; for the others Errors, "Client handling rules").
 */
export function nextStep(situation: Attempted, outcome: Outcome): Step {
	const { call, page, attempts, retry, clock } = situation;
	if (outcome.kind === 'response' && outcome.status === 429) return after429(situation, outcome);
	const last = lastStep(call, outcome);
	if (last.kind === 'accept') return last;
	// A failed attempt may have taken this page. A retry would get the next one.
	if (page?.comesOnce === true) return last;
	if (!isRetryable(call, outcome)) return last;
	if (attempts >= retry.maxAttempts) return last;
	return { kind: 'retry', waitMs: backoff(attempts, clock.random()) };
}

function after429({ attempts, retry, clock }: Attempted, outcome: Response): Step {
	// The wait that the service names has no jitter: an earlier retry would be rejected again.
	const { retryAfterMs } = outcome;
	const resetsInMs = retryAfterMs ?? backoff(attempts, clock.random());
	const isTooLong = resetsInMs > retry.maxWaitMs;
	if (isTooLong && retryAfterMs !== undefined) return { kind: 'too late', resetsInMs, outcome };
	if (isTooLong || attempts >= retry.maxAttempts) return { kind: 'stop', outcome, resetsInMs };
	return { kind: 'retry', waitMs: resetsInMs, resetsInMs };
}

/** Returns the step after an outcome if there is no further attempt: the response, or the end of the request. */
function lastStep(call: Call, outcome: Outcome): Step {
	if (outcome.kind !== 'response' || !isReadable(call, outcome)) return { kind: 'stop', outcome };
	const lacking = lackingIn(call, outcome);
	if (lacking !== undefined) return { kind: 'not as documented', outcome, problem: `it has no "${lacking}"` };
	// What a write returns is a gap, but an error's message in it means a failure (API document, Errors).
	const hasError = isWrite(call) && outcome.message !== '';
	return hasError
		? { kind: 'not as documented', outcome, problem: 'it has an error' }
		: { kind: 'accept', response: outcome };
}

function isReadable(call: Call, response: Response): boolean {
	if (!isSuccess(response) || response.unusable !== undefined) return false;
	// The response to a write may have no body (API document, Endpoints, Gaps); a read without a body is unusable.
	return isWrite(call) || response.body !== undefined;
}

function isRetryable(call: Call, outcome: Outcome): boolean {
	if (outcome.kind === 'unsent') return false;
	return recoversOf(outcome) !== 'no' || (outcome.kind === 'response' && outcome.status === 409 && isWrite(call));
}

/** Whether a failed request may succeed later without help. A wrong key, scope, address or certificate needs help. */
export function recoversOf(outcome: Response | NoResponse): Recovers {
	if (outcome.kind === 'no response') return outcome.recovers;
	const { status, unusable } = outcome;
	if (status === 429 || status >= 500) return 'yes';
	// An unusable success may also be a proxy's page or JSON.
	const mayBeCutOff = unusable === undefined || unusable === 'was cut off or not JSON';
	return isSuccess(outcome) && mayBeCutOff ? 'not at first' : 'no';
}
