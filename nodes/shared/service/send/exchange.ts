import type { IExecuteFunctions, IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';
import { inTime, isStream, parseBody, readBody, MIN_SECRET, UnusableBody } from './body';
import type { Failure, Outcome, Response } from '../call';
import { isSuccess } from '../call';
import { cancellationOf } from '../cancellation';
import type { Connection, ServiceFunctions } from '../connection/connection';
import { functionsWith } from '../connection/functionsWith';
import type { RequestError } from './thrown';
import { reasonOf, requestErrorIn } from './thrown';

/** A request to the service, as n8n takes it. */
export interface Exchange {
	functions: ServiceFunctions;
	connection: Connection;
	options: IHttpRequestOptions;
	/** The time for all of it, in milliseconds. */
	timeoutMs: number;
}

/** Whether n8n may renew the access token in an exchange, because a 401 throws. */
interface Renewal {
	mayRenew: boolean;
}

type Settled = { value: IN8nHttpFullResponse } | { thrown: unknown };

/** A request failed: this one, or n8n's own to the token server. */
export interface Unattributed {
	kind: 'unattributed';
	error: RequestError;
}

// Without a reason, each abort makes an error with a stack: a fiftieth of a request's whole cost.
const OVER = new Error('the request is over');

/** Makes one exchange through n8n. A response is read to its end, and no connection is left open. */
export async function exchange(request: Exchange, renewal: Renewal): Promise<Outcome | Unattributed> {
	const deadline = AbortSignal.timeout(Math.ceil(request.timeoutMs));
	const over = new AbortController();
	const end = () => over.abort(OVER);
	const cancel = cancellationOf(request.functions);
	if (cancel?.aborted) end();
	cancel?.addEventListener('abort', end);
	try {
		// In time, because axios never settles on a status 101 (measured with 1.18).
		const sent = await settled(inTime(deadline, async () => await requestOf(request, renewal, over.signal)));
		const failure = renewal.mayRenew ? await secretsNotLearned(request.connection) : undefined;
		return failure ?? (await outcomeOf(sent, request, deadline));
	} finally {
		cancel?.removeEventListener('abort', end);
		// Closes what was not read to its end: too much of a body, or one that stalls.
		end();
	}
}

async function outcomeOf(
	sent: Settled,
	{ connection, options }: Exchange,
	deadline: AbortSignal,
): Promise<Outcome | Unattributed> {
	if ('value' in sent) {
		const { statusCode: status, headers, body: data } = sent.value;
		return await readResponse({ status, headers, data }, connection, deadline);
	}
	const { thrown } = sent;
	if (deadline.aborted) return failureOf(connection, 'ETIMEDOUT', reasonOf(thrown));
	const error = requestErrorIn(thrown);
	if (error === undefined) return { kind: 'unsent', thrown };
	if (!isAbout(error, options)) return { kind: 'unattributed', error };
	if (error.response === undefined) return failureOf(connection, error.code, error.message);
	return await readResponse(error.response, connection, deadline);
}

/**
 * Learns the secrets again, because n8n may have renewed the token. Returns a failure if that fails: the response may hold
 * a token that cannot be redacted, so it is dropped and the request retried. A change that was made is not repeated: its key
 * is the same.
 */
export async function secretsNotLearned(connection: Connection): Promise<Failure | undefined> {
	const problem = await connection.learnSecrets().then(() => undefined, reasonOf);
	return problem === undefined ? undefined : failureOf(connection, '', problem);
}

export function failureOf(connection: Connection, code: string, detail: string): Failure {
	return { kind: 'failure', code, detail: connection.redact(detail) };
}

/** Whether an error is about this request, and not n8n's own to the token server. n8n 1.x keeps no URL, and no response. */
function isAbout({ url, response }: RequestError, options: IHttpRequestOptions): boolean {
	return url === undefined ? response !== undefined : url.startsWith(options.url);
}

async function settled(work: Promise<IN8nHttpFullResponse>): Promise<Settled> {
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
	{ functions, connection, options }: Exchange,
	{ mayRenew }: Renewal,
	over: AbortSignal,
): Promise<IN8nHttpFullResponse> {
	const caller = functionsWith<Pick<IExecuteFunctions, 'getExecutionCancelSignal' | 'getCredentials'>>(
		functions as IExecuteFunctions,
		{ getExecutionCancelSignal: () => over, getCredentials: connection.read as IExecuteFunctions['getCredentials'] },
	);
	// n8n writes into its options, and these may be sent twice.
	const own = { ...options, headers: { ...options.headers }, ...(!mayRenew && { ignoreHttpStatusErrors: true }) };
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
		return failureOf(connection, code, reasonOf(thrown));
	}
}
