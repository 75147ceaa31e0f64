import { isStalled } from './cycle';
import { Endless, mayRecover, Stalled } from './failures';
import type { Occasion } from './occasion';
import { isAwaited } from './occasion';
import type { Walk } from './state';
import type { Stopped } from './walk';

/** The poll in which a sweep stopped. */
export interface StoppedPoll {
	hasEmitted: boolean;
	/** Whether the sweep may have emitted the same records before: the memory has forgotten some since it began. */
	mayRepeat: boolean;
	occasion: Occasion;
	/** Whether this poll has finished the start. */
	finishedStart: boolean;
}

/**
 * 4. Returns the failure of a poll whose sweep stopped before its last page; `undefined` if the poll keeps its progress. Only these
 * rows fail such a poll, because the next one would read the same pages again:
 *
 *            the sweep                          except
 * standstill A failure stopped it where it      The failure may recover, and the poll is awaited, or has at least finished the
 *            began, and it emitted nothing.     start.
 * undone     After a 500 it went back, and may  The same.
 *            have emitted the same before.
 * stalled    It started over too often in vain. The poll is awaited, or emitted records that the sweep cannot have emitted before.
 *
 * @param before the walk with which the poll began.
 */
export function fatalFailure(
	before: Walk,
	{ rest, failure, setback }: Stopped,
	{ hasEmitted, mayRepeat, occasion, finishedStart }: StoppedPoll,
): Error | undefined {
	const standsStill = hasEmitted ? mayRepeat && setback === 'went back' : rest.next?.cursor === before.next?.cursor;
	const isTolerated = mayRecover(failure) && (isAwaited(occasion) || finishedStart);
	if (failure !== undefined && standsStill && !isTolerated) return failure;
	const isEndless = failure instanceof Endless;
	const stalls = (setback === 'started over' || isEndless) && isStalled(rest);
	if (!stalls || isAwaited(occasion) || (hasEmitted && !mayRepeat)) return undefined;
	return isEndless ? failure : new Stalled(rest.setbacks);
}
