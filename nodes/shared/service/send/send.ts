import type { IHttpRequestOptions } from 'n8n-workflow';
import type { Call, Outcome, Response } from '../call';
import { isSuccess } from '../call';
import type { Connection } from '../connection/connection';
import type { Situation } from '../context';
import { parseBody } from './body';
import type { Received } from './exchange';
import { exchange } from './exchange';
import { readFacts } from './facts';
import { networkFailure } from './networkFailures';
import { afterRenewal } from './renewal';

/** A shorter secret is not redacted from a response: it may be a part of any word or ID. */
const MIN_SECRET = 8;

/**
 * Sends a call once, and returns the outcome. A response of any status is read to its end and parsed, a whole number beyond 2^53
 * as the text of its digits. A success whose body cannot be used says why (`unusable`); such a rejection has no body. The outcome
 * has all that callers need: the request ID, the wait and the message of a response, and the meaning of a code where none came.
 *
 * After a 401 n8n renews an OAuth2 token, one renewal of a credential at a time, and sends the call again. Both have three times
 * the timeout together. A 401 may be `notRenewed`; a token server that is down counts as no response, and so does a response whose
 * new token could not be learned. Only what n8n threw when it sent nothing may hold a secret.
 */
export async function send(
	situation: Pick<Situation, 'functions' | 'connection' | 'call' | 'retry' | 'clock'>,
): Promise<Outcome> {
	const { functions, connection, call, clock } = situation;
	const { timeoutMs } = situation.retry;
	const sending = { functions, connection, options: optionsFor(connection, call, timeoutMs), timeoutMs };
	const first = await exchange(sending);
	const last = connection.isRefreshable ? await afterRenewal(sending, first) : first;
	// Outcomes are redacted only now: a renewal adds a secret to the connection, which each of them may hold.
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
 * Returns the options of n8n's request. The body is a stream, which this package reads and parses: n8n does not limit its
 * size, and axios returns unparseable JSON as a string, like a JSON string. Redirects are not followed: n8n would send the key
 * along to another host. Statuses are returned, not thrown: n8n 2.41.1 sends a request that throws on 401 a second time with
 * the same API key (measured).
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
