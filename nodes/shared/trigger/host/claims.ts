import type { IPollFunctions } from 'n8n-workflow';
import { systemClock } from '../../service/clock';
import type { Source } from '../source';
import { isTimed } from './pollTime';

/** A node that has not polled for this long is gone. n8n's longest interval is a month; a cron expression may have a longer one. */
export const GONE_AFTER_MS = 90 * 86_400_000;

/** A trigger, for the time of one poll. */
export interface Claim {
	/** Where its state is in the workflow's global static data. */
	readonly stateKey: string;
	/** Whether n8n makes this poll to activate the workflow, or to publish one that ran before. If the poll throws, n8n does not activate the workflow. */
	readonly isActivation: boolean;
	/** Whether the claim still holds: no poll of an activation has taken over. */
	isHeld(): boolean;
	release(): void;
}

/** What this process has polled, by nameOf: when last, on the monotonic clock, and the poll under way. */
const polled = new Map<string, { at: number; heldBy: IPollFunctions | undefined }>();

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
	const name = nameOf(functions, stateKey);
	const at = systemClock.monotonic();
	const heldBy = polled.get(name)?.heldBy;
	const isHeldByOther = heldBy !== undefined && !isActivation;
	polled.set(name, { at, heldBy: isHeldByOther ? heldBy : functions });
	for (const [known, other] of polled) if (at - other.at > GONE_AFTER_MS) polled.delete(known);
	if (isHeldByOther) return undefined;
	const isHeld = () => polled.get(name)?.heldBy === functions;
	const release = () => {
		const own = polled.get(name);
		if (own !== undefined && isHeld()) own.heldBy = undefined;
	};
	return { stateKey, isActivation, isHeld, release };
}

/** Names a trigger of the same workflow in this process. */
export function nameOf(functions: IPollFunctions, stateKey: string): string {
	return `${functions.getWorkflow().id ?? ''}\n${stateKey}`;
}

/** Whether this process polls the trigger of that name. */
export function isPolledHere(name: string): boolean {
	return polled.has(name);
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
