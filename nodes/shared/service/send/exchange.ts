import type { IExecuteFunctions, IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';
import { inTime, readJson } from './body';
import type { Failure, Outcome, Response } from '../call';
import { isSuccess } from '../call';
import { cancellationOf } from '../context';
import type { Connection, ServiceFunctions } from '../connection/connection';
import { functionsWith } from '../connection/connection';
import type { RawResponse, RequestError } from './thrown';
import { isOfRequest, reasonOf, requestErrorIn } from './thrown';

/** What n8n is to send, and the time for all of it, in milliseconds. */
export interface Sending {
	functions: ServiceFunctions;
	connection: Connection;
	options: IHttpRequestOptions;
	timeoutMs: number;
}

/** A shorter secret is not redacted from a response: it may be a part of any word or id. */
const MIN_SECRET = 8;

// Each abort without a reason makes an error with a stack: a fiftieth of a request's whole cost.
const OVER = new Error('the request is over');

/** What came of a request. */
export interface Exchanged {
	outcome: Outcome;
	/** The request error in what n8n threw. */
	error?: RequestError | undefined;
}

/**
 * Sends through n8n. Ends the connection, even when a body is too large or stalls. The detail of a failure may hold secrets.
 * @param learn runs before anything of a response is read. A failure of it is the outcome.
 */
export async function exchange(sending: Sending, learn?: () => Promise<Failure | undefined>): Promise<Exchanged> {
	const deadline = AbortSignal.timeout(Math.ceil(sending.timeoutMs));
	const over = new AbortController();
	const end = () => over.abort(OVER);
	const cancel = cancellationOf(sending.functions);
	if (cancel?.aborted) end();
	cancel?.addEventListener('abort', end);
	try {
		// axios itself never ends a request after a status 101 (measured with 1.18).
		const returned = await inTime(deadline, async () => await throughN8n(sending, over.signal)).then(
			(response) => ({ response, error: undefined }),
			(thrown: unknown) => ({ thrown, error: requestErrorIn(thrown) }),
		);
		const failure = await learn?.();
		if (failure !== undefined) return { outcome: failure };
		return { outcome: await outcomeOf(returned, sending, deadline), error: returned.error };
	} finally {
		cancel?.removeEventListener('abort', end);
		end();
	}
}

/** Reads the response, if one came. */
async function outcomeOf(
	{ response, thrown, error }: { response?: RawResponse; thrown?: unknown; error: RequestError | undefined },
	{ connection, options }: Sending,
	deadline: AbortSignal,
): Promise<Outcome> {
	if (response !== undefined) return await readResponse(response, connection, deadline);
	if (deadline.aborted) return { kind: 'failure', code: 'ETIMEDOUT', detail: reasonOf(thrown) };
	if (error === undefined) return { kind: 'unsent', thrown };
	if (error.response !== undefined && isOfRequest(error, options.url))
		return await readResponse(error.response, connection, deadline);
	return { kind: 'failure', code: error.code, detail: error.message };
}

/**
 * n8n's request, which ends when `over` aborts. n8n takes that signal only from the functions that its helper is called
 * on. It reads an OAuth2 credential from these before each request, so a token is known before it is sent and can come
 * back (read in n8n 1.123.81 and 2.41.1).
 */
async function throughN8n({ functions, connection, options }: Sending, over: AbortSignal): Promise<RawResponse> {
	const caller = functionsWith<Pick<IExecuteFunctions, 'getExecutionCancelSignal' | 'getCredentials'>>(
		functions as IExecuteFunctions,
		{ getExecutionCancelSignal: () => over, getCredentials: connection.read as IExecuteFunctions['getCredentials'] },
	);
	const { statusCode, headers, body } = (await functions.helpers.httpRequestWithAuthentication.call(
		caller as IExecuteFunctions,
		connection.credentialType,
		// n8n writes into its options, and these may be sent twice.
		{ ...options, headers: { ...options.headers } },
		connection.alreadyRead(),
	)) as IN8nHttpFullResponse;
	return { status: statusCode, headers, data: body };
}

/** Reads a response to its end, and redacts the secrets in it. */
async function readResponse(
	{ status, headers = {}, data }: RawResponse,
	connection: Connection,
	deadline: AbortSignal,
): Promise<Outcome> {
	const redact = (text: string) => connection.redact(text, MIN_SECRET);
	const lowerCased: Record<string, string> = {};
	for (const [name, value] of Object.entries(headers)) lowerCased[name.toLowerCase()] = redact(String(value));
	const response: Response = { kind: 'response', status, headers: lowerCased, body: undefined };
	const read = await readJson(data, deadline, redact).catch((error: { code?: string }): Failure => {
		return { kind: 'failure', code: error.code ?? '', detail: reasonOf(error) };
	});
	// A rejected request stays rejected, even if its body cannot be used, or never arrives.
	if (!('body' in read) && !isSuccess(response)) return response;
	if ('kind' in read) return read;
	return 'body' in read ? { ...response, body: read.body } : { ...response, problem: read.because };
}
