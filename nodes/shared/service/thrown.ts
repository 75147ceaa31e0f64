/** What n8n's request helper threw about a request: an axios error, as far as n8n has kept it. */
export interface RequestError {
	/** Node's or axios' error code; empty when there was none. */
	code: string;
	/** The original message; may hold secrets. */
	message: string;
	/** Of the request that failed; n8n's own requests to a token server fail here too. */
	url?: string;
	/** Of what came back, if anything. */
	status?: number;
	/** What came back, where n8n has kept it. */
	response?: { status: number; headers?: object; data?: unknown };
}

interface AxiosErrorShape {
	isAxiosError: true;
	code?: string;
	message?: string;
	config?: { url?: string };
	response?: { status: number; headers?: object; data?: unknown };
}

function isAxiosError(candidate: unknown): candidate is AxiosErrorShape {
	return (
		typeof candidate === 'object' &&
		candidate !== null &&
		'isAxiosError' in candidate &&
		candidate.isAxiosError === true
	);
}

/**
 * The request error in what was thrown, or `undefined` when that is about something else (a credential that cannot be
 * decrypted, a renewal that was refused). Measured: on n8n 2.41.1 it is the cause of the NodeApiError; on 1.123.81 the
 * cause is lost, and the NodeApiError has the status of a response, else the code, as `httpCode`.
 */
export function requestErrorIn(thrown: unknown): RequestError | undefined {
	const axiosError = [thrown, causeOf(thrown)].find(isAxiosError);
	if (axiosError === undefined) return withoutCause(thrown);
	const { code = '', message = '', config, response } = axiosError;
	const error: RequestError = { code, message };
	if (config?.url !== undefined) error.url = config.url;
	return response === undefined ? error : { ...error, status: response.status, response };
}

function causeOf(thrown: unknown): unknown {
	return thrown instanceof Error ? thrown.cause : undefined;
}

// What n8n's OAuth2 client calls a refusal of the token server. The others are Node's and axios' codes.
const REFUSED_RENEWAL = /^(EAUTH|ESTATUS)$/;
const CODE = /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/;

function withoutCause(thrown: unknown): RequestError | undefined {
	if (!(thrown instanceof Error) || thrown.cause !== undefined || !('httpCode' in thrown)) return undefined;
	const httpCode = String(thrown.httpCode);
	const [original] = 'messages' in thrown && Array.isArray(thrown.messages) ? (thrown.messages as unknown[]) : [];
	const message = typeof original === 'string' ? original : thrown.message;
	if (/^\d{3}$/.test(httpCode)) return { code: '', message, status: Number(httpCode) };
	return CODE.test(httpCode) && !REFUSED_RENEWAL.test(httpCode) ? { code: httpCode, message } : undefined;
}

/** What went wrong first, in the words of whoever noticed. May hold secrets. */
export function reasonOf(thrown: unknown): string {
	const cause = causeOf(thrown);
	if (cause instanceof Error) return reasonOf(cause);
	return thrown instanceof Error ? thrown.message : String(thrown);
}
