import type { IPollFunctions } from 'n8n-workflow';
import type { Source } from '../source';
import { isTimed } from './pollTime';
import type { Trigger } from './store/trigger';
import { nameOf, pollingTrigger } from './store/trigger';

/** A trigger, for the time of one poll. */
export interface Claim {
	/** What this process knows of it. */
	readonly trigger: Trigger;
	/** Where its state is in the workflow's global static data. */
	readonly stateKey: string;
	/** Whether n8n makes this poll to activate the workflow, or to publish one that ran before. If the poll throws, n8n does not activate the workflow. */
	readonly isActivation: boolean;
	/** Whether the claim still holds: no poll of an activation has taken over. */
	isHeld(): boolean;
	release(): void;
}

// The functions with which n8n has polled, whatever trigger they are of.
const used = new WeakSet<IPollFunctions>();

/**
 * Claims the trigger for a poll; `undefined` while another poll is under way. n8n notices when two polls of one node run at once, but
 * lets them. Both would emit the same.
 *
 * An activation takes over. Both polls continue from the same state and would emit the same, so the earlier one then does nothing:
 * n8n 2.x drops what it returns, but n8n 1.x emits it (measured on 1.123.81).
 */
export function claimPoll(functions: IPollFunctions, source: Pick<Source, 'stateKey'>): Claim | undefined {
	const isActivation = isOfActivation(functions);
	used.add(functions);
	const stateKey = source.stateKey + functions.getNode().id;
	const trigger = pollingTrigger(nameOf(functions, stateKey));
	if (trigger.heldBy !== undefined && !isActivation) return undefined;
	trigger.heldBy = functions;
	const isHeld = () => trigger.heldBy === functions;
	const release = () => {
		if (isHeld()) trigger.heldBy = undefined;
	};
	return { trigger, stateKey, isActivation, isHeld, release };
}

/**
 * Read in 1.123.81 and 2.41.1: n8n creates the functions of a poll for each activation, polls with them at once, and keeps
 * them for the scheduled polls; their mode stays that of the activation. Only the scheduler of 2.x creates new ones for
 * each scheduled poll, in the mode of a workflow that is published again, but with a time that it measures.
 */
function isOfActivation(functions: IPollFunctions): boolean {
	const isOfScheduler = functions.getActivationMode() === 'update' && isTimed(functions);
	return !used.has(functions) && !isOfScheduler;
}
