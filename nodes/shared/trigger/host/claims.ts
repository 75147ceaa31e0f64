import type { IPollFunctions } from 'n8n-workflow';
import { messageOf, nameInLog } from '../../errorText';
import { systemClock } from '../../service/clock';
import { budgetMsOf, isTimed } from './pollTime';
import type { Trigger } from './store/trigger';

export interface Claim {
	readonly trigger: Trigger;
	/** Whether n8n makes this poll to activate the workflow or publish it again. If it throws, n8n does not activate it. */
	readonly isActivation: boolean;
	/** Whether n8n activates the workflow because it starts, or takes over from another main process. n8n then records no failed execution. */
	readonly isAtStart: boolean;
	/** Whether the claim still holds: no other poll has taken over. */
	isHeld(): boolean;
	release(): void;
	/**
	 * Ends a failed poll. @throws the error, unless the poll is that of n8n's own start: after an error, n8n 2.41.1 would never poll
	 * again unless somebody published the workflow, even after another start. Nor would n8n 1.x, if the error has the word
	 * "Authorization" (both measured). n8n 2.x also activates by itself as if somebody published (its reconciler, read in 2.41.1).
	 */
	fail(error: unknown): null;
}

// A poll that takes longer, and more than twice its time limit, waits for n8n, such as for a credential.
const MIN_HUNG_MS = 600_000;

// The functions with which n8n has polled, for any trigger.
const used = new WeakSet<IPollFunctions>();

/**
 * Claims the trigger for a poll; `undefined` while another one is under way: n8n lets both run, and they would emit the same records.
 * A poll of an activation takes over, and so does any poll from one that hangs. The earlier poll then saves and emits nothing: n8n
 * 2.x would drop its records, but n8n 1.x would emit them (measured on 1.123.81).
 */
export function claimPoll(functions: IPollFunctions, trigger: Trigger): Claim | undefined {
	const isActivation = isOfActivation(functions);
	const isAtStart = isActivation && ['init', 'leadershipChange'].includes(functions.getActivationMode());
	used.add(functions);
	const now = systemClock.monotonic();
	if (trigger.held !== undefined && now < trigger.held.until && !isActivation) return undefined;
	const held = (trigger.held = { until: now + Math.max(MIN_HUNG_MS, 2 * budgetMsOf(functions)) });
	const isHeld = () => trigger.held === held;
	const release = () => {
		if (isHeld()) trigger.held = undefined;
	};
	const fail = (error: unknown) => {
		if (!isAtStart) throw error;
		const reason = messageOf(error);
		functions.logger.warn(`${nameInLog(functions)}: this poll failed, and the next one tries again. Reason: ${reason}`);
		return null;
	};
	return { trigger, isActivation, isAtStart, isHeld, release, fail };
}

/**
 * n8n creates functions for each activation, polls with them at once, and keeps them and their mode for the scheduled polls. Only
 * the scheduler of 2.x creates new functions for each scheduled poll. Their mode is that of a workflow published again, but n8n
 * measures their time (read in 1.123.81 and 2.41.1).
 */
function isOfActivation(functions: IPollFunctions): boolean {
	const isOfScheduler = functions.getActivationMode() === 'update' && isTimed(functions);
	return !used.has(functions) && !isOfScheduler;
}
