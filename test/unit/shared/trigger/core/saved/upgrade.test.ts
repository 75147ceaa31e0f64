import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Checkpoint } from '../../../../../../nodes/shared/trigger/core/delivery.ts';
import { STAYS_RECENT } from '../../../../../../nodes/shared/trigger/core/delivery.ts';
import type { SavedSweep } from '../../../../../../nodes/shared/trigger/core/saved/parts.ts';
import { savedFormOf } from '../../../../../../nodes/shared/trigger/core/saved/savedForm.ts';
import type { Position } from '../../../../../../nodes/shared/trigger/core/state.ts';
import { newCensus, newWalk } from '../../../../../../nodes/shared/trigger/core/state.ts';
import { readCheckpoint } from '../../../../../support/scripted/kind.ts';
import type { PollAt } from '../../../../../support/scripted/ports.ts';
import {
	checkpointOf,
	deliver,
	emittedIds,
	nextAt,
	NOW,
	pollAtEach,
	service,
	SETTINGS,
	startedState,
	startingAt,
	sweepFrom,
	sweepingWith,
	sweepOf,
} from '../../../../../support/scripted/ports.ts';
import { storedCopy } from '../../../../../support/scripted/storing.ts';

const READING = { startedAt: 5, horizon: 0, startDate: null };
const SWEEP = sweepFrom(500, { startedAt: 900, next: nextAt('c') });
const { sweep: SAVED_SWEEP } = savedFormOf(checkpointOf(sweepingWith(SWEEP))) as { sweep: SavedSweep };
const READINGS = [READING, { ...READING, horizon: 3, startDate: 4 }];
const FULL_STATE = { earliest: 400, readings: READINGS, census: { ...newCensus(500), walk: newWalk(0) } };
const FULL_SWEEP = { ...SWEEP, isLast: true, walk: { ...SWEEP.walk, setbacks: { inVain: 1, furthest: 2 } } };
const ORIGIN: Position = { phase: 'sweeping', watermark: null, readings: [READING], sweep: SWEEP };
const EMITTED = { process: 'p', isAfterRestart: false, tail: { new: 0, updated: 0 } };
const LAST = { ...EMITTED, origin: ORIGIN, emittedAt: STAYS_RECENT } as const;
const FULL = checkpointOf(sweepingWith(FULL_SWEEP, FULL_STATE), { memory: '.3.', last: LAST });
const BETWEEN = checkpointOf();
const upgraded = (saved: object) =>
	(readCheckpoint(saved as never, 'me', false) as { checkpoint: Checkpoint }).checkpoint;

test('what this version saved is read again as it was', () => {
	expect(upgraded(savedFormOf(FULL))).toEqual(FULL);
	expect(upgraded(savedFormOf(BETWEEN))).toEqual(BETWEEN);
});

test('what earlier versions left out is there again, at any depth', () => {
	const walk = { since: 500, startedAt: 900, cursor: 'c', trail: { mark: '', steps: 0, reach: 1 } };
	const place = { activatedAt: null, watermark: null, readings: [{ startedAt: 5 }], sweep: walk };
	const counts = { before: 500, pages: 0, learned: 0, readAt: null };
	const saved = {
		...savedFormOf(FULL),
		readings: [{ startedAt: 5 }, { startedAt: 5, horizon: 3, occurredSince: 4 }],
		sweep: { ...walk, setbacks: { inVain: 1, furthest: 2 }, isLast: true },
		last: { process: 'p', repeats: false, added: 0, changed: 0, before: place },
		census: { walk: { ...walk, since: 0, startedAt: null, cursor: null }, ...counts },
	};
	expect(upgraded(saved)).toEqual(FULL);
	const { census: _census, ...without } = savedFormOf(BETWEEN);
	expect(upgraded(without)).toEqual(BETWEEN);
});

describe('a state of an earlier version', () => {
	const saved = savedFormOf(checkpointOf(sweepingWith(SWEEP))) as Record<string, unknown>;
	const { readings: _readings, earliest: _earliest, ...older } = saved;

	test('without the earliest moment has that of its first sweep, unless another was before', () => {
		expect(upgraded({ ...older, watermark: null }).state).toMatchObject({ earliest: 500, readings: [] });
		expect(upgraded(older).state).toMatchObject({ earliest: 0, readings: [] });
		const before = { activatedAt: null, watermark: null, readings: [], sweep: SAVED_SWEEP };
		const last = { process: 'p', repeats: false, added: 0, changed: 0, before };
		expect(upgraded({ ...older, sweep: null, last }).state).toMatchObject({ earliest: 500 });
		// The Overlap was longer than by default.
		const derived = { ...last, before: { ...before, activatedAt: NOW, sweep: null } };
		expect(upgraded({ ...older, last: derived }).state).toMatchObject({ earliest: 500 });
	});

	test('may have the readings of a later version, of a memory that had forgotten more', () => {
		const reading = { startedAt: 1, horizon: 5, occurredSince: 0 };
		const readings = [reading, { ...reading, horizon: 2 }];
		const state = { readings: [{ horizon: 3 }, { horizon: 2 }] };
		expect(upgraded({ ...older, earliest: 500, memory: '.3.', readings })).toMatchObject({ state });
	});

	test('in a later pass of a sweep has no other readings: it leaves those of a later version where they are', () => {
		const { since, startedAt, cursor, trail } = SAVED_SWEEP;
		const sweep = { since, startedAt, cursor, trail, pass: { number: 2 } };
		const readings = [1, 2].map((at) => ({ startedAt: at, horizon: 0, occurredSince: 0 }));
		expect(upgraded({ ...older, earliest: 500, sweep, readings }).state).toMatchObject({ readings: [{ startedAt }] });
	});

	test('that has started has no time of activation, nor has where its last emission began; while it starts, it has', () => {
		const before = { activatedAt: 3, watermark: null, readings: [], sweep: SAVED_SWEEP };
		const last = { process: 'p', repeats: false, added: 0, changed: 0, before };
		for (const sweep of [SAVED_SWEEP, null]) {
			const state = { phase: sweep === null ? 'between' : 'sweeping' };
			const origin = { watermark: null, readings: [], sweep: SWEEP };
			expect(upgraded({ ...older, sweep, activatedAt: 3, last })).toMatchObject({ state, last: { origin } });
		}
		const unread = { ...SAVED_SWEEP, startedAt: null, cursor: null };
		expect(upgraded({ ...older, watermark: null, sweep: unread, activatedAt: 3 }).state.phase).toBe('sweeping');
		const starting = { ...older, watermark: null, sweep: null, activatedAt: 3 };
		expect(upgraded(starting)).toEqual(checkpointOf(startingAt(3)));
		expect(upgraded({ ...starting, earliest: 1 }).state).toMatchObject({ phase: 'between', earliest: 1 });
		const read = { ...starting, readings: [{ startedAt: 5 }] };
		expect(upgraded({ ...read, earliest: 1 }).state).toMatchObject({ phase: 'between' });
		// 0.2.0 leaves the readings of a later version where they are, even where it begins anew.
		expect(upgraded(read)).toEqual(checkpointOf(startingAt(3)));
	});

	test('that has read a sweep from a date is not starting, whatever it kept of its activation', () => {
		const unread = savedFormOf(checkpointOf(startingAt(3, 500)));
		expect(upgraded(unread).state).toEqual(startingAt(3, 500));
		const begun = { ...(unread.sweep as object), startedAt: 5 };
		expect(upgraded({ ...unread, sweep: begun }).state).toMatchObject({ phase: 'sweeping' });
		expect(upgraded({ ...unread, watermark: 7 }).state).toMatchObject({ phase: 'sweeping', watermark: 7 });
		// A sweep from the date that is to be read again, after one reading.
		const again = { ...unread, activatedAt: null, readings: [{ startedAt: 5, occurredSince: 500 }] };
		expect(upgraded(again).state).toMatchObject({ phase: 'sweeping', readings: [{ startedAt: 5 }] });
	});

	test.each([
		[{ number: 1 }, [], { isLast: false, horizon: 4 }],
		// Since the first pass, the memory has the horizon 0.
		[{ number: 2, isOnly: true }, [{ startedAt: 900, horizon: 4, startDate: 3 }], { isLast: true, horizon: 0 }],
	])('whose sweep is in pass %j: each complete one was a reading', (pass, readings, under) => {
		const { since, startedAt, cursor, trail } = storedCopy(SAVED_SWEEP);
		const bounds = { horizon: 4, occurredSince: 3, confirmsNothing: true };
		const { state } = upgraded({ ...older, sweep: { since, startedAt, cursor, trail, ...bounds, pass } });
		const sweep = sweepOf(state);
		expect(sweep).not.toHaveProperty('pass');
		expect(sweep).toMatchObject(under);
		expect(startedState(state).readings).toEqual(readings);
	});
});

const savedBy = (release: string) =>
	JSON.parse(readFileSync(path.join(__dirname, 'savedStates', `${release}.json`), 'utf8')) as Record<string, unknown>;

/**
 * Returns what the code of a release wrote: two pages of a sweep from a date are read, and their four records emitted as the
 * last thing that its process did; the third page is to come.
 */
function savedAs(release: string, over: object = {}): Checkpoint {
	const read = readCheckpoint({ ...savedBy(release), ...over }, 'me', true);
	if (!('checkpoint' in read) || read.checkpoint === undefined) throw new Error(`not read: ${JSON.stringify(read)}`);
	return read.checkpoint;
}

const settings = { ...SETTINGS, keepsContent: true, fieldsToWatch: ['status'] };
const USUAL = { amount: 100, status: 'paid', occurred_at: '2026-01-20T11:59:00Z' };
const ALL = [1, 2, 3, 4, 5, 6].map((number) => ({ id: `tx_${number}`, ...USUAL }));

describe.each(['0.1.0', '0.2.0'])('a state of %s', (release) => {
	test('continues: nothing is lost and nothing arrives twice', async () => {
		const { ports, asked } = service({ records: ALL.slice(4) }, ...Array.from({ length: 4 }, () => ({ records: ALL })));
		const poll: PollAt = async (_poll, from) => await deliver(from, settings, ports, { name: 'before' });
		expect((await pollAtEach([1, 2, 3], poll, savedAs(release))).arrived).toEqual(['tx_5', 'tx_6']);
		expect(asked[0]).toEqual([expect.any(Number), 'b']);
	});

	test('is redelivered by another process: what n8n may not have stored arrives again', async () => {
		const { ports, asked } = service({ records: ALL });
		const polled = await deliver(savedAs(release), settings, ports, { name: 'after' });
		expect(emittedIds(polled)).toEqual(ALL.map(({ id }) => id));
		expect(asked[0]).toEqual([expect.any(Number), null]);
	});
});

test('a state of 0.1.0 whose first emission was that of the first sweep, after an activation without a response', () => {
	const before = { activatedAt: NOW - 60_000, watermark: null, sweep: null };
	const last = { process: 'before', repeats: false, added: 4, changed: 0, before };
	const read = savedAs('0.1.0', { watermark: NOW, sweep: null, last });
	const position = { watermark: null, readings: [], sweep: null };
	const state = { phase: 'between', earliest: NOW - 60_000 - 300_000 };
	expect(read).toMatchObject({ state, last: { origin: { phase: 'between', watermark: null, readings: [] } } });
	// Without a moment, nothing says what is old.
	const nowhere = { ...savedBy('0.1.0'), watermark: NOW, sweep: null, last: { ...last, before: position } };
	expect(readCheckpoint(nowhere, 'me', true)).toEqual({ problem: 'it does not say where to continue' });
});

test('a state of 0.1.0 whose first poll, from a date, emitted: redelivered, and each later sweep begins there, too', async () => {
	const since = NOW - 86_400_000;
	const trail = { mark: '', steps: 0, reach: 1 };
	const before = { activatedAt: null, watermark: null, sweep: { since, startedAt: null, cursor: null, trail } };
	const last = { process: 'before', repeats: false, added: 4, changed: 0, before };
	const { ports, asked } = service(...Array.from({ length: 4 }, () => ({ records: ALL })));
	const poll: PollAt = async (_poll, from) => await deliver(from, settings, ports, { name: 'after' });
	const saved = savedAs('0.1.0', { watermark: NOW, sweep: null, last });
	const { arrived, checkpoint } = await pollAtEach([1, 2, 3, 4], poll, saved);
	expect(arrived).toEqual(ALL.map(({ id }) => id));
	expect(asked.slice(0, 3)).toEqual(Array.from({ length: 3 }, () => [since, null]));
	expect(startedState(checkpoint.state).watermark).not.toBeNull();
});
