import { assertLegal, isStarting, isSweeping, newSweep } from '../../../../../nodes/shared/trigger/core/state';
import { STATE } from '../../../../support/scripted/ports';

const READING = { startedAt: 5, horizon: 0, occurredSince: 0 };
const STARTING = { activatedAt: 3, watermark: null, readings: [], sweep: null };
const NOWHERE = { activatedAt: null, watermark: null, readings: [READING], sweep: null };
const before = (position: object) => ({
	last: { process: 'p', repeats: false, added: 0, changed: 0, before: position },
});

test.each<[what: string, changes: object]>([
	['a trigger that starts', STARTING],
	['a trigger between two sweeps', {}],
	['a trigger between two sweeps without a watermark', { ...NOWHERE, earliest: 1 }],
	['a sweep', { sweep: newSweep(1) }],
	['a last emission before which the trigger started', before(STARTING)],
])('is legal: %s', (_what, changes) => {
	expect(() => assertLegal({ ...STATE, ...changes } as never)).not.toThrow();
});

test.each<[what: string, changes: object]>([
	['no phase', { ...STARTING, activatedAt: null }],
	['two phases', { activatedAt: 3 }],
	['nothing that says where to continue', NOWHERE],
	['a cursor of a sweep that has not begun', { sweep: { ...newSweep(1), cursor: 'c' } }],
	['a last emission that began nowhere', before(NOWHERE)],
])('is not saved: %s', (_what, changes) => {
	expect(() => assertLegal({ ...STATE, ...changes } as never)).toThrow('does not say where to continue');
});

test('the phases, by what a position has', () => {
	const phases = [{ ...STATE, ...STARTING }, STATE, { ...STATE, sweep: newSweep(1) }] as never[];
	expect(phases.map(isStarting)).toEqual([true, false, false]);
	expect(phases.map(isSweeping)).toEqual([false, false, true]);
});
