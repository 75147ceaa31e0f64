import { problemOfPeriod, READINGS } from '../../../../../nodes/shared/trigger/core/period.ts';
import { savedFormOf } from '../../../../../nodes/shared/trigger/core/saved/savedForm.ts';
import type { Position, State } from '../../../../../nodes/shared/trigger/core/state.ts';
import { newCensus, problemOf } from '../../../../../nodes/shared/trigger/core/state.ts';
import { readCheckpoint } from '../../../../support/scripted/kind.ts';
import {
	checkpointOf,
	nextAt,
	startingAt,
	STATE,
	sweepFrom,
	sweepingWith,
} from '../../../../support/scripted/ports.ts';

const STARTING = startingAt(3);
const NOTHING_READ = { phase: 'between' as const, watermark: null, readings: [] };
const READING = { startedAt: 1, horizon: 0, startDate: null };

test.each<[what: string, state: State]>([
	['a trigger that starts', STARTING],
	['a trigger that starts from a date', startingAt(3, 1)],
	['a trigger between two sweeps', STATE],
	['a trigger whose first sweep is to begin', { ...STATE, watermark: null }],
	['a sweep', sweepingWith(sweepFrom(1))],
	['a sweep from a date', sweepingWith(sweepFrom(1, { startDate: 1 }))],
])('is legal: %s', (_what, state) => {
	expect(problemOf(state)).toBeUndefined();
});

test.each<[what: string, state: State, problem: string]>([
	['a reading too many', { ...STATE, readings: Array(READINGS).fill(READING) }, 'its readings are damaged'],
	['a time that is none', { ...STATE, earliest: NaN }, 'its times are damaged'],
	['a watermark that is no time', { ...STATE, watermark: Infinity }, 'its times are damaged'],
	['a sweep since no time', sweepingWith(sweepFrom(NaN)), 'its times are damaged'],
	['a sweep that began at no time', sweepingWith(sweepFrom(1, { startedAt: NaN })), 'its times are damaged'],
	['an activation that is no time', startingAt(NaN), 'its time of activation is not a time'],
	['a start date that is no time', startingAt(1, -9e15), 'its time of activation is not a time'],
	['a sweep from before the very first one', sweepingWith(sweepFrom(1), { earliest: 2 }), 'its sweep began too early'],
	...[
		{ walks: READINGS },
		{ pages: 1, walk: sweepFrom(0, { startedAt: 1, next: nextAt('c', { mark: 'm', steps: 1, reach: 1 }) }).walk },
	].map((census): [string, State, string] => [
		`a census with ${JSON.stringify(census)}`,
		{ ...STATE, census: { ...newCensus(null), readAt: 1, ...census } },
		'its census is damaged',
	]),
])('is not: %s', (_what, state, problem) => {
	expect(problemOf(state)).toBe(problem);
});

describe('a last emission', () => {
	/** Returns a checkpoint with a last emission that began at this position. */
	const emitted = { process: 'p', isAfterRestart: false, tail: { new: 0, updated: 0 }, emittedAt: 0 };
	const emittedFrom = (origin: Position) => checkpointOf(STATE, { last: { ...emitted, origin } });

	test('is legal where nothing was read before it', () => {
		const checkpoint = emittedFrom(NOTHING_READ);
		expect(problemOfPeriod(NOTHING_READ)).toBeUndefined();
		expect(readCheckpoint(savedFormOf(checkpoint), 'me', false)).toEqual({ checkpoint });
	});

	test('is not where too many readings were before it', () => {
		const origin = { ...NOTHING_READ, readings: Array(READINGS).fill(READING) };
		const problem = 'its last emission is damaged';
		expect(readCheckpoint(savedFormOf(emittedFrom(origin)), 'me', false)).toEqual({ problem });
	});
});
