import type { IHttpRequestOptions } from 'n8n-workflow';
import type { Call, Outcome } from '../call';
import { isSuccess } from '../call';
import type { Connection, ServiceFunctions } from '../connection/connection';
import { afterRenewal, sendForAnyStatus } from './renewal';

/**
 * Sends a call once and returns its outcome.
 *
 * The body is taken as a stream, and read and parsed here: n8n does not limit its size, and axios returns unparseable
 * JSON as a string, which cannot be told from a JSON string. Redirects are not followed: n8n would send the key along to
 * another host. Statuses are returned instead of thrown: n8n 2.41.1 sends a request that throws on 401 a second time
 * with the same API key (measured).
 */
export async function send(
	functions: ServiceFunctions,
	connection: Connection,
	call: Call,
	timeoutMs: number,
): Promise<Outcome> {
	const request = { functions, connection, options: optionsFor(connection, call, timeoutMs), timeoutMs };
	const outcome = await sendForAnyStatus(request);
	if (!connection.refreshable || isSuccess(outcome) || outcome.kind === 'unsent') return outcome;
	return await afterRenewal(request, outcome);
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
