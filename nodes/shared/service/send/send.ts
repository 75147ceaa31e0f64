import type { IHttpRequestOptions } from 'n8n-workflow';
import { parseBody } from './body';
import type { Call, Outcome, Response } from '../call';
import { isSuccess } from '../call';
import type { Connection } from '../connection/connection';
import type { Situation } from '../context';
import { readFacts } from './envelope';
import type { Received } from './exchange';
import { exchange } from './exchange';
import { networkFailure } from './networkFailures';
import { afterRenewal } from './renewal';

/** A shorter secret is not redacted from a response: it may be a part of any word or id. */
const MIN_SECRET = 8;

/**
 * Sends a call once, and returns what came of it. A response of any status is read to its end and parsed, a whole number beyond
 * 2^53 as the text of its digits. A success with an unusable body has a `problem`; a rejection with one has no body. The response
 * carries the facts it states (request ID, wait, message), and a failure the meaning of its code, so that callers read neither
 * again. On a 401 n8n renews an OAuth2 token, one renewal of a credential at a time, and the call is sent again, with three times
 * the timeout for both: a 401 may be `notRenewed`, and a token server that is down is a failure of its own. A response is
 * dropped, as a failure, when the new token could not be learned. No secret is in an outcome, but for what n8n threw when it sent
 * nothing.
 */
export async function send(
	situation: Pick<Situation, 'functions' | 'connection' | 'call' | 'retry' | 'clock'>,
): Promise<Outcome> {
	const { functions, connection, call, clock } = situation;
	const { timeoutMs } = situation.retry;
	const sending = { functions, connection, options: optionsFor(connection, call, timeoutMs), timeoutMs };
	const first = await exchange(sending);
	const last = connection.isRefreshable ? await afterRenewal(sending, first) : first;
	// Only now: a renewal teaches the connection another secret, which each of them may hold.
	if (last.kind === 'unsent') return last;
	if (last.kind === 'response') return responseFrom(last, connection, clock.now());
	const { recovers, happened, next } = networkFailure(last.code);
	return { kind: 'no response', code: last.code, detail: connection.redact(last.detail), recovers, happened, next };
}

function responseFrom(received: Received, connection: Connection, now: number): Response {
	const { status, headers, notRenewed } = received;
	const redact = (text: string) => connection.redact(text, MIN_SECRET);
	const lowerCased: Record<string, string> = {};
	for (const [name, value] of Object.entries(headers)) lowerCased[name.toLowerCase()] = redact(String(value));
	const read = parseBody(received, redact);
	const body = 'body' in read ? read.body : undefined;
	const facts = readFacts(body, lowerCased, now);
	const response: Response = { kind: 'response', status, headers: lowerCased, body, ...facts };
	if (notRenewed !== undefined) return { ...response, notRenewed: connection.redact(notRenewed) };
	return 'unusable' in read && isSuccess(response) ? { ...response, unusable: read.unusable } : response;
}

/**
 * The body is taken as a stream, and read and parsed here: n8n does not limit its size, and axios returns unparseable
 * JSON as a string, which cannot be told from a JSON string. Redirects are not followed: n8n would send the key along to
 * another host. Statuses are returned instead of thrown: n8n 2.41.1 sends a request that throws on 401 a second time
 * with the same API key (measured).
 */
function optionsFor(connection: Connection, call: Call, timeoutMs: number): IHttpRequestOptions {
	return {
		...connection.transport,
		method: call.method,
		url: connection.baseUrl + call.path,
		headers: {
			Accept: 'application/json',
			...(call.body && { 'Content-Type': 'application/json' }),
			...(call.change && { 'Idempotency-Key': call.change.key }),
		},
		...(call.query && { qs: { ...call.query } }),
		...(call.body && { body: call.body }),
		encoding: 'stream',
		returnFullResponse: true,
		disableFollowRedirect: true,
		ignoreHttpStatusErrors: true,
		timeout: timeoutMs,
	};
}
