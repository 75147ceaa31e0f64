import type { State } from '../../../../../nodes/shared/trigger/core/state';
import { newCensus, newSweep, newWalk } from '../../../../../nodes/shared/trigger/core/state';
import { readState } from '../../../../support/scripted/kind';
import { STATE } from '../../../../support/scripted/ports';

const READING = { startedAt: 5, horizon: 0, occurredSince: 0 };
const SWEEP = { ...newSweep(500), startedAt: 900, cursor: 'c' };
const FULL: State = {
	...STATE,
	earliest: 400,
	readings: [READING, { ...READING, horizon: 3, occurredSince: 4 }],
	sweep: { ...SWEEP, isAgain: true, setbacks: { inVain: 1, furthest: 2 } },
	last: {
		process: 'p',
		repeats: false,
		added: 0,
		changed: 0,
		before: { activatedAt: null, watermark: null, readings: [READING], sweep: SWEEP },
	},
	census: { ...newCensus(500), walk: newWalk(0) },
};
const upgraded = (saved: object) => (readState(saved as never, 'me', false) as { state: State }).state;
const copied = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

test('what this version saved is read again as it was', () => {
	expect(upgraded(copied(FULL))).toEqual(FULL);
	expect(upgraded(copied(STATE))).toEqual(STATE);
});

test('what earlier versions left out is there again, at any depth', () => {
	const walk = { since: 500, startedAt: 900, cursor: 'c', trail: { mark: '', steps: 0, reach: 1 } };
	const place = { activatedAt: null, watermark: null, readings: [{ startedAt: 5 }], sweep: walk };
	const saved = {
		...copied(FULL),
		readings: [{ startedAt: 5 }, { startedAt: 5, horizon: 3, occurredSince: 4 }],
		sweep: { ...walk, setbacks: { inVain: 1, furthest: 2 }, isAgain: true },
		last: { process: 'p', repeats: false, added: 0, changed: 0, before: place },
		census: {
			walk: { ...walk, since: 0, startedAt: null, cursor: null },
			before: 500,
			pages: 0,
			learned: 0,
			readAt: null,
		},
	};
	expect(upgraded(saved)).toEqual(FULL);
	const { census: _census, ...without } = copied(STATE);
	expect(upgraded(without)).toEqual(STATE);
});

describe('a state of an earlier version', () => {
	const { readings: _readings, earliest: _earliest, ...older } = copied({ ...STATE, sweep: SWEEP });

	test('without the earliest moment has that of its first sweep, unless another was before', () => {
		expect(upgraded({ ...older, watermark: null })).toMatchObject({ earliest: 500, readings: [] });
		expect(upgraded(older)).toMatchObject({ earliest: null, readings: [] });
		const before = { activatedAt: null, watermark: null, readings: [], sweep: older.sweep };
		const last = { process: 'p', repeats: false, added: 0, changed: 0, before };
		expect(upgraded({ ...older, sweep: null, last })).toMatchObject({ earliest: 500 });
	});

	test('that has started has no time of activation, nor has where its last emission began; while it starts, it has', () => {
		const before = { activatedAt: 3, watermark: null, readings: [], sweep: older.sweep };
		const last = { process: 'p', repeats: false, added: 0, changed: 0, before };
		for (const sweep of [older.sweep, null])
			expect(upgraded({ ...older, sweep, activatedAt: 3, last })).toMatchObject({
				activatedAt: null,
				last: { before: { activatedAt: null } },
			});
		const starting = { ...older, watermark: null, sweep: null, activatedAt: 3 };
		expect(upgraded(starting)).toMatchObject({ activatedAt: 3, readings: [] });
		expect(upgraded({ ...starting, earliest: 1, readings: [{ startedAt: 5 }] })).toMatchObject({ activatedAt: null });
	});

	test.each([
		[{ number: 1 }, { isAgain: false, isOnly: false }],
		[
			{ number: 2, isOnly: true },
			{ isAgain: true, isOnly: true },
		],
	])('whose sweep is in pass %j', (pass, expected) => {
		const { since, startedAt, cursor, trail } = copied(SWEEP);
		const { sweep } = upgraded({ ...older, sweep: { since, startedAt, cursor, trail, pass } });
		expect(sweep).not.toHaveProperty('pass');
		expect(sweep).toMatchObject(expected);
	});
});
