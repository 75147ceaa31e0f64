import { pagesOf } from '../../service/trail';
import type { Position, Reading, Started } from './state';

/*
 * Positions of one trigger. To redeliver several emissions, it reads on from the one furthest back. Where an emission began moves,
 * too:
 *
 * inServiceTime   unbegun  → begun          the poll has read a page of a first sweep from a date
 * moveBack        anywhere → further back   a later poll began before it
 */

/**
 * Returns the position that reaches back furthest, the first of several that reach equally far. An emission may begin further
 * back than one before it: the trigger has gone back in between.
 */
export function furthestBack(positions: readonly Position[], own: Position): Position {
	return [...positions, own].reduce((furthest, one) => (isFurtherBack(one, furthest) ? one : furthest));
}

/** Whether a trigger at `one` has read less than at `other`. */
export function isFurtherBack(one: Position, other: Position): boolean {
	const [progress, others] = [progressOf(one), progressOf(other)];
	const at = progress.findIndex((value, index) => value !== others[index]);
	return at >= 0 && (progress[at] as number) < (others[at] as number);
}

/**
 * Returns an emission that n8n may not have stored, moved back to where a later poll began, if that is further back: that poll and
 * the next ones pass its records, which the memory knows, and do not look back that far again.
 */
export function moveBack<E extends { from: Position }>(emission: E, began: Position): E {
	return { ...emission, from: furthestBack([emission.from], began) };
}

/**
 * Returns where a poll began, once it has read a page. It tells the start of a first sweep from a date by the service's clock; n8n's
 * may have been set before an emission is redelivered from there.
 * @param state what the poll leaves.
 */
export function inServiceTime(from: Position, state: Started): Position {
	if (from.phase === 'between' || from.sweep.activatedAt === undefined) return from;
	const startedAt = Math.min(state.watermark ?? Infinity, readingsSince(state));
	if (!Number.isFinite(startedAt)) return from;
	return { ...from, sweep: { ...from.sweep, startedAt, activatedAt: undefined } };
}

/** Returns when the first reading began, or the sweep that becomes it; Infinity when neither has. */
export function readingsSince(position: Position): number {
	const { startedAt } = position.phase === 'sweeping' ? position.sweep : { startedAt: null };
	return Math.min(earliestStart(position.readings), startedAt ?? Infinity);
}

/** Returns the earliest start; Infinity without readings. A later reading may have it: the clock was ahead before. */
export function earliestStart(readings: Reading[]): number {
	return Math.min(...readings.map(({ startedAt }) => startedAt));
}

/** Returns how far a trigger has read: since when, how often, and the pages of the sweep under way. */
function progressOf(position: Position): number[] {
	const { watermark, readings } = position;
	const pages = position.phase === 'between' ? 0 : 1 + pagesOf(position.sweep.trail);
	return [Math.min(watermark ?? -Infinity, earliestStart(readings)), readings.length, pages];
}
