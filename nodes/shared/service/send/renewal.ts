import { isSuccess } from '../call';
import { isPlainRejection } from '../change';
import type { LaterPage } from '../context';
import { inTime } from './body';
import type { Exchanged, Received, Sending } from './exchange';
import { exchange, noResponseFor } from './exchange';
import { TOKEN_SERVER_FAILED } from './networkFailures';
import type { FailedRequest } from './thrown';
import { innermostMessage } from './thrown';

// n8n sends the rejected request, the request to the token server, and the rejected request once more.
const REQUESTS_OF_A_RENEWAL = 3;

const lastTurns = new Map<string, Promise<unknown>>();

/**
 * Returns the final outcome for a credential whose token n8n can renew. n8n renews the token only when a 401 throws, so the
 * request is sent again with options that make it throw. One renewal runs at a time, and later requests find the new token in
 * the credential: n8n before 2.30 would renew once for each, and a service whose refresh tokens work once takes the second
 * renewal for a theft and revokes the whole grant (measured on 1.123.81). The outcome is
 *
 * after a success, or without a request  the same
 * after any other response or failure    the same, unless the credential cannot be read in time (`relearnSecrets`)
 * after a 401                            that of the renewal (`renewed`), or the 401 if the request is cancelled before its turn
 * after a cancellation in its turn       no response
 */
export async function afterRenewal(sending: Sending, first: Exchanged, page?: LaterPage): Promise<Exchanged> {
	if (isSuccess(first) || first.kind === 'unsent') return first;
	const { connection, cancellation } = sending;
	// Another request may have renewed the token, and a response may quote the new one.
	if (!isUnauthorized(first)) return (await relearnSecrets(sending, first)) ?? first;
	let hasTurn = false;
	const renewal = inTurn(connection.reference, async () => {
		if (cancellation?.aborted) return first;
		hasTurn = true;
		return await renewed(sending, first, page);
	});
	if (cancellation === undefined) return await renewal;
	// No signal ends n8n's request for a token. The request keeps its turn until it is over.
	return await inTime(cancellation, async () => await renewal).catch((error: unknown) => {
		if (!cancellation.aborted) throw error;
		return hasTurn ? noResponseFor(error, 'ETIMEDOUT') : first;
	});
}

function isUnauthorized(outcome: Exchanged): outcome is Received {
	return outcome.kind === 'response' && outcome.status === 401;
}

/**
 * Sends the request again with n8n's renewal. What the exchange says leads to the outcome:
 *
 * the credential cannot be read in time  no response (`relearnSecrets`)
 * nothing was sent                       the 401, with the reason
 * a response, or a failure of this one   the same
 * a failure of another request           the token server failed, and the request was rejected
 * a failure of unknown origin            what `askedAgain` says
 */
async function renewed(sending: Sending, unauthorized: Received, page?: LaterPage): Promise<Exchanged> {
	const { options, timeoutMs } = sending;
	const throwing = { ...sending, options: { ...options }, timeoutMs: REQUESTS_OF_A_RENEWAL * timeoutMs };
	delete throwing.options.ignoreHttpStatusErrors;
	const outcome = await exchange(throwing);
	const unlearned = await relearnSecrets(sending, outcome);
	if (unlearned !== undefined) return unlearned;
	if (outcome.kind === 'unsent') return { ...unauthorized, notRenewed: innermostMessage(outcome.thrown) };
	if (outcome.kind === 'response' || outcome.of === 'this request') return outcome;
	// n8n requests a token only after a 401.
	if (outcome.of === 'another') return { ...outcome, code: TOKEN_SERVER_FAILED, isRejected: true };
	return (await askedAgain(sending, outcome, page)) ?? { ...outcome, code: TOKEN_SERVER_FAILED };
}

/**
 * Asks without renewal after a failure that may be that of this request or of n8n's own to the token server: any on n8n 1.x, and
 * a timeout. Returns `undefined` if the token server failed.
 */
async function askedAgain(sending: Sending, failed: FailedRequest, page?: LaterPage): Promise<Exchanged | undefined> {
	// Asking again would skip a page that comes only once.
	if (page?.comesOnce === true) return failed;
	const second = await exchange(sending);
	if (second.kind === 'unsent') return failed;
	if (isUnauthorized(second) && failed.status !== 401) return undefined;
	// The request that failed may have made a change, or moved a scroll on, unless it was plainly rejected.
	const didNothing = failed.status !== undefined && isPlainRejection(failed.status);
	return second.kind === 'response' && !didNothing ? { ...second, isResent: true } : second;
}

/**
 * Learns the secrets again, because n8n may have renewed the token. Returns the failure if the credential cannot be read in time:
 * the response may hold a token that cannot be redacted, so it is dropped, and the request retried with the same idempotency key.
 */
async function relearnSecrets(
	{ connection, timeoutMs }: Sending,
	outcome: Exchanged,
): Promise<FailedRequest | undefined> {
	// If the token server failed, or n8n sent nothing, the service has rejected the request before.
	const isRejected =
		outcome.kind === 'response'
			? isPlainRejection(outcome.status)
			: outcome.kind === 'unsent' || outcome.of === 'another';
	// Begun here, so that what throws at once is a fault of this code, not one of the credential.
	const current = connection.read();
	return await inTime(AbortSignal.timeout(Math.ceil(timeoutMs)), async () => await current).then(
		() => undefined,
		(error: unknown) => ({ ...noResponseFor(error, ''), ...(isRejected && { isRejected }) }),
	);
}

/** Runs work with one key in turn, first come first served. Work with another key does not wait for it. */
export async function inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
	const turn = (lastTurns.get(key) ?? Promise.resolve()).then(work);
	const over = turn.catch(() => {});
	lastTurns.set(key, over);
	try {
		return await turn;
	} finally {
		if (lastTurns.get(key) === over) lastTurns.delete(key);
	}
}
