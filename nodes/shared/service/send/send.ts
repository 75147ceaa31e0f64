import type { IHttpRequestOptions } from 'n8n-workflow';
import type { Call, Outcome } from '../call';
import type { Connection, ServiceFunctions } from '../connection/connection';
import { exchange } from './exchange';
import { afterRenewal } from './renewal';

/** Sends a call once and returns its outcome, without secrets. Only an OAuth2 credential may take more than one exchange. */
export async function send(
	functions: ServiceFunctions,
	connection: Connection,
	call: Call,
	timeoutMs: number,
): Promise<Outcome> {
	const sending = { functions, connection, options: optionsFor(connection, call, timeoutMs), timeoutMs };
	const { outcome: first } = await exchange(sending);
	const outcome = connection.refreshable ? await afterRenewal(sending, first) : first;
	return outcome.kind === 'failure' ? { ...outcome, detail: connection.redact(outcome.detail) } : outcome;
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
