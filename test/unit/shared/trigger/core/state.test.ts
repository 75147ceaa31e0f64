import type { State } from '../../../../../nodes/shared/trigger/core/state.ts';
import { newCensus, newSweep, problemOf, READINGS } from '../../../../../nodes/shared/trigger/core/state.ts';
import { startingAt, STATE, sweepingWith } from '../../../../support/scripted/ports.ts';

const STARTING = startingAt(3);
const NOTHING_READ = { phase: 'between' as const, watermark: null, readings: [] };
const LAST = { process: 'p', isAfterRestart: false, end: { added: 0, changed: 0 }, from: NOTHING_READ };
const READING = { startedAt: 1, horizon: 0, occurredSince: 0 };
const ACTIVATED = { ...newSweep(1), activatedAt: 1 };

test.each<[what: string, state: State]>([
	['a trigger that starts', STARTING],
	['a trigger between two sweeps', STATE],
	['a trigger whose first sweep is to begin', { ...STATE, watermark: null }],
	['a sweep', sweepingWith(newSweep(1))],
	['a sweep from a date', sweepingWith({ ...newSweep(1), occurredSince: 1, confirmsNothing: true })],
	['a last emission, before which nothing was read', { ...STATE, last: LAST }],
])('is legal: %s', (_what, state) => {
	expect(problemOf(state)).toBeUndefined();
});

const SWEEP = 'its sweep is damaged';

test.each<[what: string, state: State, problem: string]>([
	[
		'a reading too many',
		{ ...STATE, readings: Array.from({ length: READINGS }, () => READING) },
		'its readings are damaged',
	],
	['an activation by the local clock in a later sweep', sweepingWith(ACTIVATED), SWEEP],
	['a usual sweep that knows an activation', sweepingWith(ACTIVATED, { watermark: null }), SWEEP],
	['a time that is none', { ...STATE, earliest: NaN }, 'its times are damaged'],
	['a watermark that is no time', { ...STATE, watermark: Infinity }, 'its times are damaged'],
	['an activation that is no time', startingAt(NaN), 'its time of activation is not a time'],
	['an activation of a census', { ...STATE, census: { ...newCensus(), walk: ACTIVATED } }, 'its census is damaged'],
	[
		'a census that has read all too often',
		{ ...STATE, census: { ...newCensus(), walks: READINGS } },
		'its census is damaged',
	],
	[
		'a last emission that began with such a sweep',
		{ ...STATE, last: { ...LAST, from: { ...NOTHING_READ, watermark: 1, phase: 'sweeping', sweep: ACTIVATED } } },
		'its last emission is damaged',
	],
])('is not: %s', (_what, state, problem) => {
	expect(problemOf(state)).toBe(problem);
});
