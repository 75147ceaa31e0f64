import type { Outcome, Response } from '../call';
import { TOKEN_SERVER_FAILED } from '../errors/failures';
import type { Exchange } from './exchange';
import { exchange, failureOf, secretsNotLearned } from './exchange';
import { reasonOf } from './thrown';
import { inTurn } from './turns';

// The rejected request, the one to the token server, and the first once more.
const REQUESTS_OF_A_RENEWAL = 3;

/** Sends with the access token of the credential; no status makes n8n renew it. */
export async function sendForAnyStatus(request: Exchange): Promise<Outcome> {
	const outcome = await exchange(request, { mayRenew: false });
	if (outcome.kind !== 'unattributed') return outcome;
	return failureOf(request.connection, outcome.error.code, outcome.error.message);
}

/**
 * What an outcome comes to where n8n can renew the access token. After a 401 the request is sent again, that time to throw,
 * because only that makes n8n renew the token, unless another request has got a new one since. One at a time: n8n 1.x would
 * renew once for each request that throws, and a service whose refresh tokens work once takes the second renewal for a theft
 * and revokes the whole grant (measured on 1.123.81). Later requests find the new token in the credential.
 */
export async function afterRenewal(request: Exchange, outcome: Outcome): Promise<Outcome> {
	const { connection } = request;
	if (!isUnauthorized(outcome)) return (await secretsNotLearned(connection)) ?? outcome;
	return await inTurn(connection.reference, async () => await sendWithRenewal(request, outcome));
}

function isUnauthorized(outcome: Outcome): outcome is Response {
	return outcome.kind === 'response' && outcome.status === 401;
}

async function sendWithRenewal(request: Exchange, unauthorized: Response): Promise<Outcome> {
	const { connection, timeoutMs } = request;
	const outcome = await exchange({ ...request, timeoutMs: REQUESTS_OF_A_RENEWAL * timeoutMs }, { mayRenew: true });
	if (outcome.kind === 'unsent') return { ...unauthorized, notRenewed: connection.redact(reasonOf(outcome.thrown)) };
	if (outcome.kind !== 'unattributed') return outcome;
	const { error } = outcome;
	if (error.url === undefined) {
		// n8n 1.x does not say which request failed, this one or its own to the token server: find out without a renewal.
		const second = await sendForAnyStatus(request);
		if (!isUnauthorized(second) || error.status === 401) return second;
	}
	return failureOf(connection, TOKEN_SERVER_FAILED, error.message);
}
