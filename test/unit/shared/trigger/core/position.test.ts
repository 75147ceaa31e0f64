import { furthestBack, moveBack, startsOf } from '../../../../../nodes/shared/trigger/core/position.ts';
import type { Between, Position, Sweep, Sweeping } from '../../../../../nodes/shared/trigger/core/state.ts';
import { positionOf } from '../../../../../nodes/shared/trigger/core/state.ts';
import type { SweepMembers } from '../../../../support/scripted/ports.ts';
import { frozen, nextAt, STATE, sweepFrom, sweepingWith } from '../../../../support/scripted/ports.ts';

const reading = (startedAt: number) => ({ startedAt, horizon: 0, startDate: null });
const sweep = (more: SweepMembers = {}): Sweep => sweepFrom(5, { startedAt: 20, next: nextAt('c'), ...more });
const sweeping = (more: Partial<Between> = {}, over: SweepMembers = {}): Sweeping => sweepingWith(sweep(over), more);
const between = (more: Partial<Between>): Between => frozen({ ...STATE, ...more });

test('startsOf: the earliest of the watermark and of the starts of the readings and of the sweep under way', () => {
	const readings = [reading(180), reading(75)];
	const unread = sweeping({ readings }, { startedAt: null, next: null });
	const unstarted = between({ watermark: null });
	const states = [between({ readings }), sweeping({ readings }, { startedAt: 74 }), unread, unstarted];
	expect(states.map((state) => startsOf(state).earliest)).toEqual([75, 74, 75, Infinity]);
	expect(startsOf(between({ watermark: 60, readings })).earliest).toBe(60);
});

test('startsOf: the latest, of the sweep under way, else of the last reading, else the watermark', () => {
	const readings = [reading(180), reading(75)];
	expect(startsOf(sweeping({ readings }, { startedAt: 74 })).latest).toBe(74);
	expect(startsOf(sweeping({ readings }, { startedAt: null, next: null })).latest).toBe(75);
	const states = [{ watermark: 50, readings: [reading(60)] }, { watermark: 50 }, { watermark: null }].map(between);
	expect(states.map((state) => startsOf(state).latest)).toEqual([60, 50, Infinity]);
});

test('moveBack: to where a later poll began, if that is further back', () => {
	const at = (watermark: number) => ({ origin: positionOf(between({ watermark })) });
	expect([moveBack(at(5), at(4).origin), moveBack(at(5), at(6).origin)]).toEqual([at(4), at(5)]);
});

test('furthestBack: the one that has read least of the same, else the first', () => {
	const read = (watermark: number | null, ...readings: number[]): Position => {
		return { phase: 'between', watermark, readings: readings.map(reading) };
	};
	const sweeping = (steps: number, isLast = false): Position => {
		const next = nextAt('c', { mark: 'm', steps, reach: 2 });
		return { ...read(5), phase: 'sweeping', sweep: sweep({ isLast, next }) };
	};
	const started = [read(5), sweeping(1), sweeping(2), read(5, 5), read(5, 5, 6), sweeping(1, true), sweeping(2, true)];
	// Each is further back than the next one.
	const positions = [read(null), read(4), read(6, 4), ...started];
	for (const [index, one] of positions.entries()) {
		for (const later of positions.slice(index)) {
			expect(furthestBack([one], later)).toBe(one);
			expect(furthestBack([later], one)).toBe(one);
		}
	}
	expect(furthestBack([read(6), read(4)], read(5))).toEqual(read(4));
	const same = read(5);
	expect(furthestBack([same], read(5))).toBe(same);
});
