import { messageOf } from '../../errorText';
import { isObject } from '../../isObject';
import type { Unsent } from '../call';
import { errorIn } from './facts';

// The codes of n8n's OAuth2 client for a rejected renewal and for no refresh token. All other codes are Node's and axios'.
const NO_RENEWAL = /^(EAUTH|ERR_ASSERTION)$/;
const CODE = /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/;

/** A response with an unread body, in axios' shape. */
export interface RawResponse {
	status: number;
	headers?: object;
	data?: unknown;
}

/** A request without a response. `detail` may hold secrets. */
export interface FailedRequest {
	kind: 'no response';
	code: string;
	detail: string;
	/** n8n requests a new token by itself. Neither n8n 1.x nor a timeout says which of the two requests failed. */
	of: 'this request' | 'another' | 'unknown';
	/** The status of a response that n8n 1.x did not keep. */
	status?: number | undefined;
	/** See NoResponse. */
	isRejected?: true;
}

interface AxiosErrorShape {
	isAxiosError: true;
	code?: string;
	message?: string;
	config?: { url?: string };
	response?: RawResponse;
}

function isAxiosError(candidate: unknown): candidate is AxiosErrorShape {
	return (candidate as Partial<AxiosErrorShape> | null | undefined)?.isAxiosError === true;
}

/**
 * Returns the result of the request to `url` after n8n threw: the response, if one came and n8n keeps it, or the failure. An
 * error about something else (a credential that cannot be decrypted, a rejected renewal) counts as unsent. On n8n 2.41.1 the
 * cause of the NodeApiError is axios' error. 1.123.81 loses it, with the URL and the response: `httpCode` is the status, or else
 * the code (both measured).
 */
export function afterThrown(thrown: unknown, url: string): RawResponse | FailedRequest | Unsent {
	const error = [thrown, innerCause(thrown)].find(isAxiosError);
	if (error === undefined) return limitedToken(thrown) ?? withoutCause(thrown) ?? { kind: 'unsent', thrown };
	const { code = '', message: detail = '', config, response } = error;
	if (config?.url === undefined) return response ?? { kind: 'no response', code, detail, of: 'unknown' };
	if (!config.url.startsWith(url)) return { kind: 'no response', code, detail, of: 'another' };
	return response ?? { kind: 'no response', code, detail, of: 'this request' };
}

function innerCause(thrown: unknown): unknown {
	return thrown instanceof Error ? thrown.cause : undefined;
}

/**
 * Returns the failure if the token server's rate limit rejected a renewal. The error of n8n's OAuth2 client then has the status,
 * or only the body if that has an `error`, as the service's own does (API document, Errors). After a 5xx it is axios' error, and
 * any other status may be final (measured on 2.41.1).
 */
function limitedToken(thrown: unknown): FailedRequest | undefined {
	const cause = innerCause(thrown);
	if (!isObject(cause)) return undefined;
	const { code, status, body } = cause;
	// The `error` of OAuth2 itself is a text.
	const hasWait = code === 'EAUTH' && typeof errorIn(body).retry_after === 'number';
	if (!hasWait && !(code === 'ESTATUS' && status === 429)) return undefined;
	return { kind: 'no response', code: String(code), detail: innermostMessage(thrown), of: 'another' };
}

function withoutCause(thrown: unknown): FailedRequest | undefined {
	if (!(thrown instanceof Error) || thrown.cause !== undefined || !('httpCode' in thrown)) return undefined;
	const httpCode = String(thrown.httpCode);
	const [original] = 'messages' in thrown && Array.isArray(thrown.messages) ? (thrown.messages as unknown[]) : [];
	const detail = typeof original === 'string' ? original : thrown.message;
	const failure = { kind: 'no response', code: '', detail, of: 'unknown' } as const;
	if (/^\d{3}$/.test(httpCode)) return { ...failure, status: Number(httpCode) };
	return CODE.test(httpCode) && !NO_RENEWAL.test(httpCode) ? { ...failure, code: httpCode } : undefined;
}

/**
 * Returns the message of the innermost cause, which may hold known secrets. n8n 2.x quotes a token server's response that is not
 * JSON, such as one that was cut off: it may hold new tokens, which nothing knows, and is left out (measured on 2.41.1).
 */
export function innermostMessage(thrown: unknown): string {
	const cause = innerCause(thrown);
	if (cause instanceof Error) return innermostMessage(cause);
	const { message } = errorIn(isObject(thrown) ? thrown.body : undefined);
	if (typeof message === 'string') return message;
	// The message of n8n's OAuth2 client for an `error` that is an object.
	const text = messageOf(thrown).replace('[object Object]', 'the token server rejected it');
	return text.replace(/ but received: .*/s, '');
}
