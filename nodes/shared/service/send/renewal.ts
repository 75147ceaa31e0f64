import type { Failure, Outcome, Response } from '../call';
import { isSuccess } from '../call';
import type { Connection } from '../connection/connection';
import { TOKEN_SERVER_FAILED } from '../errors/failures';
import type { Sending } from './exchange';
import { exchange } from './exchange';
import { reasonOf, requestErrorIn } from './thrown';
import { inTurn } from './turns';

// The rejected request, the one to the token server, and the first once more.
const REQUESTS_OF_A_RENEWAL = 3;

/**
 * What the first outcome comes to where n8n can renew the access token. After a 401 the request is sent again, that time to
 * throw, because only that makes n8n renew the token, unless another request has got a new one since. One at a time: n8n 1.x
 * would renew once for each request that throws, and a service whose refresh tokens work once takes the second renewal for a
 * theft and revokes the whole grant (measured on 1.123.81). Later requests find the new token in the credential.
 */
export async function afterRenewal(sending: Sending, first: Outcome): Promise<Outcome> {
	if (isSuccess(first) || first.kind === 'unsent') return first;
	const { connection } = sending;
	if (!isUnauthorized(first)) return (await secretsNotLearned(connection)) ?? first;
	return await inTurn(connection.reference, async () => await renewed(sending, first));
}

function isUnauthorized(outcome: Outcome): outcome is Response {
	return outcome.kind === 'response' && outcome.status === 401;
}

async function renewed(sending: Sending, unauthorized: Response): Promise<Outcome> {
	const { connection, options, timeoutMs } = sending;
	const throwing = { ...options };
	delete throwing.ignoreHttpStatusErrors;
	const outcome = await exchange(
		{ ...sending, options: throwing, timeoutMs: REQUESTS_OF_A_RENEWAL * timeoutMs },
		async (thrown) => (await secretsNotLearned(connection)) ?? unlessOfRequest(options.url, thrown),
	);
	if (outcome.kind !== 'unsent') return outcome;
	const error = requestErrorIn(outcome.thrown);
	if (error === undefined) return { ...unauthorized, problem: connection.redact(reasonOf(outcome.thrown)) };
	if (error.url === undefined) {
		// n8n 1.x does not say which request failed, this one or its own to the token server: find out without a renewal.
		const second = await exchange(sending);
		if (!isUnauthorized(second) || error.status === 401) return second;
	}
	return { kind: 'failure', code: TOKEN_SERVER_FAILED, detail: error.message };
}

/** An error that may be of n8n's own request to the token server. n8n 1.x keeps no URL, and no response. */
function unlessOfRequest(url: string, thrown: unknown): Outcome | undefined {
	const error = requestErrorIn(thrown);
	if (error === undefined) return undefined;
	const isOfRequest = error.url === undefined ? error.response !== undefined : error.url.startsWith(url);
	return isOfRequest ? undefined : { kind: 'unsent', thrown };
}

/**
 * Learns the secrets again, because n8n may have renewed the token. Returns a failure if that fails: the response may hold
 * a token that cannot be redacted, so it is dropped and the request retried. A change that was made is not repeated: its key
 * is the same.
 */
async function secretsNotLearned(connection: Connection): Promise<Failure | undefined> {
	return await connection.read().then(
		() => undefined,
		(error: unknown) => ({ kind: 'failure', code: '', detail: reasonOf(error) }),
	);
}
