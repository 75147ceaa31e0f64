import type { IExecuteFunctions, IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';
import { inTime, readJson } from './body';
import type { Failure, Outcome, Response } from '../call';
import { isSuccess } from '../call';
import { cancellationOf } from '../cancellation';
import type { Connection, ServiceFunctions } from '../connection/connection';
import { functionsWith } from '../connection/functionsWith';
import { reasonOf, requestErrorIn } from './thrown';

/** What n8n is to send, and the time for all of it, in milliseconds. */
export interface Sending {
	functions: ServiceFunctions;
	connection: Connection;
	options: IHttpRequestOptions;
	timeoutMs: number;
}

/** A shorter secret is not redacted from a response: it may be a part of any word or id. */
const MIN_SECRET = 8;

// Without a reason, each abort makes an error with a stack: a fiftieth of a request's whole cost.
const OVER = new Error('the request is over');

/**
 * Sends through n8n. A response is read to its end, and no connection is left open. The detail of a failure may hold secrets.
 * @param whenSettled runs before anything of the response is read, with what n8n threw, if it did. The outcome that it returns
 * takes precedence.
 */
export async function exchange(
	sending: Sending,
	whenSettled?: (thrown: unknown) => Promise<Outcome | undefined>,
): Promise<Outcome> {
	const { functions, connection, options, timeoutMs } = sending;
	const deadline = AbortSignal.timeout(Math.ceil(timeoutMs));
	const over = new AbortController();
	const end = () => over.abort(OVER);
	const cancel = cancellationOf(functions);
	if (cancel?.aborted) end();
	cancel?.addEventListener('abort', end);
	try {
		// In time, because axios never settles on a status 101 (measured with 1.18).
		const [sent] = await Promise.allSettled([inTime(deadline, async () => await throughN8n(sending, over.signal))]);
		const thrown: unknown = sent.status === 'rejected' ? sent.reason : undefined;
		const instead = await whenSettled?.(thrown);
		if (instead !== undefined) return instead;
		if (sent.status === 'rejected') return await outcomeOfError(thrown, connection, options.url, deadline);
		const { statusCode: status, headers, body: data } = sent.value;
		return await readResponse({ status, headers, data }, connection, deadline);
	} finally {
		cancel?.removeEventListener('abort', end);
		// Closes what was not read to its end: too much of a body, or one that stalls.
		end();
	}
}

/**
 * n8n's request, which ends when `over` aborts. n8n takes that signal only from the functions that its helper is called
 * on. From these it also reads an OAuth2 credential before each request, so a token is known before it is sent and can
 * come back (read in n8n 1.123.81 and 2.41.1).
 */
async function throughN8n(
	{ functions, connection, options }: Sending,
	over: AbortSignal,
): Promise<IN8nHttpFullResponse> {
	const caller = functionsWith<Pick<IExecuteFunctions, 'getExecutionCancelSignal' | 'getCredentials'>>(
		functions as IExecuteFunctions,
		{ getExecutionCancelSignal: () => over, getCredentials: connection.read as IExecuteFunctions['getCredentials'] },
	);
	return (await functions.helpers.httpRequestWithAuthentication.call(
		caller as IExecuteFunctions,
		connection.credentialType,
		// n8n writes into its options, and these may be sent twice.
		{ ...options, headers: { ...options.headers } },
		connection.alreadyRead(),
	)) as IN8nHttpFullResponse;
}

async function outcomeOfError(
	thrown: unknown,
	connection: Connection,
	url: string,
	deadline: AbortSignal,
): Promise<Outcome> {
	if (deadline.aborted) return { kind: 'failure', code: 'ETIMEDOUT', detail: reasonOf(thrown) };
	const error = requestErrorIn(thrown);
	if (error === undefined) return { kind: 'unsent', thrown };
	const isOurs = error.url === undefined || error.url.startsWith(url);
	if (error.response !== undefined && isOurs) return await readResponse(error.response, connection, deadline);
	return { kind: 'failure', code: error.code, detail: error.message };
}

/** Reads a response to its end, and redacts the secrets in it. */
async function readResponse(
	{ status, headers = {}, data }: { status: number; headers?: object; data?: unknown },
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
