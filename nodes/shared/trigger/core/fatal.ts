import { isStalled } from './cycle';
import { Endless, mayRecover, Stalled } from './failures';
import type { Sweep } from './state';
import type { Stopped } from './walk';

/** The poll in which a sweep stopped; `horizon` is the memory's. */
export interface StoppedPoll {
	hasEmitted: boolean;
	horizon: number;
	/** Whether the poll is awaited (`isAwaited`), or has at least finished the start. */
	isTolerant: boolean;
}

export interface Fatal {
	because: 'standstill' | 'undone' | 'stalled';
	failure: Error;
}

/**
 * 4. Returns the failure of a poll whose sweep stopped before its last page, and the row that says why; `undefined` if the poll keeps
 * its progress. These rows fail it, or drop the sweep after the census: the next poll would read the same pages again.
 *
 *            the sweep                                                        except
 * standstill A failure stopped it where this part began; nothing is emitted.  The failure may recover, and the poll is tolerant.
 * undone     After a 500 it went back, and may have emitted the same before.  The same.
 * stalled    In this part it started over, or a cursor came back, and it      The poll is tolerant, or emitted records that the
 *            has started over too often in vain (`isStalled`).                sweep cannot have emitted before.
 *
 * @param before the sweep as this part of the poll found it.
 */
export function fatalFailure(
	before: Sweep,
	{ rest, failure, setback }: Stopped,
	{ hasEmitted, horizon, isTolerant }: StoppedPoll,
): Fatal | undefined {
	// The memory has forgotten records since the sweep began, so the sweep may have emitted the same before.
	const mayRepeat = before.isLast || horizon > before.horizon;
	if (failure !== undefined && !(isTolerant && mayRecover(failure))) {
		const standsStill = rest.next?.cursor === before.walk.next?.cursor;
		if (!hasEmitted && standsStill) return { because: 'standstill', failure };
		if (hasEmitted && mayRepeat && setback === 'went back') return { because: 'undone', failure };
	}
	const isEndless = failure instanceof Endless;
	const stalls = (setback === 'started over' || isEndless) && isStalled(rest);
	if (!stalls || isTolerant || (hasEmitted && !mayRepeat)) return undefined;
	return { because: 'stalled', failure: isEndless ? failure : new Stalled(rest.setbacks) };
}
