import { messageOf } from '../../errorText';

/** A response whose body is still to be read, in axios' words. */
export interface RawResponse {
	status: number;
	headers?: object;
	data?: unknown;
}

/** The axios error that n8n's request helper threw, as far as n8n keeps it. */
export interface RequestError {
	/** Node's or axios' error code; empty when there was none. */
	code: string;
	/** The original message; may hold secrets. */
	message: string;
	/** Of the request that failed, which may be n8n's own to a token server. */
	url?: string | undefined;
	/** Of the response, if one came back. */
	status?: number | undefined;
	/** The response, where n8n keeps it. */
	response?: RawResponse | undefined;
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
 * The request error in what n8n threw, or `undefined` when that is about something else (a credential that cannot be
 * decrypted, a renewal that was rejected). Measured: on n8n 2.41.1 it is the cause of the NodeApiError. On 1.123.81 the
 * cause is lost, and `httpCode` of the NodeApiError is the status of the response, or else the code.
 */
export function requestErrorIn(thrown: unknown): RequestError | undefined {
	const axiosError = [thrown, innerCause(thrown)].find(isAxiosError);
	if (axiosError === undefined) return withoutCause(thrown);
	const { code = '', message = '', config, response } = axiosError;
	return { code, message, url: config?.url, status: response?.status, response };
}

/** Whether an error is of the request to `url`, not of n8n's own to the token server. n8n 1.x keeps no URL and no response. */
export function isOfRequest(error: RequestError, url: string): boolean {
	return error.url === undefined ? error.response !== undefined : error.url.startsWith(url);
}

function innerCause(thrown: unknown): unknown {
	return thrown instanceof Error ? thrown.cause : undefined;
}

// The codes of n8n's OAuth2 client for a rejection by the token server. All others are Node's and axios'.
const REJECTED_RENEWAL = /^(EAUTH|ESTATUS)$/;
const CODE = /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/;

function withoutCause(thrown: unknown): RequestError | undefined {
	if (!(thrown instanceof Error) || thrown.cause !== undefined || !('httpCode' in thrown)) return undefined;
	const httpCode = String(thrown.httpCode);
	const [original] = 'messages' in thrown && Array.isArray(thrown.messages) ? (thrown.messages as unknown[]) : [];
	const message = typeof original === 'string' ? original : thrown.message;
	if (/^\d{3}$/.test(httpCode)) return { code: '', message, status: Number(httpCode) };
	return CODE.test(httpCode) && !REJECTED_RENEWAL.test(httpCode) ? { code: httpCode, message } : undefined;
}

/** The message of the innermost cause. May hold secrets. */
export function reasonOf(thrown: unknown): string {
	const cause = innerCause(thrown);
	return cause instanceof Error ? reasonOf(cause) : messageOf(thrown);
}
