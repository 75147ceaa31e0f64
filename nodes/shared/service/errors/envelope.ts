import type { Outcome } from '../call';
import { isObject } from '../call';

/** How many characters of the service's text an error shows. */
export const MAX_QUOTE = 500;

/**
 * What an error body says. Source: API document, Errors. A field that is missing or not as documented reads as ''
 * (texts) or `undefined`.
 */
export interface ErrorEnvelope {
	/** Whole: may be megabytes long. */
	message: string;
	requestId: string;
	/** Free-form (Gaps of the errors). */
	fields: unknown;
	/** From `retry_after`, in seconds. */
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

/** The request id of a response. Source: API document, Conventions (`X-Request-ID`, `error.request_id`). */
export function requestIdOf(outcome: Outcome | undefined): string {
	if (outcome?.kind !== 'response') return '';
	return outcome.headers['x-request-id'] || readErrorEnvelope(outcome.body).requestId;
}

function textOrEmpty(value: unknown): string {
	return typeof value === 'string' ? value : '';
}
