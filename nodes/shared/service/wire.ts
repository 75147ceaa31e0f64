import type { IExecuteFunctions, IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';
import { inTime, isStream, parseBody, readBody, SHORTEST_SECRET, UnusableBody } from './body';
import type { Answer, Call, Response } from './call';
import { TOKEN_SERVER_FAILED } from './call';
import { cancellationOf } from './cancellation';
import type { Connection, ServiceFunctions } from './connection';
import type { RequestError } from './thrown';
import { reasonOf, requestErrorIn } from './thrown';
import { inTurn } from './turns';

/**
 * Sends a call once and says what came back, whatever it was.
 *
 * The body is taken as a stream, and read and parsed here: n8n has no limit for its size, and axios hands over unparseable
 * JSON as a string without a word, which could not be told from a JSON string. Redirects are not followed: n8n would send
 * the key along to another host.
 *
 * Measured on n8n 2.41.1: a request that throws on 401 is sent a second time with the same API key, so statuses are
 * returned instead of thrown. A refreshable credential needs the throw, because it is what makes n8n renew the token;
 * so it is sent again after a 401, that time to throw, and alone: n8n 1.x would renew once for each request that throws,
 * and a service whose refresh tokens work once takes the second for a theft and ends the whole grant (measured on
 * 1.123.81). Whoever comes later finds the new token in the credential.
 *
 * @throws whatever n8n throws before anything was sent (a blocked address, a credential it cannot decrypt).
 */
export async function send(
	functions: ServiceFunctions,
	connection: Connection,
	call: Call,
	timeoutMs: number,
): Promise<Answer> {
	const options = optionsFor(connection, call, timeoutMs);
	const answer = await exchangeAnyStatus(functions, connection, options);
	if (!connection.refreshable || isSuccess(answer)) return answer;
	if (!isUnauthorized(answer)) {
		await connection.learnSecrets();
		return answer;
	}
	return await inTurn(
		connection.reference,
		async () => await exchangeWithRenewal(functions, connection, options, answer),
	);
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
		encoding: 'stream',
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

// Without a reason of its own, each abort makes an error with a stack: a fiftieth of a request's whole cost.
const OVER = new Error('the request is over');

type Received = NonNullable<RequestError['response']>;

/** Makes an answer of what came back, while the connection is still there. */
type Receive = (received: Received) => Promise<Answer>;

/** Sends once; `fromThrown` makes an answer of what n8n throws. Nothing is left of the connection afterwards. */
async function exchange(
	functions: ServiceFunctions,
	connection: Connection,
	options: IHttpRequestOptions,
	fromThrown: (thrown: unknown, receive: Receive) => Promise<Answer>,
): Promise<Answer> {
	// n8n writes into what it is given, and these options may be sent twice.
	const own = { ...options, headers: { ...options.headers } };
	const renews = options.ignoreHttpStatusErrors !== true;
	// With a renewal it is three requests: the refused one, the token server's, and this one once more.
	const deadline = AbortSignal.timeout(Math.ceil(options.timeout ?? 0) * (renews ? 3 : 1));
	const receive: Receive = async (received) => await readAnswer(received, connection, deadline);
	const over = new AbortController();
	const end = () => over.abort(OVER);
	const cancel = cancellationOf(functions);
	if (cancel?.aborted) end();
	cancel?.addEventListener('abort', end);
	// n8n takes the signal that ends a request from its caller, and only from there. From there it also reads an OAuth2
	// credential before each request: so the token that is sent is known before it can come back.
	const caller = Object.create(functions, {
		getExecutionCancelSignal: { value: () => over.signal },
		getCredentials: { value: connection.read },
	}) as ServiceFunctions;
	const ask = functions.helpers.httpRequestWithAuthentication;
	try {
		// axios never comes back from an answer 101 (measured with 1.18).
		const asked = async () =>
			(await ask.call(
				caller as IExecuteFunctions,
				connection.credentialType,
				own,
				connection.alreadyRead(),
			)) as IN8nHttpFullResponse;
		const answer = await inTime(deadline, asked);
		if (renews) {
			// What a renewed token cannot be kept out of is no answer, also when the change was made: it is sent again.
			const problem = await connection.learnSecrets().then(() => undefined, reasonOf);
			if (problem !== undefined) return { kind: 'failure', code: '', detail: connection.redact(problem) };
		}
		return await receive({ status: answer.statusCode, headers: answer.headers, data: answer.body });
	} catch (thrown) {
		if (deadline.aborted) return { kind: 'failure', code: 'ETIMEDOUT', detail: connection.redact(reasonOf(thrown)) };
		return await fromThrown(thrown, receive);
	} finally {
		cancel?.removeEventListener('abort', end);
		// Closes what was not read to its end: too much of a body, or one that stalls.
		end();
	}
}

async function exchangeAnyStatus(
	functions: ServiceFunctions,
	connection: Connection,
	options: IHttpRequestOptions,
): Promise<Answer> {
	return await exchange(
		functions,
		connection,
		{ ...options, ignoreHttpStatusErrors: true },
		async (thrown, receive) => {
			const error = requestErrorIn(thrown);
			if (error === undefined) throw thrown;
			return await answerIn(error, connection, receive);
		},
	);
}

/** Sends again after a 401, and lets n8n renew the access token unless the credential has a new one by now. */
async function exchangeWithRenewal(
	functions: ServiceFunctions,
	connection: Connection,
	options: IHttpRequestOptions,
	unauthorized: Response,
): Promise<Answer> {
	return await exchange(functions, connection, options, async (thrown, receive) => {
		await connection.learnSecrets();
		const error = requestErrorIn(thrown);
		if (error === undefined) return { ...unauthorized, notRenewed: connection.redact(reasonOf(thrown)) };
		if (error.url?.startsWith(options.url)) return await answerIn(error, connection, receive);
		if (error.url === undefined) {
			// n8n 1.x does not say which request failed, this one or its own to the token server; so ask without a renewal.
			const answer = await exchangeAnyStatus(functions, connection, options);
			if (!isUnauthorized(answer) || error.status === 401) return answer;
		}
		return { kind: 'failure', code: TOKEN_SERVER_FAILED, detail: connection.redact(error.message) };
	});
}

/** What an answer says, read to its end. Secrets that it gives back are in none of it. */
async function readAnswer(
	{ status, headers = {}, data }: Received,
	connection: Connection,
	deadline: AbortSignal,
): Promise<Answer> {
	const redact = (text: string, shortest?: number) => connection.redact(text, shortest);
	const lowerCased: Record<string, string> = {};
	for (const [name, value] of Object.entries(headers))
		lowerCased[name.toLowerCase()] = redact(String(value), SHORTEST_SECRET);
	const answer: Response = { kind: 'response', status, headers: lowerCased, body: undefined, garbled: false };
	try {
		const text = isStream(data) ? await readBody(data, deadline) : data;
		return { ...answer, body: parseBody(typeof text === 'string' ? text : '', redact) };
	} catch (thrown) {
		if (thrown instanceof UnusableBody) return { ...answer, garbled: true, problem: thrown.message };
		// What was refused stays refused, also when the rest of the answer never came.
		if (!isSuccess(answer)) return { ...answer, garbled: true };
		const { code = '' } = thrown as { code?: string };
		return { kind: 'failure', code, detail: redact(reasonOf(thrown)) };
	}
}

async function answerIn(
	{ response, code, message }: RequestError,
	connection: Connection,
	receive: Receive,
): Promise<Answer> {
	if (response !== undefined) return await receive(response);
	return { kind: 'failure', code, detail: connection.redact(message) };
}
