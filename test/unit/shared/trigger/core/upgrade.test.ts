import type { State } from '../../../../../nodes/shared/trigger/core/state';
import { newCensus, newSweep, newWalk, savedForm } from '../../../../../nodes/shared/trigger/core/state';
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

test('what was saved is read again as it was', () => {
	expect(upgraded(copied(savedForm(FULL)))).toEqual(FULL);
	expect(upgraded(copied(savedForm({ ...STATE, census: null })))).toEqual({ ...STATE, census: null });
	expect(upgraded(copied(savedForm(STATE)))).not.toHaveProperty('census');
});

test('what is saved, byte for byte: no defaults', () => {
	const { sweep, readings, last, census } = copied(savedForm(FULL));
	const saved = { since: 500, startedAt: 900, cursor: 'c', trail: { mark: '', steps: 0, reach: 1 } };
	expect(sweep).toStrictEqual({ ...saved, setbacks: { inVain: 1, furthest: 2 }, isAgain: true });
	expect(readings).toStrictEqual([{ startedAt: 5 }, { startedAt: 5, horizon: 3, occurredSince: 4 }]);
	expect(last?.before).toStrictEqual({
		...{ activatedAt: null, watermark: null },
		readings: [{ startedAt: 5 }],
		sweep: saved,
	});
	expect(census).toStrictEqual({
		walk: { ...saved, since: 0, startedAt: null, cursor: null },
		before: 500,
		pages: 0,
		learned: 0,
		readAt: null,
	});
});

describe('a state of an earlier version', () => {
	const { readings: _readings, earliest: _earliest, ...older } = copied(savedForm({ ...STATE, sweep: SWEEP }));

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
		const { sweep } = upgraded({ ...older, sweep: { ...copied(SWEEP), isAgain: undefined, pass } } as never);
		expect(sweep).not.toHaveProperty('pass');
		const read = upgraded({ ...older, sweep: { ...older.sweep, pass } } as never).sweep;
		expect(read).toMatchObject(expected);
	});
});
