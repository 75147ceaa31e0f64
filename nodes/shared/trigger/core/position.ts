import { pagesOf } from '../../service/trail';
import type { Position, Reading, Started } from './state';
import { READINGS } from './state';

/*
 * The positions of one trigger. A trigger that redelivers several emissions reads on from the position furthest back. The
 * position where an emission began changes in two ways:
 *
 * inServiceTime   unbegun  → begun          The poll has read a page of a first sweep from a date.
 * moveBack        anywhere → further back   A later poll began further back.
 */

/**
 * Returns the position that is furthest back, the first of several equal ones. An emission may have begun further back than an
 * earlier one, because the trigger went back in between.
 */
export function furthestBack(positions: readonly Position[], own: Position): Position {
	return [...positions, own].reduce((furthest, one) => (isFurtherBack(one, furthest) ? one : furthest));
}

/** Whether a trigger at `one` has read less than a trigger at `other`. */
export function isFurtherBack(one: Position, other: Position): boolean {
	const [progress, others] = [progressOf(one), progressOf(other)];
	const at = progress.findIndex((value, index) => value !== others[index]);
	return at >= 0 && (progress[at] as number) < (others[at] as number);
}

/**
 * Returns an emission that n8n may not have stored, moved back to where a later poll began, if that is further back. That poll
 * reads past the emission's records, which the memory knows, and no later poll looks back that far again.
 */
export function moveBack<E extends { from: Position }>(emission: E, began: Position): E {
	return { ...emission, from: furthestBack([emission.from], began) };
}

/**
 * Returns the position where a poll began, once the poll has read a page. The start of a first sweep from a date is then in the
 * service's time, because n8n's clock may be set before an emission is redelivered from there.
 * @param state the state that the poll leaves.
 */
export function inServiceTime(from: Position, state: Started): Position {
	if (from.phase === 'between' || from.sweep.activatedAt === undefined) return from;
	const startedAt = Math.min(state.watermark ?? Infinity, readingsSince(state));
	if (!Number.isFinite(startedAt)) return from;
	return { ...from, sweep: { ...from.sweep, startedAt, activatedAt: undefined } };
}

/** Returns the earliest start of the readings and of the sweep under way; Infinity if none has begun. */
export function readingsSince(position: Position): number {
	const { startedAt } = position.phase === 'sweeping' ? position.sweep : { startedAt: null };
	return Math.min(earliestStart(position.readings), startedAt ?? Infinity);
}

/** Returns when the latest sweep began; Infinity if none has. */
export function latestStart(position: Position): number {
	const { startedAt } = position.phase === 'sweeping' ? position.sweep : { startedAt: null };
	return startedAt ?? position.readings.at(-1)?.startedAt ?? position.watermark ?? Infinity;
}

/** Returns the earliest start of the readings; Infinity for none. A later reading may have it, if the clock was ahead before. */
export function earliestStart(readings: Reading[]): number {
	return Math.min(...readings.map(({ startedAt }) => startedAt));
}

/**
 * Returns how far a trigger has read: since when, how many times, and how many pages of the sweep under way. A sweep that
 * `isLast` has read more than any other of its period, because none follows.
 */
function progressOf(position: Position): number[] {
	const { watermark, readings } = position;
	const since = Math.min(watermark ?? -Infinity, earliestStart(readings));
	if (position.phase === 'between') return [since, readings.length, 0];
	const { isLast, trail } = position.sweep;
	return [since, isLast ? READINGS : readings.length, 1 + pagesOf(trail)];
}
