import { isObject } from '../../isObject';
import type { Response } from '../call';

// No rate limit resets later than in a year. A Date cannot hold much larger numbers.
const MAX_WAIT_MS = 365 * 24 * 3_600_000;

/**
 * Reads the facts of a response from its headers (names in lower case), or else from the `error` of its body (API document,
 * Errors; Conventions, `X-Request-ID`). What is not as documented is absent or empty. The body is never spread: a text of 16 MB
 * would become one property per character.
 * @param now milliseconds since the epoch, for a `Retry-After` that is a date.
 */
export function readFacts(
	body: unknown,
	headers: Response['headers'] = {},
	now = 0,
): Pick<Response, 'requestId' | 'retryAfterMs' | 'message' | 'fields'> {
	const { message, request_id: requestId, fields, retry_after: seconds } = errorIn(body);
	const waitMs = readRetryAfter(headers, now) ?? (typeof seconds === 'number' ? seconds * 1_000 : 0);
	return {
		requestId: headers['x-request-id'] || textOrEmpty(requestId),
		message: textOrEmpty(message),
		fields,
		...(waitMs > 0 && { retryAfterMs: Math.min(waitMs, MAX_WAIT_MS) }),
	};
}

/** Returns the `error` of a body in the form of the service (API document, Errors); empty for another body. */
export function errorIn(body: unknown): Record<string, unknown> {
	return isObject(body) && isObject(body.error) ? body.error : {};
}

/**
 * Returns the milliseconds of a `Retry-After` header: seconds (API document, Errors) or a date, as HTTP allows. A date counts
 * from the service's own `Date`, so that a wrong local clock does not matter.
 */
function readRetryAfter({ 'retry-after': value, date = '' }: Response['headers'], now: number): number | undefined {
	const text = value?.trim() ?? '';
	if (/^\d+$/.test(text)) return Number(text) * 1_000;
	// Date.parse takes almost anything for a date ("-5" is the year 2001), so the text must have the shape that HTTP prescribes.
	if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) return undefined;
	const until = Date.parse(text);
	if (Number.isNaN(until)) return undefined;
	const serviceNow = Date.parse(date);
	return Math.max(0, until - (Number.isNaN(serviceNow) ? now : serviceNow));
}

function textOrEmpty(value: unknown): string {
	return typeof value === 'string' ? value : '';
}
