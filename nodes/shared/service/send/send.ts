import type { IExecuteFunctions, IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';
import { inTime, isStream, parseBody, readBody, MIN_SECRET, UnusableBody } from './body';
import type { Outcome, Call, Response } from '../call';
import { isSuccess } from '../call';
import { cancellationOf } from '../cancellation';
import type { Connection, ServiceFunctions } from '../connection/connection';
import { TOKEN_SERVER_FAILED } from '../errors/failures';
import { functionsWith } from '../connection/functionsWith';
import type { RequestError } from './thrown';
import { reasonOf, requestErrorIn } from './thrown';
import { inTurn } from './turns';

// The rejected request, the one to the token server, and the first once more.
const REQUESTS_OF_A_RENEWAL = 3;

/**
 * Sends a call once and returns its outcome: a response of any status, or a failure.
 *
 * The body is taken as a stream, and read and parsed here: n8n does not limit its size, and axios returns unparseable
 * JSON as a string, which cannot be told from a JSON string. Redirects are not followed: n8n would send the key along to
 * another host.
 *
 * Measured on n8n 2.41.1: a request that throws on 401 is sent a second time with the same API key, so statuses are
 * returned instead of thrown. A refreshable credential needs the throw, because only that makes n8n renew the token. So
 * after a 401 the request is sent again, that time to throw, and one at a time: n8n 1.x would renew once for each request
 * that throws, and a service whose refresh tokens work once takes the second renewal for a theft and revokes the whole
 * grant (measured on 1.123.81). Later requests find the new token in the credential.
 *
 * @throws n8n's own error when nothing was sent (a blocked address, a credential that cannot be decrypted).
 */
export async function send(
	functions: ServiceFunctions,
	connection: Connection,
	call: Call,
	timeoutMs: number,
): Promise<Outcome> {
	const options = optionsFor(connection, call, timeoutMs);
	const outcome = await sendForAnyStatus(functions, connection, options, timeoutMs);
	if (!connection.refreshable || isSuccess(outcome)) return outcome;
	if (!isUnauthorized(outcome)) return (await unredactable(connection)) ?? outcome;
	return await inTurn(
		connection.reference,
		async () => await sendWithRenewal(functions, connection, options, timeoutMs, outcome),
	);
}

function isUnauthorized(outcome: Outcome): outcome is Response {
	return outcome.kind === 'response' && outcome.status === 401;
}

function optionsFor(connection: Connection, call: Call, timeoutMs: number): IHttpRequestOptions {
	return {
		...connection.transport,
		method: call.method,
		url: connection.baseUrl + call.path,
		headers: {
			Accept: 'application/json',
			...(call.body && { 'Content-Type': 'application/json' }),
			...(call.idempotencyKey !== undefined && { 'Idempotency-Key': call.idempotencyKey }),
		},
		...(call.query && { qs: { ...call.query } }),
		...(call.body && { body: call.body }),
		encoding: 'stream',
		returnFullResponse: true,
		disableFollowRedirect: true,
		timeout: timeoutMs,
	};
}

/** Sends with the access token of the credential; no status makes n8n renew it. */
async function sendForAnyStatus(
	functions: ServiceFunctions,
	connection: Connection,
	options: IHttpRequestOptions,
	timeoutMs: number,
): Promise<Outcome> {
	const exchanged = await exchange(functions, connection, {
		options: { ...options, ignoreHttpStatusErrors: true },
		deadlineMs: timeoutMs,
		mayRenew: false,
	});
	if (exchanged.kind === 'received') return exchanged.outcome;
	if (exchanged.error === undefined) throw exchanged.thrown;
	return failure(connection, exchanged.error.code, exchanged.error.message);
}

/** Sends again after a 401. n8n renews the access token, unless another request has got a new one since. */
async function sendWithRenewal(
	functions: ServiceFunctions,
	connection: Connection,
	options: IHttpRequestOptions,
	timeoutMs: number,
	unauthorized: Response,
): Promise<Outcome> {
	const deadlineMs = REQUESTS_OF_A_RENEWAL * timeoutMs;
	const exchanged = await exchange(functions, connection, { options, deadlineMs, mayRenew: true });
	if (exchanged.kind === 'received') return exchanged.outcome;
	const { error, thrown } = exchanged;
	if (error === undefined) return { ...unauthorized, notRenewed: connection.redact(reasonOf(thrown)) };
	if (error.url === undefined) {
		// n8n 1.x does not say which request failed, this one or its own to the token server: find out without a renewal.
		const outcome = await sendForAnyStatus(functions, connection, options, timeoutMs);
		if (!isUnauthorized(outcome) || error.status === 401) return outcome;
	}
	return failure(connection, TOKEN_SERVER_FAILED, error.message);
}

/** A response is unusable if a renewed token cannot be redacted from it: it is retried, even if the change was made. */
async function unredactable(connection: Connection): Promise<Outcome | undefined> {
	const problem = await connection.learnSecrets().then(() => undefined, reasonOf);
	return problem === undefined ? undefined : failure(connection, '', problem);
}

function failure(connection: Connection, code: string, detail: string): Outcome {
	return { kind: 'failure', code, detail: connection.redact(detail) };
}

interface Exchange {
	options: IHttpRequestOptions;
	/** The time for all of it, in milliseconds. */
	deadlineMs: number;
	/** Whether n8n may renew the access token in it. */
	mayRenew: boolean;
}

type Exchanged =
	/** A response of any status, or a failure of this request. */
	| { kind: 'received'; outcome: Outcome }
	/** What n8n threw, and the request error in it; not known to be about this request. */
	| { kind: 'thrown'; thrown: unknown; error: RequestError | undefined };

// Without a reason, each abort makes an error with a stack: a fiftieth of a request's whole cost.
const OVER = new Error('the request is over');

/** Makes one exchange through n8n. A response is read to its end, and no connection is left open. */
async function exchange(
	functions: ServiceFunctions,
	connection: Connection,
	{ options, deadlineMs, mayRenew }: Exchange,
): Promise<Exchanged> {
	const deadline = AbortSignal.timeout(Math.ceil(deadlineMs));
	const over = new AbortController();
	const end = () => over.abort(OVER);
	const cancel = cancellationOf(functions);
	if (cancel?.aborted) end();
	cancel?.addEventListener('abort', end);
	const received = (outcome: Outcome): Exchanged => ({ kind: 'received', outcome });
	try {
		// In time, because axios never settles on a status 101 (measured with 1.18).
		const sent = await settled(
			inTime(deadline, async () => await requestOf(functions, connection, options, over.signal)),
		);
		if (mayRenew) {
			const unusable = await unredactable(connection);
			if (unusable !== undefined) return received(unusable);
		}
		if ('value' in sent) {
			const { statusCode: status, headers, body: data } = sent.value;
			return received(await readResponse({ status, headers, data }, connection, deadline));
		}
		const { thrown } = sent;
		if (deadline.aborted) return received(failure(connection, 'ETIMEDOUT', reasonOf(thrown)));
		const error = requestErrorIn(thrown);
		if (error === undefined || !isAbout(error, options)) return { kind: 'thrown', thrown, error };
		if (error.response === undefined) return received(failure(connection, error.code, error.message));
		return received(await readResponse(error.response, connection, deadline));
	} finally {
		cancel?.removeEventListener('abort', end);
		// Closes what was not read to its end: too much of a body, or one that stalls.
		end();
	}
}

/** Whether an error is about this request, and not n8n's own to the token server. n8n 1.x keeps no URL, and no response. */
function isAbout({ url, response }: RequestError, options: IHttpRequestOptions): boolean {
	return url === undefined ? response !== undefined : url.startsWith(options.url);
}

async function settled<T>(work: Promise<T>): Promise<{ value: T } | { thrown: unknown }> {
	return await work.then(
		(value) => ({ value }),
		(thrown: unknown) => ({ thrown }),
	);
}

/**
 * n8n's request, which ends when `over` aborts. n8n takes that signal only from the functions that its helper is called
 * on. From these it also reads an OAuth2 credential before each request, so a token is known before it is sent and can
 * come back (read in n8n 1.123.81 and 2.41.1).
 */
async function requestOf(
	functions: ServiceFunctions,
	connection: Connection,
	options: IHttpRequestOptions,
	over: AbortSignal,
): Promise<IN8nHttpFullResponse> {
	const caller = functionsWith<Pick<IExecuteFunctions, 'getExecutionCancelSignal' | 'getCredentials'>>(
		functions as IExecuteFunctions,
		{ getExecutionCancelSignal: () => over, getCredentials: connection.read as IExecuteFunctions['getCredentials'] },
	);
	// n8n writes into its options, and these may be sent twice.
	const own = { ...options, headers: { ...options.headers } };
	return (await functions.helpers.httpRequestWithAuthentication.call(
		caller as IExecuteFunctions,
		connection.credentialType,
		own,
		connection.alreadyRead(),
	)) as IN8nHttpFullResponse;
}

/** Reads a response to its end, and redacts the secrets in it. */
async function readResponse(
	{ status, headers = {}, data }: NonNullable<RequestError['response']>,
	connection: Connection,
	deadline: AbortSignal,
): Promise<Outcome> {
	const redact = (text: string, shortest?: number) => connection.redact(text, shortest);
	const lowerCased: Record<string, string> = {};
	for (const [name, value] of Object.entries(headers))
		lowerCased[name.toLowerCase()] = redact(String(value), MIN_SECRET);
	const outcome: Response = { kind: 'response', status, headers: lowerCased, body: undefined, garbled: false };
	try {
		const text = isStream(data) ? await readBody(data, deadline) : data;
		return { ...outcome, body: parseBody(typeof text === 'string' ? text : '', redact) };
	} catch (thrown) {
		if (thrown instanceof UnusableBody) return { ...outcome, garbled: true, problem: thrown.message };
		// A rejected request stays rejected, even if the rest of the response never arrives.
		if (!isSuccess(outcome)) return { ...outcome, garbled: true };
		const { code = '' } = thrown as { code?: string };
		return failure(connection, code, reasonOf(thrown));
	}
}
