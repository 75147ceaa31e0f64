import type { IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';
import type { Answer, Call, Response } from './call';
import type { Connection, ServiceFunctions } from './connection';

/**
 * Sends a call once and says what came back, whatever it was.
 *
 * The body is read as text and parsed here: axios hands over unparseable JSON as a string without a word, which could
 * not be told from a JSON string. Redirects are not followed: n8n would send the key along to another host.
 *
 * Measured on n8n 2.41.1: a request that throws on 401 is sent a second time with the same API key, so statuses are
 * returned instead of thrown; a refreshable credential needs the throw, because it is what makes n8n refresh the token.
 *
 * @throws whatever n8n throws before anything was sent (a blocked address, a credential it cannot decrypt).
 */
export async function send(functions: ServiceFunctions, connection: Connection, call: Call, timeoutMs: number): Promise<Answer> {
	const options: IHttpRequestOptions = {
		...connection.transport,
		method: call.method,
		url: connection.baseUrl + call.path,
		headers: { Accept: 'application/json' },
		encoding: 'text',
		returnFullResponse: true,
		disableFollowRedirect: true,
		ignoreHttpStatusErrors: !connection.refreshable,
		timeout: timeoutMs,
	};
	if (call.query !== undefined) options.qs = { ...call.query };
	if (call.body !== undefined) {
		options.body = call.body;
		options.headers = { ...options.headers, 'Content-Type': 'application/json' };
	}
	if (call.idempotencyKey !== undefined) {
		options.headers = { ...options.headers, 'Idempotency-Key': call.idempotencyKey };
	}
	try {
		const answer = (await functions.helpers.httpRequestWithAuthentication.call(
			functions,
			connection.credentialType,
			options,
		)) as IN8nHttpFullResponse;
		return response(answer.statusCode, answer.headers, answer.body);
	} catch (thrown) {
		return fromThrown(thrown, connection);
	}
}

function response(status: number, headers: object, text: unknown): Response {
	const lowerCased: Record<string, string> = {};
	for (const [name, value] of Object.entries(headers)) {
		if (value !== undefined && value !== null) lowerCased[name.toLowerCase()] = String(value);
	}
	const raw = typeof text === 'string' ? text.trim() : '';
	try {
		return { kind: 'response', status, headers: lowerCased, body: raw === '' ? undefined : JSON.parse(raw), garbled: false };
	} catch {
		return { kind: 'response', status, headers: lowerCased, body: undefined, garbled: true };
	}
}

interface AxiosErrorShape {
	isAxiosError: true;
	code?: string;
	message?: string;
	response?: { status: number; headers?: object; data?: unknown };
}

function isAxiosError(candidate: unknown): candidate is AxiosErrorShape {
	return typeof candidate === 'object' && candidate !== null && 'isAxiosError' in candidate && candidate.isAxiosError === true;
}

function fromThrown(thrown: unknown, connection: Connection): Answer {
	const axiosError = [thrown, thrown instanceof Error ? thrown.cause : undefined].find(isAxiosError);
	if (axiosError === undefined) throw thrown;
	if (axiosError.response !== undefined) {
		return response(axiosError.response.status, axiosError.response.headers ?? {}, axiosError.response.data);
	}
	return { kind: 'failure', code: axiosError.code ?? '', detail: connection.redact(axiosError.message ?? '') };
}
