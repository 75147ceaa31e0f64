import type { Starts } from './memory/memory';
import { earliestStart, latestStart, READINGS } from './period';
import type { Position } from './state';
import { pagesRead } from './state';

/** Returns the position furthest back, the first of equal ones. A trigger may go back between two emissions. */
export function furthestBack(positions: readonly Position[], own: Position): Position {
	return [...positions, own].reduce((furthest, one) => (isFurtherBack(one, furthest) ? one : furthest));
}

/** Whether a trigger at `one` has read less than one at `other`. */
export function isFurtherBack(one: Position, other: Position): boolean {
	const [rank, others] = [rankOf(one), rankOf(other)];
	const at = rank.findIndex((value, index) => value !== others[index]);
	return at >= 0 && (rank[at] as number) < (others[at] as number);
}

/**
 * Moves an emission back to where a later poll began, if that is further back. That poll reads past the emission's records, which
 * the memory knows, and no later poll looks back that far again.
 */
export function moveBack<E extends { origin: Position }>(emission: E, origin: Position): E {
	return { ...emission, origin: furthestBack([emission.origin], origin) };
}

export function startsOf(position: Position): Starts {
	const underWay = position.phase === 'sweeping' ? position.sweep.walk.startedAt : null;
	return {
		earliest: Math.min(position.watermark ?? Infinity, earliestStart(position.readings), underWay ?? Infinity),
		latest: underWay ?? latestStart(position) ?? Infinity,
	};
}

/** Returns how far a trigger has read: since when, how many times, and how many pages of the sweep under way. */
function rankOf(position: Position): number[] {
	const { watermark, readings } = position;
	const since = Math.min(watermark ?? -Infinity, earliestStart(readings));
	if (position.phase === 'between') return [since, readings.length, 0];
	// The last sweep of a period is further than any other.
	const { isLast, walk } = position.sweep;
	return [since, isLast ? READINGS : readings.length, 1 + pagesRead(walk)];
}
