import type { Answer, Call, Response } from './call';
import { isWrite } from './call';
import type { Clock } from './clock';
import { readRetryAfter } from './retryAfter';

/** How long and how often a node may repeat a request; set by the user under Options. */
export interface RetrySettings {
	/** Sendings of one request in all, the first included. */
	maxAttempts: number;
	/** The longest wait for a request budget, in milliseconds. */
	maxWaitMs: number;
	/** The longest wait for one answer, in milliseconds. */
	timeoutMs: number;
}

export type Step =
	| { kind: 'accept'; response: Response }
	/** Send the same call again after `waitMs`; `budgetSpent` says that this holds for every call of the credential. */
	| { kind: 'repeat'; waitMs: number; budgetSpent: boolean }
	| { kind: 'stop'; reason: 'final' | 'attempts' }
	/** The service named a time too far away; `waitMs` from now the budget returns. */
	| { kind: 'stop'; reason: 'wait'; waitMs: number };

const BACKOFF_BASE_MS = 1_000;
const BACKOFF_CAP_MS = 30_000;

// Repeating cannot mend an address, a certificate or a cancellation.
const HOPELESS_FAILURES =
	/^(ERR_CANCELED|ERR_INVALID_URL|ERR_BAD_OPTION.*|ERR_TLS_.*|CERT_.*|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_.*|EPROTO)$/;

/** Whether repeating cannot mend a failure, by the code of it. */
export function isHopeless(code: string): boolean {
	return HOPELESS_FAILURES.test(code);
}

/** Whether the code of a failure says that the host name was not found: there is none, or nobody could look it up. */
export function isUnknownHost(code: string): boolean {
	return code === 'ENOTFOUND' || code === 'EAI_AGAIN';
}

/** Exponential backoff with full jitter: anything from 0 to 1 s, 2 s, 4 s, … up to 30 s, in milliseconds. */
export function backoff(attempt: number, random: number): number {
	return random * Math.min(BACKOFF_CAP_MS, BACKOFF_BASE_MS * 2 ** (attempt - 1));
}

/**
 * What to do with an answer. `attempt` counts from 1.
 * Source: API document, Errors, "Client handling rules"; Idempotency (409 while the same keyed request runs).
 */
export function nextStep(
	call: Call,
	answer: Answer,
	attempt: number,
	settings: RetrySettings,
	clock: Pick<Clock, 'now' | 'random'>,
): Step {
	if (answer.kind === 'response' && answer.status === 429) return afterRefusal(answer, attempt, settings, clock);
	if (answer.kind === 'response' && isUsable(call, answer)) return { kind: 'accept', response: answer };
	if (!isWorthRepeating(call, answer)) return { kind: 'stop', reason: 'final' };
	if (attempt >= settings.maxAttempts) return { kind: 'stop', reason: 'attempts' };
	return { kind: 'repeat', waitMs: backoff(attempt, clock.random()), budgetSpent: false };
}

function afterRefusal(
	response: Response,
	attempt: number,
	settings: RetrySettings,
	clock: Pick<Clock, 'now' | 'random'>,
): Step {
	// Never jittered below what the service named: an earlier repeat would only be refused again. A named time of 0 comes
	// from rounding down; without a backoff all attempts would be spent in the same moment.
	const waitMs = readRetryAfter(response.headers, response.body, clock.now()) || backoff(attempt, clock.random());
	if (waitMs > settings.maxWaitMs) return { kind: 'stop', reason: 'wait', waitMs };
	if (attempt >= settings.maxAttempts) return { kind: 'stop', reason: 'attempts' };
	return { kind: 'repeat', waitMs, budgetSpent: true };
}

function isSuccess(response: Response): boolean {
	return response.status >= 200 && response.status < 300;
}

function isUsable(call: Call, response: Response): boolean {
	if (!isSuccess(response) || response.garbled) return false;
	// A write may be answered without a body (API document, Gaps of the endpoints); a read without one is no answer.
	return isWrite(call) || response.body !== undefined;
}

function isWorthRepeating(call: Call, answer: Answer): boolean {
	if (answer.kind === 'failure') return !isHopeless(answer.code);
	if (isSuccess(answer)) return true; // unusable: truncated on the way, or a proxy's page
	if (answer.status >= 500) return true;
	return answer.status === 409 && isWrite(call); // the first sending may still be running
}
