import type { ServiceError } from './serviceError.ts';
import type { AllSwitches } from './switches.ts';
import type { WireResponse } from './wire.ts';

// Source: API document, Errors.
const TYPES: Record<number, string> = {
	400: 'invalid_request',
	401: 'unauthenticated',
	403: 'forbidden',
	404: 'not_found',
	409: 'conflict',
	429: 'rate_limited',
};
const HTML = '<!doctype html><html><head><title>502 Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>';

/** The error envelope (API document, Errors), before a switch breaks its form. */
interface ErrorBody {
	error: { type: string; message: string; request_id: string; fields?: object; retry_after?: number };
}

/** What a scripted fault says differently: its own type and headers. */
export interface ErrorOverrides {
	type?: string | undefined;
	headers?: Record<string, string> | undefined;
}

/** Returns the envelope of an error under the switches. */
export function errorBody(
	error: ServiceError,
	requestId: string,
	switches: AllSwitches,
	{ type }: ErrorOverrides = {},
): ErrorBody {
	return {
		error: {
			type: type ?? typeOf(error.status, switches['error-type-style']),
			message: error.message,
			request_id: requestId,
			...fieldsOf(error.fields, switches['error-fields-shape']),
			...(error.wait !== undefined &&
				switches['retry-after-body'] === 'present' && { retry_after: secondsOf(error.wait) }),
		},
	};
}

/** Headers as the document has them, before a switch breaks them. */
export function errorHeaders(error: ServiceError): Record<string, string> {
	if (error.status === 401) return { 'www-authenticate': 'Bearer' };
	return error.wait === undefined ? {} : { 'retry-after': String(secondsOf(error.wait)) };
}

/** Returns the bytes of an error under the switches. @param now milliseconds on the clock that the Date header shows. */
export function errorOnWire(
	error: ServiceError,
	body: ErrorBody,
	switches: AllSwitches,
	now: number,
	{ headers }: ErrorOverrides = {},
): WireResponse {
	const { status } = error;
	const sent = { ...styledRetryAfter(errorHeaders(error), switches['retry-after-style'], now), ...headers };
	const style =
		status >= 500 ? switches['server-error-body'] : status === 409 ? switches['conflict-status-body'] : 'envelope';
	if (style === 'empty') return { status, headers: sent, payload: undefined };
	const [type, text] =
		style === 'html' ? ['text/html; charset=utf-8', HTML] : ['application/json; charset=utf-8', JSON.stringify(body)];
	return { status, headers: { 'content-type': type, ...sent }, payload: Buffer.from(text) };
}

function typeOf(status: number, style: AllSwitches['error-type-style']): string {
	return style === 'code' ? `E${status}` : (TYPES[status] ?? (status >= 500 ? 'server_error' : 'request_failed'));
}

function fieldsOf(fields: Record<string, string[]> | undefined, shape: AllSwitches['error-fields-shape']): object {
	if (!fields || shape === 'absent') return {};
	if (shape === 'object-of-arrays') return { fields };
	return { fields: Object.fromEntries(Object.entries(fields).map(([name, list]) => [name, list.join('; ')])) };
}

/** Returns the whole seconds of a wait in milliseconds, rounded up. */
function secondsOf(wait: number): number {
	return Math.ceil(wait / 1_000);
}

function styledRetryAfter(headers: Record<string, string>, style: AllSwitches['retry-after-style'], now: number) {
	const { 'retry-after': seconds, ...others } = headers;
	if (seconds === undefined || style === 'seconds') return headers;
	if (style === 'absent') return others;
	const value = style === 'malformed' ? 'soon' : new Date(now + Number(seconds) * 1_000).toUTCString();
	return { ...others, 'retry-after': value };
}
