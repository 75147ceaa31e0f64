import type { Checkpoint, LastEmission } from '../../../../../../nodes/shared/trigger/core/delivery.ts';
import { STAYS_RECENT } from '../../../../../../nodes/shared/trigger/core/delivery.ts';
import type { SavedCensus, SavedSweep } from '../../../../../../nodes/shared/trigger/core/saved/parts.ts';
import { savedFormOf, writeCheckpoint } from '../../../../../../nodes/shared/trigger/core/saved/savedForm.ts';
import type { Between, Sweep } from '../../../../../../nodes/shared/trigger/core/state.ts';
import { newCensus } from '../../../../../../nodes/shared/trigger/core/state.ts';
import { readCheckpoint } from '../../../../../support/scripted/kind.ts';
import { checkpointOf, nextAt, startingAt, sweepFrom, sweepOf } from '../../../../../support/scripted/ports.ts';
import { storedCopy } from '../../../../../support/scripted/storing.ts';

const STATE: Between = { phase: 'between', earliest: 0, watermark: 1_000, readings: [], census: null };
const REMEMBERED = { memory: 'abcdefghi' };
const CHECKPOINT = checkpointOf(STATE, REMEMBERED);
const SAVED = savedFormOf(CHECKPOINT);
const SWEEP = sweepFrom(500, { startedAt: 900, next: nextAt('c') });
const saved = (sweep: Sweep) => savedFormOf(checkpointOf({ ...STATE, phase: 'sweeping', sweep })).sweep as SavedSweep;
const SAVED_SWEEP = saved(SWEEP);
const SAVED_CENSUS = savedFormOf(checkpointOf({ ...STATE, census: newCensus(null) })).census as SavedCensus;
const BEFORE = { activatedAt: null, watermark: 500, readings: [], sweep: null };
const LAST = { process: 'p', repeats: false, added: 1, changed: 0, before: BEFORE };

const READING = { startedAt: 900, horizon: 0, occurredSince: 0 };

/** Returns what is saved of a trigger that starts from a date. */
const startingFrom = (since: number | null) => savedFormOf(checkpointOf(startingAt(900, since)));
const FROM_DATE = startingFrom(500);

describe('saved state', () => {
	test('is read as it was written, as a copy', () => {
		const form: Record<string, unknown> = {};
		const { process, repeats, added, changed } = LAST;
		const origin = { phase: 'between' as const, watermark: 500, readings: [] };
		const tail = { new: added, updated: changed };
		const last: LastEmission = { process, isAfterRestart: repeats, tail, origin, emittedAt: STAYS_RECENT };
		const checkpoint = checkpointOf({ ...STATE, phase: 'sweeping', sweep: SWEEP }, { ...REMEMBERED, last });
		writeCheckpoint(form, checkpoint);
		// 0.2.0 does not read a last emission without it.
		expect(form.last).toEqual(LAST);
		expect(readCheckpoint(storedCopy(form), 'me', false)).toEqual({ checkpoint });
		const read = readCheckpoint(form, 'me', false) as { checkpoint: Checkpoint };
		expect(sweepOf(read.checkpoint.state)?.walk.setbacks).not.toBe((form.sweep as SavedSweep).setbacks);
	});

	test('may be from a version that did not count emissions, nor keep the last one, the earliest moment, readings and a census', () => {
		const since = ['last', 'emissions', 'earliest', 'readings', 'census'];
		const older = Object.fromEntries(Object.entries(SAVED).filter(([name]) => !since.includes(name)));
		expect(readCheckpoint(older, 'me', false)).toEqual({ checkpoint: CHECKPOINT });
		const first = { ...older, watermark: null, sweep: SAVED_SWEEP };
		const state = { ...STATE, phase: 'sweeping' as const, earliest: 500, watermark: null, sweep: SWEEP };
		expect(readCheckpoint(first, 'me', false)).toEqual({ checkpoint: checkpointOf(state, REMEMBERED) });
	});

	test.each([
		[{ number: 1 }, 0, false],
		[{ number: 2 }, 1, false],
		[{ number: 3, isOnly: true }, 1, true],
	])('may be from a version that read a sweep in passes: %j', (pass, count, isLast) => {
		const { since, startedAt, cursor, trail } = SAVED_SWEEP;
		const sweep = { since, startedAt, cursor, trail, pass };
		const before = { ...LAST.before, sweep };
		const readings = [{ startedAt, horizon: 0, startDate: null }].slice(0, count);
		const state = { readings, sweep: { ...SWEEP, isLast } };
		const checkpoint = { state, last: { origin: { readings, sweep: { ...SWEEP, isLast } } } };
		expect(readCheckpoint({ ...SAVED, sweep, last: { ...LAST, before } }, 'me', false)).toMatchObject({ checkpoint });
	});

	test('assigns only what differs, since n8n saves what was assigned', () => {
		const touched: string[] = [];
		const set = (target: object, name: string | symbol, value: unknown) => {
			touched.push(String(name));
			return Reflect.set(target, name, value);
		};
		const saved = new Proxy<Record<string, unknown>>({ ...SAVED }, { set });
		writeCheckpoint(saved, checkpointOf({ ...STATE, watermark: 2_000 }, REMEMBERED));
		expect(touched).toEqual(['watermark']);
	});

	test('there is none before the first poll, nor for another credential, base URL or event', () => {
		expect(readCheckpoint({}, 'me', false)).toEqual({ checkpoint: undefined });
		expect(readCheckpoint(SAVED, 'other', true)).toEqual({ checkpoint: undefined });
	});

	const VERSION = /^its version is (2|missing), not 1$/;
	const WATERMARK = 'its watermark is not a time';
	const ACTIVATION = 'its time of activation is not a time';
	const MEMORY = 'its memory is damaged';
	const DAMAGED_SWEEP = 'its sweep is damaged';
	const DAMAGED_READINGS = 'its readings are damaged';
	const NOWHERE = 'it does not say where to continue';
	const DAMAGED_LAST = 'its last emission is damaged';
	const trail = (changes: object) => ({ trail: { mark: '', steps: 0, reach: 1, ...changes } });
	const begun = (changes: object) => ({ before: { ...LAST.before, sweep: { ...SAVED_SWEEP, ...changes } } });
	const walk = { ...SAVED_CENSUS.walk, cursor: 'c' };
	const unread = { ...LAST.before, watermark: null };
	const reread = { ...unread, readings: [{ startedAt: 9 }] };
	const nowhere = { activatedAt: null, watermark: null, sweep: null };
	const begunAt3 = { watermark: null, earliest: null, activatedAt: 3 };

	const ofSweep: Array<[string, object]> = [
		['a sweep without its since', { since: undefined }],
		['a sweep without its start', { startedAt: undefined }],
		['a sweep whose start is no time', { startedAt: 'then' }],
		['a cursor that is no text', { cursor: 7 }],
		['a cursor that is left out', { cursor: undefined }],
		["a cursor without the sweep's start", { startedAt: null }],
		['a sweep from a date that confirms', { occurredSince: 3 }],
		['setbacks that are none', { setbacks: null }],
		['setbacks of less than nothing', { setbacks: { inVain: -1, furthest: 0 } }],
		['setbacks at no page', { setbacks: { inVain: 1 } }],
		['a pass that is none', { pass: null }],
		['a sweep that may be the last', { isLast: null }],
		['a sweep that may confirm', { confirmsNothing: 'no' }],
		['a sweep that may redeliver', { redeliversFailed: 1 }],
		['a sweep from a date that is none', { occurredSince: null }],
		['a horizon that is no day', { horizon: 0.5 }],
		['a trail that is none', { trail: null }],
		['a trail whose mark is no text', trail({ mark: null })],
		['a trail of less than no steps', trail({ steps: -1 })],
		['a trail of half a step', trail({ steps: 0.5 })],
		['a trail without its reach', trail({ reach: undefined })],
	];
	const ofLast: Array<[string, object]> = [
		['a last emission of nobody', { process: undefined }],
		['a last emission that may or may not repeat', { repeats: undefined }],
		['a last emission larger than the memory', { changed: 1 }],
		['a last emission of less than nothing', { added: -1 }],
		['a last emission with less than no changes', { changed: -1 }],
		['a last emission at no time', { at: 'then' }],
		['a last emission that began nowhere', { before: null }],
		['a last emission that began with a sweep without its start', begun({ startedAt: null })],
		['a last emission that began with a sweep from a date that confirms', begun({ occurredSince: 3 })],
	];

	type Damage = [what: string, damage: object, problem: string | RegExp];

	test.each<Damage>([
		['another version', { version: 2 }, VERSION],
		['no version', { version: undefined }, VERSION],
		['no identity', { identity: 7 }, 'it does not say what it is about'],
		['a watermark that is no time', { watermark: 'yesterday' }, WATERMARK],
		['a watermark that is not a number', { watermark: NaN }, WATERMARK],
		['a watermark at no end of time', { watermark: Infinity }, WATERMARK],
		['no watermark left out', { watermark: undefined }, WATERMARK],
		['an activation that is no time', { activatedAt: 'then' }, ACTIVATION],
		['a memory that is no text', { memory: ['a'] }, MEMORY],
		['a memory that is a list', { memory: [] }, MEMORY],
		['a memory cut short', { memory: 'abcdefgh' }, MEMORY],
		['a memory of another kind', { memory: 'abcdefg h' }, MEMORY],
		['a sweep that is no object', { sweep: 'c' }, DAMAGED_SWEEP],
		['readings that are none', { readings: {} }, DAMAGED_READINGS],
		['a reading that is none', { readings: [null] }, DAMAGED_READINGS],
		['a reading without its start', { readings: [{ startedAt: null }] }, DAMAGED_READINGS],
		['a reading whose horizon is no day', { readings: [{ startedAt: 1, horizon: -1 }] }, DAMAGED_READINGS],
		['a reading from a date that is none', { readings: [{ startedAt: 1, occurredSince: '1' }] }, DAMAGED_READINGS],
		['no sweep left out', { sweep: undefined }, DAMAGED_SWEEP],
		['nowhere to continue from', { watermark: null, earliest: null }, NOWHERE],
		['a start from a date that begins elsewhere', { ...FROM_DATE, earliest: 501 }, NOWHERE],
		['a start after something was emitted', { ...begunAt3, last: { ...LAST, added: 0, before: unread } }, NOWHERE],
		['readings that began nowhere', { watermark: null, readings: [{ startedAt: 9 }], earliest: null }, NOWHERE],
		['a last emission before which they began nowhere', { last: { ...LAST, before: reread }, earliest: null }, NOWHERE],
		['an earliest moment that is no time', { earliest: 'then' }, 'its earliest moment is not a time'],
		['emissions that are no count', { emissions: -1 }, 'its emissions are not counted'],
		['a last emission that is none', { last: 'p' }, DAMAGED_LAST],
		['a census before no time', { census: { ...SAVED_CENSUS, before: 'then' } }, 'its census is damaged'],
		["a cursor without the census's start", { census: { ...SAVED_CENSUS, walk } }, 'its census is damaged'],
		['a last emission without where it began', { last: { ...LAST, before: nowhere }, earliest: null }, NOWHERE],
		...ofSweep.map(([what, more]): Damage => [what, { sweep: { ...SAVED_SWEEP, ...more } }, DAMAGED_SWEEP]),
		...ofLast.map(([what, more]): Damage => [what, { last: { ...LAST, ...more } }, DAMAGED_LAST]),
	])('is corrupt with %s', (_what, damage, problem) => {
		expect(readCheckpoint({ ...SAVED, ...damage }, 'me', false)).toEqual({ problem: expect.stringMatching(problem) });
	});

	test.each<[string, object]>([
		['nothing has been read', { watermark: null, earliest: 500 }],
		["the service's time could not be read", startingFrom(null)],
		['the first sweep is under way', { earliest: 500, watermark: null, sweep: SAVED_SWEEP }],
		['a sweep has read nothing yet', { sweep: saved(sweepFrom(500)) }],
		['a sweep has started, and starts over', { sweep: { ...saved(sweepFrom(500)), startedAt: 900 } }],
		["the service's time could not be read for a start date", FROM_DATE],
		['the start date is a second after the epoch', startingFrom(0)],
		['a first sweep from a date is to begin', { ...FROM_DATE, activatedAt: null }],
		['a sweep is the last', { sweep: { ...SAVED_SWEEP, horizon: 7, isLast: true } }],
		['a sweep from a date confirms nothing', { sweep: { ...SAVED_SWEEP, occurredSince: 3, confirmsNothing: true } }],
		['a sweep has been complete', { memory: '.7.', readings: [{ startedAt: 900, horizon: 7, occurredSince: 3 }] }],
		['only a sweep has been complete', { earliest: 500, watermark: null, readings: [READING] }],
		['a sweep has had setbacks', { sweep: { ...SAVED_SWEEP, setbacks: { inVain: 0, furthest: 7 } } }],
		['the last emission was all that is remembered', { last: { ...LAST, added: 0, changed: 1 } }],
		['the last emission was none', { last: { ...LAST, added: 0 } }],
		['nothing earlier is to be read', { earliest: 700 }],
		['it is the beginning of time', { watermark: 0, memory: '' }],
	])('is good when %s', (_what, changes) => {
		const form = { ...SAVED, ...changes };
		const read = readCheckpoint(storedCopy(form), 'me', false) as { checkpoint: Checkpoint };
		expect(savedFormOf(read.checkpoint)).toEqual(form);
	});
});
