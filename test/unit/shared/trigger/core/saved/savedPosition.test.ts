import type { SavedSweep } from '../../../../../../nodes/shared/trigger/core/saved/parts.ts';
import {
	censusIn,
	positionIn,
	savedCensusOf,
	savedPositionOf,
	savedStartOf,
	startDateIn,
} from '../../../../../../nodes/shared/trigger/core/saved/savedPosition.ts';
import type { Position, Sweep } from '../../../../../../nodes/shared/trigger/core/state.ts';
import { newCensus, newSweep } from '../../../../../../nodes/shared/trigger/core/state.ts';
import { nextAt, startingAt } from '../../../../../support/scripted/ports.ts';

const sweeping = (sweep: Sweep): Position => ({ phase: 'sweeping', watermark: 1, readings: [], sweep });
const savedSweep = (sweep: Sweep) => savedPositionOf(sweeping(sweep)).sweep as SavedSweep;

test.each<[what: string, sweep: Sweep, saved: Partial<SavedSweep>]>([
	['a usual sweep', newSweep(5), { occurredSince: 0, confirmsNothing: false, cursor: null }],
	['one that the trigger went back to', { ...newSweep(5), isAgain: true }, { confirmsNothing: true }],
	['one from a date', newSweep(5, 7, 5), { horizon: 7, occurredSince: 5, confirmsNothing: true }],
	['one with a next page', { ...newSweep(5), startedAt: 9, next: nextAt('c') }, { startedAt: 9, cursor: 'c' }],
])('a sweep is read as it was saved: %s', (_what, sweep, saved) => {
	expect(savedSweep(sweep)).toMatchObject(saved);
	expect(positionIn(savedPositionOf(sweeping(sweep)))).toEqual(sweeping(sweep));
});

test('a start date is saved as another number than that for none', () => {
	const readings = [0, 1, null].map((startDate) => ({ startedAt: 1, horizon: 0, startDate }));
	const saved = savedPositionOf({ phase: 'between', watermark: null, readings });
	expect(saved.readings.map(({ occurredSince }) => occurredSince)).toEqual([-1, 1, 0]);
	expect(positionIn(saved).readings.map(({ startDate }) => startDate)).toEqual([-1, 1, null]);
});

test.each([null, 0, 5])('a trigger that starts has the date that was saved: %s', (startDate) => {
	expect(startDateIn(savedStartOf(startingAt(3, startDate)))).toBe(startDate);
	const census = newCensus(startDate);
	expect(censusIn(savedCensusOf(census))).toEqual(census);
});

test('a trigger that has read something is not starting', () => {
	const start = savedStartOf(startingAt(3, 5));
	expect(startDateIn({ ...start, watermark: 1 })).toBeUndefined();
	expect(startDateIn({ ...start, readings: [{ startedAt: 1, horizon: 0, occurredSince: 0 }] })).toBeUndefined();
	expect(startDateIn({ ...start, earliest: 4 })).toBeUndefined();
});
