import { isObject } from '../../isObject';
import type { Outcome, Response } from '../call';
import type { Connection } from '../connection/connection';

// No budget is further away, and a larger number may be more than a date can hold.
const MAX_WAIT_MS = 365 * 24 * 3_600_000;

/** How many characters of the service's text an error shows. */
export const MAX_QUOTE = 500;

/** What an error body says (API document, Errors). A field that is missing or not as documented reads as '' or `undefined`. */
export interface ErrorEnvelope {
	/** Whole: may be megabytes long. */
	message: string;
	requestId: string;
	/** Free-form (Gaps of the errors). */
	fields: unknown;
	/** The wait that `retry_after` names, there in seconds. */
	retryAfterMs: number | undefined;
}

/**
 * Reads the `error` of a response body; a body of any other shape reads as an empty error. The fields are read in place and
 * never spread: a body may be 16 MB, and a text comes apart into a property for each character.
 */
export function readErrorEnvelope(body: unknown): ErrorEnvelope {
	const error = isObject(body) ? body.error : undefined;
	const { message, request_id: requestId, fields, retry_after: seconds } = isObject(error) ? error : {};
	return {
		message: textOrEmpty(message),
		requestId: textOrEmpty(requestId),
		fields,
		retryAfterMs: typeof seconds === 'number' && seconds >= 0 ? seconds * 1_000 : undefined,
	};
}

/** Text of the service, for an error. Redacted before it is cut, or a part of a secret could stay at the end. */
export function quoted(connection: Connection, text: string): string {
	const safe = connection.redact(text);
	return safe.length > MAX_QUOTE ? `${safe.slice(0, MAX_QUOTE)}…` : safe;
}

/** The request id of a response. Source: API document, Conventions (`X-Request-ID`, `error.request_id`). */
export function requestIdOf(outcome: Outcome | undefined): string {
	if (outcome?.kind !== 'response') return '';
	return outcome.headers['x-request-id'] || readErrorEnvelope(outcome.body).requestId;
}

/**
 * How long a response asks to wait, in milliseconds; `undefined` when it names no usable time. The `Retry-After` header
 * carries seconds, and `error.retry_after` (seconds, minimum 0) replaces a missing or malformed one (API document, Errors).
 * A date, which HTTP allows, is measured against the service's own `Date` header where there is one, so that a skewed local
 * clock neither shortens nor prolongs it.
 */
export function readRetryAfter({ headers, body }: Response, now: number): number | undefined {
	const waitMs = fromHeader(headers['retry-after'], headers.date, now) ?? readErrorEnvelope(body).retryAfterMs;
	return waitMs === undefined ? undefined : Math.min(waitMs, MAX_WAIT_MS);
}

function fromHeader(value: string | undefined, date: string | undefined, now: number): number | undefined {
	if (value === undefined) return undefined;
	const text = value.trim();
	if (/^\d+$/.test(text)) return Number(text) * 1_000;
	// Date.parse takes almost anything for a date ("-5" is the year 2001): only the shape that HTTP prescribes counts.
	if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) return undefined;
	const until = Date.parse(text);
	if (Number.isNaN(until)) return undefined;
	const serviceNow = Date.parse(date ?? '');
	return Math.max(0, until - (Number.isNaN(serviceNow) ? now : serviceNow));
}

function textOrEmpty(value: unknown): string {
	return typeof value === 'string' ? value : '';
}
