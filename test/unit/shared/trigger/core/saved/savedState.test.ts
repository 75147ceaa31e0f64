import type { SavedSweep } from '../../../../../../nodes/shared/trigger/core/saved/parts.ts';
import {
	positionIn,
	savedPositionOf,
	savedStateOf,
	stateIn,
} from '../../../../../../nodes/shared/trigger/core/saved/savedState.ts';
import type { Mode, Position, State, Sweep } from '../../../../../../nodes/shared/trigger/core/state.ts';
import { newCensus } from '../../../../../../nodes/shared/trigger/core/state.ts';
import { nextAt, startingAt, STATE, sweepFrom, sweepingWith } from '../../../../../support/scripted/ports.ts';

const sweeping = (sweep: Sweep): Position => ({ phase: 'sweeping', watermark: 1, readings: [], sweep });
const savedSweep = (sweep: Sweep) => savedPositionOf(sweeping(sweep)).sweep as SavedSweep;

const redelivering = (failedBefore: boolean): Mode => ({ kind: 'redelivers', failedBefore });
const OF_FAILED = { redeliversFailed: true, confirmsNothing: true };

test.each<[what: string, sweep: Sweep, saved: Partial<SavedSweep>]>([
	['a usual sweep', sweepFrom(5), { occurredSince: 0, confirmsNothing: false, cursor: null }],
	['one that the trigger went back to', sweepFrom(5, { mode: redelivering(false) }), { confirmsNothing: true }],
	[
		'one from a date',
		sweepFrom(5, { horizon: 7, startDate: 5 }),
		{ horizon: 7, occurredSince: 5, confirmsNothing: true },
	],
	['one that starts over', sweepFrom(5, { startedAt: 9 }), { startedAt: 9, cursor: null }],
	['one that redelivers what failed', sweepFrom(5, { mode: redelivering(true) }), OF_FAILED],
	[
		'one from a date that does so',
		sweepFrom(5, { mode: { kind: 'from a date', startDate: 5, failedBefore: true } }),
		OF_FAILED,
	],
	['one with a next page', sweepFrom(5, { startedAt: 9, next: nextAt('c') }), { startedAt: 9, cursor: 'c' }],
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

test.each<[what: string, state: State]>([
	['starting from now', startingAt(3)],
	['starting from a date', startingAt(3, 5)],
	['starting a second after the epoch', startingAt(3, 0)],
	['between two sweeps, with a census', { ...STATE, census: newCensus(5) }],
	['with a census from now on', { ...STATE, census: newCensus(null) }],
	['a first sweep from a date, unread', sweepingWith(sweepFrom(5, { startDate: 5 }), { watermark: null, earliest: 5 })],
])('a state is read as it was saved: %s', (_what, state) => {
	expect(stateIn(savedStateOf(state))).toEqual(state);
});

test('a trigger that has read something is not starting', () => {
	const start = savedStateOf(startingAt(3, 5));
	expect(stateIn({ ...start, watermark: 1 })).toBeUndefined();
	expect(stateIn({ ...start, readings: [{ startedAt: 1, horizon: 0, occurredSince: 0 }] })).toBeUndefined();
	expect(stateIn({ ...start, earliest: 4 })).toBeUndefined();
	expect(stateIn({ ...start, activatedAt: null, earliest: null })).toBeUndefined();
});
