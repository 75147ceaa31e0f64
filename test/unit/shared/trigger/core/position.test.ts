import { goBack } from '../../../../../nodes/shared/trigger/core/cycle.ts';
import {
	furthestBack,
	inServiceTime,
	latestStart,
	moveBack,
	readingsSince,
} from '../../../../../nodes/shared/trigger/core/position.ts';
import type { Between, Position, Sweep, Sweeping } from '../../../../../nodes/shared/trigger/core/state.ts';
import { newSweep, positionOf } from '../../../../../nodes/shared/trigger/core/state.ts';
import { frozen, STATE, sweepingWith, sweepOf } from '../../../../support/scripted/ports.ts';

const FROM = { occurredSince: 5, confirmsNothing: true } as const;

const reading = (startedAt: number) => ({ startedAt, horizon: 0, occurredSince: 0 });
const sweep = (more: Partial<Sweep> = {}) => ({ ...newSweep(5), startedAt: 20, cursor: 'c', ...more }) as Sweep;
const sweeping = (more: Partial<Between> = {}, over: Partial<Sweep> = {}): Sweeping => sweepingWith(sweep(over), more);
const between = (more: Partial<Between>): Between => frozen({ ...STATE, ...more });

test('readingsSince: the earliest start of the readings and of the sweep under way', () => {
	const readings = [reading(180), reading(75)];
	expect(readingsSince(between({ readings }))).toBe(75);
	expect(readingsSince(sweeping({ readings }, { startedAt: 74 }))).toBe(74);
	expect(readingsSince(sweeping({ readings }, { startedAt: null, cursor: null }))).toBe(75);
	expect(readingsSince(STATE)).toBe(Infinity);
});

test('latestStart: of the sweep under way, else of the last reading, else the watermark', () => {
	const readings = [reading(180), reading(75)];
	expect(latestStart(sweeping({ readings }, { startedAt: 74 }))).toBe(74);
	expect(latestStart(sweeping({ readings }, { startedAt: null, cursor: null }))).toBe(75);
	expect(latestStart(between({ watermark: 50 }))).toBe(50);
	expect(latestStart(between({ watermark: null }))).toBe(Infinity);
});

test("inServiceTime: a first sweep from a date began by the service's clock, once a poll has read a page of it", () => {
	const unbegun = sweep({ ...FROM, cursor: null, startedAt: null, activatedAt: 90 });
	const from: Position = { phase: 'sweeping', watermark: null, readings: [], sweep: unbegun };
	const begun = { ...from, sweep: { ...unbegun, startedAt: 30, activatedAt: undefined } };
	expect(inServiceTime(from, sweeping({ watermark: null }, { startedAt: 30 }))).toEqual(begun);
	expect(inServiceTime(from, between({ watermark: null, readings: [reading(30), reading(40)] }))).toEqual(begun);
	expect(inServiceTime(from, between({ watermark: 30, readings: [reading(40)] }))).toEqual(begun);
	// No page has come.
	expect(inServiceTime(from, frozen({ ...sweeping({ watermark: null }), sweep: unbegun }))).toBe(from);
	expect(inServiceTime(positionOf(sweeping()), between({}))).toEqual(positionOf(sweeping()));
	expect(sweepOf(goBack(between({}), [from]))).toMatchObject({ startedAt: null, activatedAt: 90 });
});

test('moveBack: to where a later poll began, if that is further back', () => {
	const at = (watermark: number) => ({ from: positionOf(between({ watermark })) });
	expect([moveBack(at(5), at(4).from), moveBack(at(5), at(6).from)]).toEqual([at(4), at(5)]);
});

test('furthestBack: the one that has read least of the same, else the first', () => {
	const read = (watermark: number | null, ...readings: number[]): Position => {
		return { phase: 'between', watermark, readings: readings.map(reading) };
	};
	const sweeping = (steps: number, isLast = false): Position => {
		return { ...read(5), phase: 'sweeping', sweep: sweep({ isLast, trail: { mark: 'm', steps, reach: 2 } }) };
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
