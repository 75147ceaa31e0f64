import { must } from './failures';

/** How many sweeps read a period. Each may skip a record: a cursor may be an offset, and a record before it change or go. */
export const READINGS = 3;

/** A complete sweep that counts towards the three of its period. */
export interface Reading {
	startedAt: number;
	/** The memory's horizon at the start of the sweep, in days since the epoch (`firstHorizon` and `sweepHorizon` in decide.ts). */
	horizon: number;
	/**
	 * The date in a sweep that reads from one (Start From: A Date), less a second; null in any other. The sweep learns records that
	 * occurred earlier and changed since as unconfirmed, and does not emit them.
	 */
	startDate: number | null;
}

/**
 * A period is all that changed since one watermark:
 *
 * countReading  Fewer than three readings: the same period. The third one: the next period begins at the start of the first, and
 *               the other two count towards it. The last one of its period (`Sweep.isLast`), whichever it is: the next period
 *               begins at the earliest start, and no reading counts towards it.
 * endPeriod     The memory forgot records that a further reading would emit again. The next period begins as after a last
 *               reading. A period without a reading stays. Readings from a start date keep an existing watermark, so that the
 *               next sweep returns unconfirmed records again.
 */
export interface Period {
	/** The service's time before which everything was read often enough; null in the first period, which begins at `earliest`. */
	watermark: number | null;
	/** The readings, oldest first; at most two. */
	readings: Reading[];
}

/** Returns the problem with a period; `undefined` if a trigger can read on from it. */
export function problemOfPeriod({ readings }: Period): string | undefined {
	return readings.length < READINGS ? undefined : 'its readings are damaged';
}

/** 6. Counts a reading. */
export function countReading({ watermark, readings }: Period, reading: Reading, isLast: boolean): Period {
	must(readings.length < READINGS, 'a period has at most two readings');
	const counted: [...Reading[], Reading] = [...readings, reading];
	if (isLast) return { watermark: earliestStart(counted), readings: [] };
	if (counted.length < READINGS) return { watermark, readings: counted };
	return { watermark: counted[0].startedAt, readings: counted.slice(1) };
}

export function endPeriod(period: Period): Period {
	const { watermark, readings } = period;
	const [first] = readings;
	if (first === undefined) return period;
	const stays = watermark !== null && first.startDate !== null;
	return { watermark: stays ? watermark : earliestStart(readings), readings: [] };
}

/**
 * Returns the `since` of the next sweep: the overlap before the watermark, or before a reading that began earlier, but never before
 * `earliest`. A slow response may make a start so early that the overlap would reach behind it.
 */
export function nextSince({ watermark, readings }: Period, earliest: number, overlapMs: number): number {
	if (watermark === null) return earliest;
	return Math.max(Math.min(watermark, earliestStart(readings)) - overlapMs, earliest);
}

/** Returns the start date of the next sweep: all sweeps of a first period that began at a date have it. */
export function nextStartDate({ watermark, readings: [first] }: Period): number | null {
	return watermark === null && first !== undefined ? first.startDate : null;
}

/** Returns the earliest start of the readings; Infinity for none. A later reading may have it, if the clock was ahead before. */
export function earliestStart(readings: Reading[]): number {
	return Math.min(...readings.map(({ startedAt }) => startedAt));
}

/** Returns the start of the last complete sweep, or an earlier time; null before the first one. */
export function latestStart({ watermark, readings }: Period): number | null {
	return readings.at(-1)?.startedAt ?? watermark;
}
