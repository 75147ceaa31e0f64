import type { IPollFunctions } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import { isUnknownHost, networkFailure } from '../shared/service/failures';
import { budgetMsOf, UNMEASURED_BUDGET_MS } from './pollTime';

const polledWith = new WeakSet<IPollFunctions>();

/**
 * Whether n8n makes this poll to activate the workflow, which it does not do if the poll throws: also of one that ran
 * before, when it is published anew. To be asked once in each poll.
 *
 * Read in 1.123.81 and 2.41.1: n8n makes the functions of a poll anew for each activation, polls with them at once, and
 * goes on to poll with the same ones on schedule; their mode stays the one of the activation. Only the scheduler of 2.x
 * makes new ones for each scheduled poll, in the mode of a workflow that is published anew, but with a time it measures.
 */
export function isActivation(functions: IPollFunctions): boolean {
	const isFirst = !polledWith.has(functions);
	polledWith.add(functions);
	const isOfScheduler = functions.getActivationMode() === 'update' && budgetMsOf(functions) !== UNMEASURED_BUDGET_MS;
	return isFirst && !isOfScheduler;
}

/**
 * Whether a failure passes by itself, as an outage or a spent budget does; a wrong key, scope, address or certificate
 * does not. A host name that is not known may be an outage of the look-up, unless it has never been heard from.
 */
export function isPassing(failure: unknown, isFirstPoll: boolean): boolean {
	if (!(failure instanceof NodeApiError)) return false;
	const { httpCode, context } = failure;
	if (httpCode !== null) return httpCode === '429' || Number(httpCode) >= 500;
	// Without a code it is not about a request: n8n would not send it.
	const code: unknown = context.failureCode;
	return typeof code === 'string' && networkFailure(code).retryable && !(isFirstPoll && isUnknownHost(code));
}
