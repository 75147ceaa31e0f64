import type { Failure as Cause, NodeApiError } from 'n8n-workflow';
import type { NoResponse, Recovers, Response } from '../call';

/**
 * Returns the cause of a failure, with the wait that the service names; `undefined` if the outcome does not tell. n8n 2.41 bases
 * its backoff after a failed poll on the cause: at least the wait, up to an hour, and half an hour for a cause that needs a
 * person. It stores the cause with a failed execution (both measured on 2.41.1), and passes it to the error workflow as
 * `$json.execution.error.failure` (read).
 */
export function causeOf(outcome: Response | NoResponse): Cause | undefined {
	if (outcome.kind === 'no response') {
		return outcome.recovers === 'no' ? undefined : { cause: 'temporarily-unavailable' };
	}
	const { status, retryAfterMs } = outcome;
	// The wait is a duration, not the time of the reset: the clocks of n8n and the service may differ.
	const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
	// The cause is never a quota: nothing tells a day's limit from a minute's (API document, Errors, Limits). n8n waits as long.
	if (status === 429) return { cause: 'rate-limited', ...wait };
	if (status >= 500) return { cause: 'temporarily-unavailable', ...wait };
	if (status === 401) return { cause: 'credential-invalid' };
	// The key is valid, but the operation is not allowed (API document, Authentication, rule 2).
	if (status === 403) return { cause: 'configuration-invalid' };
	// A 404 may mean a deployment or a rejected cursor. A proxy, the network or the service may cause an unreadable page.
	return undefined;
}

/** Adds the cause (plain data, which n8n before 2.41 ignores) and, for polls, whether the failure recovers without help. */
export function withCause(error: NodeApiError, cause: Cause | undefined, recovers: Recovers): NodeApiError {
	if (cause !== undefined) error.failure = cause;
	error.context.recovers = recovers;
	return error;
}
