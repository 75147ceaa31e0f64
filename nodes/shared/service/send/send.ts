import type { IHttpRequestOptions } from 'n8n-workflow';
import type { Call, Outcome, Response } from '../call';
import { isSuccess } from '../call';
import type { Connection } from '../connection/connection';
import type { Situation } from '../context';
import { isForEditor } from '../context';
import { parseBody } from './body';
import type { Received } from './exchange';
import { exchange } from './exchange';
import { readFacts } from './facts';
import { networkFailure } from './networkFailures';
import { afterRenewal } from './renewal';

/** The length of the shortest secret that is redacted from a response. A shorter secret may be a part of any word or ID. */
const MIN_SECRET = 8;

/**
 * Sends a call once, and returns the outcome (README.md). A response of any status is read to its end and parsed. With OAuth2, a
 * renewal may send it again, within three times the timeout (renewal.ts). Only the error that n8n threw when it sent nothing may
 * hold a secret.
 */
export async function send(
	situation: Pick<Situation, 'functions' | 'connection' | 'call' | 'page' | 'retry' | 'clock' | 'cancellation'>,
): Promise<Outcome> {
	const { functions, connection, call, page, clock, cancellation } = situation;
	const { timeoutMs } = situation.retry;
	const options = optionsFor(connection, call, timeoutMs);
	const sending = { functions, connection, cancellation, options, timeoutMs };
	const first = await exchange(sending);
	const last = connection.isRefreshable ? await afterRenewal(sending, first, page) : first;
	// Redaction comes last: a renewal adds a secret to the connection, and both outcomes may hold it.
	if (last.kind === 'unsent') return last;
	if (last.kind === 'response') return responseFrom(last, connection, clock.now());
	const { code, isRejected } = last;
	const detail = connection.redact(last.detail);
	const { recovers, happened, next: withOptions, nextInForm = withOptions } = networkFailure(code);
	const next = isForEditor(functions) ? nextInForm : withOptions;
	return { kind: 'no response', code, detail, recovers, happened, next, ...(isRejected && { isRejected }) };
}

function responseFrom(received: Received, connection: Connection, now: number): Response {
	const { status, headers, notRenewed, isResent } = received;
	const redact = (text: string) => connection.redact(text, MIN_SECRET);
	const lowerCased: Record<string, string> = {};
	for (const [name, value] of Object.entries(headers)) lowerCased[name.toLowerCase()] = redact(String(value));
	const read = parseBody(received, redact);
	const body = 'body' in read ? read.body : undefined;
	const facts = readFacts(body, lowerCased, now);
	const response: Response = {
		kind: 'response',
		status,
		headers: lowerCased,
		body,
		...facts,
		...(isResent && { isResent }),
	};
	if (notRenewed !== undefined) return { ...response, notRenewed: connection.redact(notRenewed) };
	return 'unusable' in read && isSuccess(response) ? { ...response, unusable: read.unusable } : response;
}

/**
 * The body is a stream, because n8n does not limit its size, and axios returns broken JSON as a string. A redirect would send the
 * key to another host. No status throws: on a 401, n8n 2.41.1 would send the request again, with the same API key (measured).
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
