import type { Response } from '../call';
import { readErrorEnvelope } from '../errors/envelope';

// No budget is further away, and a larger number may be more than a date can hold.
const MAX_WAIT_MS = 365 * 24 * 3_600_000;

/**
 * Reads how long a 429 asks to wait, in milliseconds, or `undefined` when it names no usable time.
 *
 * Source: API document, Errors: the `Retry-After` header carries seconds. HTTP also allows a date, which is measured
 * against the service's own `Date` header where there is one, so that a skewed local clock neither shortens nor
 * prolongs it. `error.retry_after` (seconds, minimum 0) replaces a missing or malformed header. More than a year
 * counts as a year.
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
