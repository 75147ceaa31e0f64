import type { IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';
import type { Answer, Call, Response } from './call';
import { TOKEN_SERVER_FAILED } from './call';
import type { Connection, ServiceFunctions } from './connection';
import { parseExactly } from './exactJson';
import type { RequestError } from './thrown';
import { reasonOf, requestErrorIn } from './thrown';
import { inTurn } from './turns';

/**
 * Sends a call once and says what came back, whatever it was.
 *
 * The body is read as text and parsed here: axios hands over unparseable JSON as a string without a word, which could
 * not be told from a JSON string. Redirects are not followed: n8n would send the key along to another host.
 *
 * Measured on n8n 2.41.1: a request that throws on 401 is sent a second time with the same API key, so statuses are
 * returned instead of thrown. A refreshable credential needs the throw, because it is what makes n8n renew the token;
 * so it is sent again after a 401, that time to throw, and alone: n8n 1.x would renew once for each request that throws,
 * and a service whose refresh tokens work once takes the second for a theft and ends the whole grant (measured on
 * 1.123.81). Whoever comes later finds the new token in the credential.
 *
 * @throws whatever n8n throws before anything was sent (a blocked address, a credential it cannot decrypt).
 */
export async function send(functions: ServiceFunctions, connection: Connection, call: Call, timeoutMs: number): Promise<Answer> {
	const options = optionsFor(connection, call, timeoutMs);
	const answer = await exchangeAnyStatus(functions, connection, options);
	if (!connection.refreshable || isSuccess(answer)) return answer;
	if (!isUnauthorized(answer)) {
		await connection.learnSecrets();
		return answer;
	}
	return await inTurn(connection.budgetKey, async () => await exchangeWithRenewal(functions, connection, options, answer));
}

function isSuccess(answer: Answer): boolean {
	return answer.kind === 'response' && answer.status >= 200 && answer.status < 300;
}

function isUnauthorized(answer: Answer): answer is Response {
	return answer.kind === 'response' && answer.status === 401;
}

function optionsFor(connection: Connection, call: Call, timeoutMs: number): IHttpRequestOptions {
	const options: IHttpRequestOptions = {
		...connection.transport,
		method: call.method,
		url: connection.baseUrl + call.path,
		headers: { Accept: 'application/json' },
		encoding: 'text',
		returnFullResponse: true,
		disableFollowRedirect: true,
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
	return options;
}

async function exchange(functions: ServiceFunctions, connection: Connection, options: IHttpRequestOptions): Promise<Response> {
	// n8n writes into what it is given, and these options may be sent twice.
	const own = { ...options, headers: { ...options.headers } };
	const ask = functions.helpers.httpRequestWithAuthentication;
	const answer = (await ask.call(functions, connection.credentialType, own, connection.alreadyRead())) as IN8nHttpFullResponse;
	return response(answer.statusCode, answer.headers, answer.body);
}

async function exchangeAnyStatus(functions: ServiceFunctions, connection: Connection, options: IHttpRequestOptions): Promise<Answer> {
	try {
		return await exchange(functions, connection, { ...options, ignoreHttpStatusErrors: true });
	} catch (thrown) {
		return fromThrown(thrown, connection);
	}
}

/** Sends again after a 401, and lets n8n renew the access token unless the credential has a new one by now. */
async function exchangeWithRenewal(
	functions: ServiceFunctions,
	connection: Connection,
	options: IHttpRequestOptions,
	unauthorized: Response,
): Promise<Answer> {
	try {
		return await exchange(functions, connection, options);
	} catch (thrown) {
		await connection.learnSecrets();
		const error = requestErrorIn(thrown);
		if (error === undefined) return { ...unauthorized, notRenewed: connection.redact(reasonOf(thrown)) };
		if (error.url?.startsWith(options.url)) return answerIn(error, connection);
		if (error.url === undefined) {
			// n8n 1.x does not say which request failed, this one or its own to the token server; so ask without a renewal.
			const answer = await exchangeAnyStatus(functions, connection, options);
			if (!isUnauthorized(answer) || error.status === 401) return answer;
		}
		return { kind: 'failure', code: TOKEN_SERVER_FAILED, detail: connection.redact(error.message) };
	}
}

function response(status: number, headers: object, text: unknown): Response {
	const lowerCased: Record<string, string> = {};
	for (const [name, value] of Object.entries(headers)) lowerCased[name.toLowerCase()] = String(value);
	const raw = typeof text === 'string' ? text.trim() : '';
	try {
		return { kind: 'response', status, headers: lowerCased, body: raw === '' ? undefined : parseExactly(raw), garbled: false };
	} catch {
		return { kind: 'response', status, headers: lowerCased, body: undefined, garbled: true };
	}
}

function answerIn({ response: answer, code, message }: RequestError, connection: Connection): Answer {
	if (answer !== undefined) return response(answer.status, answer.headers ?? {}, answer.data);
	return { kind: 'failure', code, detail: connection.redact(message) };
}

function fromThrown(thrown: unknown, connection: Connection): Answer {
	const error = requestErrorIn(thrown);
	if (error === undefined) throw thrown;
	return answerIn(error, connection);
}
