import { isStalled } from './cycle';
import { Endless, mayRecover, Stalled } from './failures';
import type { Walk } from './state';
import type { Stopped } from './walk';

/** The poll in which a sweep stopped. */
export interface StoppedPoll {
	hasEmitted: boolean;
	/** Whether the sweep may have emitted the same records before: the memory has forgotten some since it began. */
	mayRepeat: boolean;
	/** See Occasion. */
	isAwaited: boolean;
	/** Whether this poll has finished the start. */
	finishedStart: boolean;
}

/**
 * 4. Returns the failure of a poll whose sweep stopped before its last page; `undefined` if the poll keeps its progress. A poll
 * that keeps nothing would read the same pages again, so only these two rows fail it:
 *
 *            the sweep                          except
 * standstill could not read its next page,      The failure may recover, and an activation waits for the poll, or the poll has
 *            and the poll emitted nothing       at least finished the start.
 * stalled    started over too often in vain     An activation waits for the poll, or the poll emitted records that the sweep
 *                                               cannot have emitted before.
 *
 * @param before the walk with which the poll began.
 */
export function fatalFailure(
	before: Walk,
	{ rest, failure, startedOver }: Stopped,
	{ hasEmitted, mayRepeat, isAwaited, finishedStart }: StoppedPoll,
): Error | undefined {
	const standsStill = !hasEmitted && rest.next?.cursor === before.next?.cursor;
	const isTolerated = mayRecover(failure) && (isAwaited || finishedStart);
	if (failure !== undefined && standsStill && !isTolerated) return failure;
	const isEndless = failure instanceof Endless;
	const stalls = (startedOver || isEndless) && isStalled(rest);
	if (!stalls || isAwaited || (hasEmitted && !mayRepeat)) return undefined;
	return isEndless ? failure : new Stalled(rest.setbacks);
}
