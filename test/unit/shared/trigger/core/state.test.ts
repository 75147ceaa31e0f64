import { isStarting, isSweeping, legal, newSweep } from '../../../../../nodes/shared/trigger/core/state';
import { startingAt, STATE } from '../../../../support/scripted/ports';

const STARTING = startingAt(3);
const NOTHING_READ = { activatedAt: null, watermark: null, readings: [], sweep: null };
const LAST = { process: 'p', repeats: false, added: 0, changed: 0, before: NOTHING_READ };

test.each<[what: string, changes: object]>([
	['a trigger that starts', STARTING],
	['a trigger between two sweeps', {}],
	['a trigger whose first sweep is to begin', NOTHING_READ],
	['a sweep', { sweep: newSweep(1) }],
	['a sweep from a date', { sweep: { ...newSweep(1), occurredSince: 1, confirmsNothing: true } }],
	['a last emission, before which nothing was read', { last: LAST }],
])('is legal: %s', (_what, changes) => {
	const state = { ...STATE, ...changes } as never;
	expect(legal(state)).toBe(state);
});

const NOWHERE = 'it does not say where to continue';

test.each<[what: string, changes: object, damage: string]>([
	['no phase', { ...STARTING, activatedAt: null }, NOWHERE],
	['two phases', { activatedAt: 3 }, NOWHERE],
	['a start that knows where it began', { ...STARTING, earliest: 1 }, NOWHERE],
	['a start after something was emitted', { ...STARTING, last: LAST }, NOWHERE],
	['nothing that says where the first sweep began', { earliest: null }, NOWHERE],
	['a cursor of a sweep that has not begun', { sweep: { ...newSweep(1), cursor: 'c' } }, 'its sweep is damaged'],
	['a sweep from a date that confirms', { sweep: { ...newSweep(1), occurredSince: 1 } }, 'its sweep is damaged'],
	['a last emission that began nowhere', { last: { ...LAST, before: STARTING } }, 'its last emission is damaged'],
])('is not: %s', (_what, changes, damage) => {
	expect(() => legal({ ...STATE, ...changes } as never)).toThrow(damage);
});

test('the phases, by what a state has', () => {
	const phases = [STARTING, STATE, { ...STATE, sweep: newSweep(1) }];
	expect(phases.map(isStarting)).toEqual([true, false, false]);
	expect(phases.map(isSweeping)).toEqual([false, false, true]);
});
