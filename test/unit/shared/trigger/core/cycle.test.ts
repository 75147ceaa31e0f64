import { readFileSync } from 'node:fs';
import * as cycle from '../../../../../nodes/shared/trigger/core/cycle.ts';
import {
	adjustStart,
	backdate,
	begin,
	beginSweep,
	endCensus,
	endReadings,
	endSweep,
	goBack,
	isStalled,
	pageCame,
	pauseCensus,
	pauseSweep,
	rereadCensus,
	startFromDate,
	startFromNow,
	startOver,
	turnPage,
	undo,
} from '../../../../../nodes/shared/trigger/core/cycle.ts';
import type { Between, Position, State, Sweeping, Walk } from '../../../../../nodes/shared/trigger/core/state.ts';
import { newCensus, newWalk, positionOf } from '../../../../../nodes/shared/trigger/core/state.ts';
import type { SweepMembers } from '../../../../support/scripted/ports.ts';
import {
	frozen,
	nextAt,
	NOW,
	OVERLAP,
	SETTINGS,
	startingAt,
	STATE,
	sweepFrom,
	sweepingWith,
	sweepOf,
} from '../../../../support/scripted/ports.ts';

const FROM_DATE = { ...SETTINGS, startFrom: NOW };
const SINCE = NOW - 1_000;
const HORIZON = 7;

const reading = (startedAt: number, more = {}) => ({ startedAt, horizon: 0, startDate: null, ...more });
const sweep = (more: SweepMembers = {}) => sweepFrom(5, { startedAt: 20, next: nextAt('c'), ...more });
const sweeping = (more: Partial<Between> = {}, over: SweepMembers = {}) => sweepingWith(sweep(over), more);
const between = (more: Partial<Between>): Between => frozen({ ...STATE, ...more });
const STARTING = startingAt(NOW - 60_000);
const phases = (...states: State[]) => states.map(({ phase }) => phase);

describe('begin', () => {
	test('has yet to read the clock of the service with Start From: Now', () => {
		const begun = begin(SETTINGS, NOW);
		expect(phases(begun)).toEqual(['starting']);
		expect(begun).toEqual(startingAt(NOW));
	});

	test('keeps a start date less a second', () => {
		expect(begin(FROM_DATE, NOW)).toEqual(startingAt(NOW, SINCE));
	});
});

test('startFromDate: a sweep from the date, which emits nothing that occurred before, began with the activation', () => {
	const state = startFromDate(frozen(startingAt(NOW, SINCE)), NOW + 7);
	const sweep = sweepFrom(SINCE, { startDate: SINCE, startedAt: NOW + 7 });
	expect(state).toEqual(sweepingWith(sweep, { earliest: SINCE, watermark: null, census: newCensus(SINCE) }));
	expect(state.sweep.mode).toEqual({ kind: 'from a date', startDate: SINCE, failedBefore: false });
});

test('startFromNow: the overlap is read, or the first sweep is to begin', () => {
	const begun = frozen(STARTING);
	const [read, unread] = [startFromNow(begun, 3, 9), startFromNow(begun, 3, null)];
	expect(phases(read, unread)).toEqual(['between', 'between']);
	expect(read).toEqual({ ...STATE, earliest: 3, watermark: 9, census: newCensus(null) });
	expect(beginSweep(unread, HORIZON, SETTINGS).sweep).toEqual(sweepFrom(3, { horizon: HORIZON }));
});

test('adjustStart: the activation by another clock, and nothing else', () => {
	expect(adjustStart(frozen(STARTING), 7)).toEqual({ ...STARTING, activatedAt: 7 });
	expect(adjustStart(STARTING, NOW).activatedAt).toBe(NOW);
	// A machine that slept moves it forward, which would lose what became visible meanwhile.
	const fromDate = startingAt(5, SINCE);
	expect([4, 6].map((time) => adjustStart(fromDate, time).activatedAt)).toEqual([4, 5]);
});

test('beginSweep has the horizon of the memory, even when it reads again', () => {
	expect(beginSweep(STATE, HORIZON, SETTINGS).sweep).toMatchObject({ horizon: HORIZON });
	const again = between({ readings: [reading(1, { horizon: 3 }), reading(2, { horizon: 5 })] });
	expect(beginSweep(again, HORIZON, SETTINGS).sweep).toMatchObject({ horizon: HORIZON });
});

test('pauseSweep: where it stands', () => {
	const state = frozen(sweeping({}, { isLast: true, horizon: HORIZON }));
	const { walk } = sweep({ next: nextAt('d') });
	expect(pauseSweep(state, { rest: walk })).toEqual({ ...state, sweep: { ...state.sweep, walk } });
});

describe('the census', () => {
	const census = { ...newCensus(SINCE), walks: 1, pages: 5, learned: 3, readAt: 7 };
	const counts = { pages: 6, learned: 3, readAt: 8 };
	const walk = { ...newWalk(0), startedAt: 4, next: nextAt('c') };

	test('pauseCensus: where it stands', () => {
		const paused = { ...STATE, census: { ...census, ...counts, walk } };
		expect(pauseCensus(between({ census }), walk, counts)).toEqual(paused);
	});

	test('rereadCensus: from the first page', () => {
		const state = between({ census: { ...census, walk } });
		expect(rereadCensus(state, counts)).toEqual({ ...STATE, census: { ...census, ...counts, walks: 2 } });
	});

	test('endCensus: it is over', () => {
		expect(endCensus(between({ census }))).toEqual(STATE);
	});
});

test('pageCame, turnPage: the start is the earliest of the pages', () => {
	const begun = pageCame(frozen(newWalk(5)), 20);
	expect([begun, pageCame(begun, 30), pageCame(begun, 10)].map(({ startedAt }) => startedAt)).toEqual([20, 20, 10]);
	const trail = { mark: 'm', steps: 0, reach: 1 };
	const turned = turnPage(frozen(begun), nextAt('c', trail));
	expect(turned).toEqual({ ...newWalk(5), startedAt: 20, next: { cursor: 'c', trail } });
	expect(() => turnPage(begun, nextAt('c', { ...trail, steps: 1 }))).toThrow('a page is turned once');
});

test('startOver: from the first page, with its start; the fifth time in a row that got no further stalls it', () => {
	const read = { startedAt: 20, next: nextAt('c', { mark: 'm', steps: 1, reach: 2 }) };
	let over: Walk = sweep(read).walk;
	const seen: unknown[] = [];
	for (let time = 0; time < 6; time++) {
		over = startOver(frozen({ ...over, ...read }));
		seen.push([over.setbacks, isStalled(over)]);
	}
	expect(over).toMatchObject({ next: null, startedAt: 20 });
	expect(seen).toEqual([0, 1, 2, 3, 4, 5].map((inVain) => [{ inVain, furthest: 3 }, inVain === 5]));
});

/** Both clocks show this time. */
const at = (time: number) => ({ startedAt: time, latest: time });

test('undo: where the walk was before, in its own list only', () => {
	const before = frozen<Walk>({ ...newWalk(5), startedAt: 1, next: nextAt('a') });
	expect(undo(startOver(before), before)).toBe(before);
	for (const elsewhere of [{ since: 6 }, { next: null }]) {
		expect(() => undo(before, { ...before, ...elsewhere })).toThrow('a walk goes back to a later page of its list');
	}
});

describe('endSweep', () => {
	test('keeps of a sweep its horizon and its start date', () => {
		const kept = { horizon: 7, startDate: 3 };
		expect(endSweep(sweeping({}, kept), at(10)).readings).toEqual([{ startedAt: 10, ...kept }]);
	});

	test('counts it in its period', () => {
		const readings = [reading(2), reading(5)];
		const counted = between({ watermark: 2, readings: [reading(5), reading(10)] });
		expect(endSweep(sweeping({ readings }), at(10))).toEqual(counted);
		expect(endSweep(sweeping({ readings }, { isLast: true }), at(10))).toEqual(between({ watermark: 2 }));
	});
});

test('backdate moves the earliest moment back where both clocks were ahead, unless that is a start date', () => {
	const ahead = between({ earliest: NOW + 1 });
	const backdated = (state: Between, latest: number, settings = SETTINGS, startedAt = NOW) =>
		backdate(state, { startedAt, latest }, settings).earliest;
	expect(backdated(ahead, NOW)).toBe(NOW - OVERLAP);
	expect(backdated(ahead, NOW + 1)).toBe(NOW + 1);
	expect(backdated(ahead, NOW, FROM_DATE)).toBe(NOW + 1);
	expect(backdated({ ...ahead, census: newCensus(null) }, NOW)).toBe(NOW - OVERLAP);
	expect(backdated({ ...ahead, census: newCensus(NOW + 1) }, NOW)).toBe(NOW + 1);
	// It never moves forward: n8n's clock was set back between the request and its response.
	expect(backdated(ahead, NOW, SETTINGS, NOW + 2 * OVERLAP)).toBe(NOW + 1);
});

describe('endReadings', () => {
	test('makes the sweep under way the last', () => {
		const state = frozen(sweeping({ watermark: 1, readings: [reading(10), reading(15)] }));
		expect(endReadings(state)).toEqual({ ...state, sweep: sweep({ isLast: true }) });
	});

	test('ends the period between two sweeps', () => {
		const state = between({ watermark: 1, readings: [reading(10), reading(15)] });
		expect(endReadings(state)).toEqual({ ...state, watermark: 10, readings: [] });
	});
});

describe('goBack', () => {
	const before = { phase: 'between' as const, watermark: 1, readings: [reading(2)] };

	test('is to the phase before', () => {
		const positions = [positionOf(between(before)), positionOf(sweeping({ watermark: 1 }))];
		const from = [STATE, sweeping()];
		const after = from.map((state) => phases(...positions.map((to) => goBack(frozen(state), [to], false))));
		expect(after).toEqual(from.map(() => ['between', 'sweeping']));
	});

	test('is to the position before, and to nothing else', () => {
		const state = frozen(sweeping({ watermark: 9, earliest: 3 }));
		expect(goBack(state, [before], false)).toEqual(between({ earliest: 3, watermark: 1, readings: [reading(2)] }));
	});

	test('is to a sweep from before the start, too, where another process has begun anew', () => {
		const older = positionOf(sweeping({ watermark: 1 }));
		const begunAnew = sweeping({ watermark: 9, earliest: 7 });
		expect(goBack(begunAnew, [older], false)).toMatchObject({ earliest: 5, watermark: 1 });
	});

	test('is to the position furthest back, and never leads forward', () => {
		const later = positionOf(between({ watermark: 4 }));
		expect(goBack(between({ watermark: 9 }), [later, before], false)).toMatchObject(before);
		// It has gone back already, for another emission.
		expect(goBack(between(before), [later], false)).toEqual(between(before));
	});

	test.each<[string, Partial<Pick<Position, 'watermark' | 'readings'>>, number | null, number]>([
		['its own', {}, 4, 4],
		['that of the first reading before it', {}, null, 2],
		['the earliest reading before it, where a clock was ahead', { readings: [reading(180), reading(75)] }, null, 75],
		['that of what was read often enough before it', { readings: [] }, null, 1],
		['no later than the very first one, where it was that', { watermark: null, readings: [] }, null, 3],
	])('to a sweep: it confirms nothing, and its start is %s', (_what, more, startedAt, expected) => {
		const older = sweep({ startedAt, next: null });
		const later = frozen(sweeping({ watermark: 9, earliest: 3, readings: [reading(8)] }));
		const back = goBack(later, [{ ...before, ...more, phase: 'sweeping', sweep: older }], false);
		const walk = { ...older.walk, startedAt: expected };
		expect(sweepOf(back)).toEqual({ ...older, walk, mode: { kind: 'redelivers', failedBefore: false } });
	});
});

test('goBack: a sweep that redelivers what n8n had failed to store says so, also in a later redelivery', () => {
	const failed = { failedBefore: true };
	for (const [members, mode] of [
		[{}, { kind: 'redelivers', ...failed }],
		[{ startDate: 5 }, { kind: 'from a date', startDate: 5, ...failed }],
	] as const) {
		const state = goBack(sweeping({}, members), [positionOf(sweeping({}, members))], true) as Sweeping;
		expect(sweepOf(state)?.mode).toEqual(mode);
		expect(sweepOf(goBack(state, [positionOf(state)], false))?.mode).toEqual(mode);
	}
});

test('a state from which no poll could continue fails the poll that leads to it', () => {
	const readings = [reading(1), reading(2), reading(3)];
	const counts = { pages: 0, learned: 0, readAt: 1 };
	const message = 'would be wrong: its readings are damaged. Nothing was saved.';
	expect(() => pauseCensus(between({ readings, census: newCensus(null) }), newWalk(0), counts)).toThrow(message);
});

test('what no row ever does fails the poll: a sweep that begins later or elsewhere, a census that reads less', () => {
	const state = sweeping();
	expect(() => pauseSweep(state, { rest: sweep({ startedAt: 21 }).walk })).toThrow('never begins later');
	expect(() => pauseSweep(state, { rest: sweep({ startedAt: null, next: null }).walk })).toThrow('never begins later');
	expect(() => pauseSweep(state, { rest: { ...sweep().walk, since: 6 } })).toThrow('reads on from where it began');
	expect(() => endSweep(state, at(21))).toThrow('never begins later');
	const census = { ...newCensus(null), pages: 5, learned: 3, readAt: 1 };
	for (const counts of [{ pages: 4 }, { learned: 2 }]) {
		expect(() => pauseCensus(between({ census }), census.walk, { ...census, ...counts })).toThrow('a census reads on');
	}
	const elsewhere = { ...census.walk, since: 1 };
	expect(() => pauseCensus(between({ census }), elsewhere, census)).toThrow('reads on from where it began');
	expect(() => rereadCensus(between({}), census)).toThrow('reads on');
	expect(() => endCensus(STATE)).toThrow('there is a census to end');
});

test('what no row ever does fails the poll: a start with the other start, a walk that starts over at its first page', () => {
	expect(() => startFromNow(startingAt(1, SINCE), 3, null)).toThrow('starts from it');
	expect(() => startFromDate(STARTING, 3)).toThrow('starts from now');
	expect(() => startOver(newWalk(5))).toThrow('only a later page');
	expect(() => pageCame(newWalk(5), NaN)).toThrow('a page comes at a time');
});

test('the table has a row for each transition', () => {
	const text = readFileSync('nodes/shared/trigger/core/cycle.ts', 'utf8');
	const row = /^ \* (\w+) +(?:nothing|starting|between|sweeping|a page|a later page|any page)/gm;
	const transitions = Object.keys(cycle).filter((name) => name !== 'isStalled');
	expect(Array.from(text.matchAll(row), ([, name]) => name).sort()).toEqual(transitions.sort());
});
