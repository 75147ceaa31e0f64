import type { Period } from '../../../../../nodes/shared/trigger/core/period.ts';
import {
	countReading,
	endPeriod,
	latestStart,
	nextSince,
	nextStartDate,
	problemOfPeriod,
} from '../../../../../nodes/shared/trigger/core/period.ts';

const reading = (startedAt: number, startDate: number | null = null) => ({ startedAt, horizon: 0, startDate });
const period = (watermark: number | null, ...readings: number[]): Period => {
	return { watermark, readings: readings.map((startedAt) => reading(startedAt)) };
};

test('countReading: the third one begins the next period at the start of the first', () => {
	const seen: Period[] = [];
	for (const at of [10, 20, 30, 40]) seen.push(countReading(seen.at(-1) ?? period(1), reading(at), false));
	expect(seen).toEqual([period(1, 10), period(1, 10, 20), period(10, 20, 30), period(20, 30, 40)]);
	expect(seen.map(problemOfPeriod)).toEqual(seen.map(() => undefined));
	expect(problemOfPeriod(period(1, 2, 3, 4))).toBe('its readings are damaged');
	expect(() => countReading(period(1, 2, 3, 4), reading(5), false)).toThrow('at most two readings');
});

test('countReading: the last one begins the next period at once, at the start of the first that read the same', () => {
	expect(countReading(period(1), reading(10), true)).toEqual(period(10));
	expect(countReading(period(1, 2, 5), reading(10), true)).toEqual(period(2));
	// The clock was ahead before.
	expect(countReading(period(1, 9, 4), reading(10), true)).toEqual(period(4));
});

test('endPeriod: the next period begins at the start of the first reading, if there is one', () => {
	expect(endPeriod(period(1))).toEqual(period(1));
	expect(endPeriod(period(1, 10, 15))).toEqual(period(10));
	// The clock was ahead before.
	expect(endPeriod(period(1, 180, 75))).toEqual(period(75));
});

test('endPeriod: readings from a start date keep an existing watermark', () => {
	const readings = [reading(10, 3)];
	expect(endPeriod({ watermark: 1, readings })).toEqual(period(1));
	expect(endPeriod({ watermark: null, readings })).toEqual(period(10));
});

test.each<[what: string, from: Period, earliest: number, since: number]>([
	['the watermark', period(90), 0, 80],
	['a reading that began earlier', period(90, 81, 89), 0, 71],
	['the very first sweep, which it does not reach behind', period(90), 85, 85],
	['the very first sweep, before there is a watermark', period(null, 1), 4, 4],
])('nextSince: the next sweep reaches back from %s', (_what, from, earliest, since) => {
	expect(nextSince(from, earliest, 10)).toBe(since);
});

test('nextStartDate: the next sweep has one until there is a watermark', () => {
	const readings = [reading(1, 0)];
	expect([nextStartDate({ watermark: null, readings }), nextStartDate({ watermark: 1, readings })]).toEqual([0, null]);
	expect(nextStartDate(period(null))).toBeNull();
});

test('latestStart: of the last reading, else the watermark', () => {
	expect([period(50, 60), period(50), period(null)].map(latestStart)).toEqual([60, 50, null]);
});
