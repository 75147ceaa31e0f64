import type { Failure as Cause, NodeApiError } from 'n8n-workflow';
import type { NoResponse, Recovers, Response } from '../call';
import { isSuccess } from '../call';

/**
 * Why a request failed, in n8n's words, with the wait that the service names; `undefined` where the outcome does not tell.
 * n8n 2.41 bases its backoff from a failed poll on it: at least the wait, up to an hour, and half an hour for a cause that
 * needs a person. It never stops polling (measured on 2.41.1). Of a failed execution, n8n stores it with the error and passes
 * it to the error workflow, where `$json.execution.error.failure` has the wait (stored: measured, passed: read in 2.41.1).
 */
export function causeOf(outcome: Response | NoResponse): Cause | undefined {
	if (outcome.kind === 'no response')
		return outcome.recovers === 'no' ? undefined : { cause: 'temporarily-unavailable' };
	const { status, retryAfterMs } = outcome;
	// A duration, not the time of the reset: the clocks of n8n and the service may differ.
	const wait = retryAfterMs === undefined ? {} : { retryAfterMs };
	// Never a quota: the API document does not say how to tell the daily budget from that of a minute (Errors, Limits), and n8n
	// waits as long for either.
	if (status === 429) return { cause: 'rate-limited', ...wait };
	if (status >= 500) return { cause: 'temporarily-unavailable', ...wait };
	if (status === 401) return { cause: 'credential-invalid' };
	// The key is valid, but what the node does is not allowed (API document, Authentication, rule 2).
	if (status === 403) return { cause: 'configuration-invalid' };
	// A 404 may be a deployment or a rejected cursor; an unreadable page a proxy's, the network's or the service's.
	return undefined;
}

/** Whether a request that failed will succeed without help: after a wrong key, scope, address or certificate it will not. */
export function recoversOf(outcome: Response | NoResponse): Recovers {
	if (outcome.kind === 'no response') return outcome.recovers;
	const { status, unusable } = outcome;
	if (status === 429 || status >= 500) return 'yes';
	const mayBeCutOff = unusable === undefined || unusable === 'was cut off or not JSON';
	return isSuccess(outcome) && mayBeCutOff ? 'not at first' : 'no';
}

/** Declares on the error its cause, as plain data that n8n before 2.41 ignores, and for polls whether it recovers without help. */
export function declare(error: NodeApiError, cause: Cause | undefined, recovers: Recovers): NodeApiError {
	if (cause !== undefined) error.failure = cause;
	error.context.recovers = recovers;
	return error;
}
