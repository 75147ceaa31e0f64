import type { IPollFunctions } from 'n8n-workflow';
import { systemClock } from '../../service/clock';
import { adjustStart } from '../core/cycle';
import type { State } from '../core/state';
import { budgetMsOf, UNMEASURED_BUDGET_MS } from './pollTime';
import type { Trigger } from './trigger';

// Not a part of Trigger: an activation is known by functions with which n8n has not polled, whatever trigger they are of.
const used = new WeakSet<IPollFunctions>();

/**
 * Whether n8n makes this poll to activate the workflow, or to publish one that ran before. If the poll throws,
 * n8n does not activate it. Ask before `notePoll`.
 *
 * Read in 1.123.81 and 2.41.1: n8n creates the functions of a poll for each activation, polls with them at once, and keeps
 * them for the scheduled polls; their mode stays that of the activation. Only the scheduler of 2.x creates new ones for
 * each scheduled poll, in the mode of a workflow that is published again, but with a time that it measures.
 */
export function isActivationPoll(functions: IPollFunctions): boolean {
	const isOfScheduler = functions.getActivationMode() === 'update' && budgetMsOf(functions) !== UNMEASURED_BUDGET_MS;
	return !used.has(functions) && !isOfScheduler;
}

/** Notes that n8n polls with these functions. */
export function notePoll(functions: IPollFunctions): void {
	used.add(functions);
}

/**
 * Corrects the time of activation of a trigger that is still starting. Its first sweep reaches back to the activation, and
 * the clock may have been set since. Only the process that started the trigger can measure it.
 */
export function withStart({ startedAt }: Pick<Trigger, 'startedAt'>, state: State): State {
	if (startedAt === undefined || state.activatedAt === null) return state;
	return adjustStart(state, systemClock.now() - (systemClock.monotonic() - startedAt));
}
