import { capacityFor } from '../../../../../../nodes/shared/trigger/core/memory/capacity.ts';
import type { Fingerprint } from '../../../../../../nodes/shared/trigger/core/memory/fingerprint.ts';
import { watchIdOf } from '../../../../../../nodes/shared/trigger/core/memory/fingerprint.ts';
import type { Memory, MemoryOptions } from '../../../../../../nodes/shared/trigger/core/memory/memory.ts';
import { isMemory, MEMORY_CHARACTERS, sizeIn } from '../../../../../../nodes/shared/trigger/core/memory/text.ts';
import { fingerprintOf, KIND } from '../../../../../support/scripted/kind.ts';
import { TestMemory } from '../../../../../support/scripted/memory.ts';
import {
	decisionOf,
	filterOut,
	isNew,
	verdictOf,
	without,
	withoutLast,
} from '../../../../../support/scripted/verdicts.ts';

const TODAY = 20_000;
const on = (day: number) => new Date(day * 86_400_000 + 1).toISOString();

const record = (number: number, more = {}) => fingerprintOf({ id: `tx_${number}`, amount: 100, ...more });

/** A memory that keeps no contents. */
const idsOnly = (text = '', more: Partial<MemoryOptions> = {}) =>
	new TestMemory(text, { keepsContent: false, today: TODAY, ...more });

function filled(count: number, keepsContent: boolean): TestMemory {
	const memory = new TestMemory('', { keepsContent, today: TODAY });
	for (let number = 0; number < count; number++) memory.remember(record(number), 'new');
	return memory;
}

describe('memory', () => {
	test.each(['learned', 'emitted'])('of what is %s names each day once, in whatever order the days come', (how) => {
		const memory = idsOnly();
		for (let number = 0; number < 20; number++) {
			const fingerprint = record(number, { occurred_at: on(TODAY - (number % 3)) });
			if (how === 'emitted') memory.remember(fingerprint, 'new');
			else memory.learn(fingerprint, 'unconfirmed');
		}
		expect(memory.write().text.split('.').at(-1)?.split(',')).toHaveLength(3);
	});

	test.each([true, false])('50,000 records and more take less than a megabyte (content kept: %s)', (keepsContent) => {
		expect(capacityFor(keepsContent, '')).toBeGreaterThanOrEqual(50_000);
		const text = filled(50_000, keepsContent).write().text;
		expect(Buffer.byteLength(JSON.stringify(text))).toBeLessThan(800_000);
		const again = new TestMemory(text, { keepsContent });
		expect(again.size).toBe(50_000);
		for (let number = 0; number < 50_000; number++) expect(verdictOf(again, record(number))).toBe('known');
		expect(verdictOf(again, record(50_000))).toBe('new');
	});

	test('no memory ever takes more than its share of the state', () => {
		const memory = filled(capacityFor(true, '') + 10, true);
		expect(memory.write().text.length).toBeLessThanOrEqual(MEMORY_CHARACTERS + 20);
		expect(memory.size).toBe(capacityFor(true, ''));
	});

	test('holds as many as its characters allow', () => {
		// Earlier versions wrote more than now, and no days.
		expect([960_000, 960_015].map((length) => isMemory('a'.repeat(length), true))).toEqual([true, false]);
		const texts = ['', '_-aZ09_-a'.repeat(2), `${'a'.repeat(8)}!`, `!${'a'.repeat(8)}`];
		expect(texts.map((text) => isMemory(text, false))).toEqual([true, true, false, false]);
		expect([sizeIn('a'.repeat(30), true), sizeIn('a'.repeat(27), false)]).toEqual([2, 3]);
	});

	test('knows how many it holds, before and after it is parsed', () => {
		const memory = idsOnly(filled(3, false).write().text, { capacity: 4 });
		const sizes = [memory.size];
		for (const number of [2, 3, 4, 5]) {
			memory.remember(record(number), 'new');
			sizes.push(memory.size);
		}
		expect(sizes).toEqual([3, 3, 4, 5, 6]);
		expect([memory.write().endsReadings, memory.size]).toEqual([true, 4]);
	});

	test('a full memory forgets what occurred first, which is old from then on; what has no date is new', () => {
		const memory = idsOnly('', { capacity: 2 });
		const days = [TODAY - 30, TODAY - 9, TODAY - 20];
		days.forEach((day, number) => memory.remember(record(number, { occurred_at: on(day) }), 'new'));
		const { text, tail, endsReadings } = memory.write();
		expect([tail.new, endsReadings]).toEqual([2, false]);
		const again = idsOnly(text, { capacity: 2 });
		const day = (number: number, occurred_at?: unknown) => verdictOf(again, record(number, { occurred_at }));
		expect(again.horizon).toBe(TODAY - 29);
		expect([day(0, on(TODAY - 30)), day(1), day(2)]).toEqual(['known', 'known', 'known']);
		expect([day(8, on(TODAY - 30)), day(8, on(TODAY - 29))]).toEqual(['known', 'new']);
		for (const odd of [undefined, null, '', 'then', 7, on(-1), '1970-01-01T00:00:00Z']) expect(day(8, odd)).toBe('new');
		expect(decisionOf(again, record(8, { occurred_at: on(TODAY - 30) }), { firstHorizon: 0 }).verdict).toBe('new');
		expect([isNew(again, record(8, { occurred_at: on(TODAY - 30) })), isNew(again, record(8))]).toEqual([false, true]);
	});

	test('with content, what was forgotten is a change when it is returned, and is not forgotten again at once', () => {
		const settings = { keepsContent: true, today: TODAY, capacity: 2 };
		const memory = new TestMemory('', settings);
		for (const day of [30, 9, 8]) memory.remember(record(day, { occurred_at: on(TODAY - day) }), 'new');
		const again = new TestMemory(memory.write().text, settings);
		const forgotten = record(30, { occurred_at: on(TODAY - 30) });
		expect(verdictOf(again, forgotten)).toBe('updated');
		again.remember(forgotten, 'new');
		const { text, tail } = again.write();
		const next = new TestMemory(text, settings);
		next.remember(record(1, { occurred_at: on(TODAY - 1) }), 'new');
		expect([tail.new, verdictOf(new TestMemory(next.write().text, settings), forgotten)]).toEqual([1, 'known']);
		// Its day is that of its return, which says nothing about what occurred until then.
		const later = new TestMemory(text, { ...settings, today: TODAY + 9 });
		for (const day of [1, 0]) later.remember(record(90 + day, { occurred_at: on(TODAY + 8 - day) }), 'new');
		later.write();
		expect(later.horizon).toBe(TODAY - 7);
	});

	test('what occurred today or yesterday is forgotten without moving the horizon: what is new now must arrive', () => {
		const memory = idsOnly('', { capacity: 1 });
		for (const day of [1, 0, -300]) memory.remember(record(day, { occurred_at: on(TODAY - day) }), 'new');
		expect([memory.write().endsReadings, memory.horizon, memory.size]).toEqual([true, 0, 1]);
	});

	test('what waits is forgotten without moving the horizon: its day is not when it occurred', () => {
		const memory = idsOnly('', { capacity: 1 });
		memory.learn(record(1), 'waiting');
		memory.noteTime((TODAY + 9) * 86_400_000);
		memory.remember(record(2, { occurred_at: on(TODAY + 9) }), 'new');
		expect([memory.write().endsReadings, memory.horizon, memory.size]).toEqual([true, 0, 1]);
	});

	test('another reading would emit again what was returned since the first one began, and is forgotten', () => {
		const undated = (id: number) => fingerprintOf({ id });
		const memory = idsOnly('', { capacity: 1 });
		memory.remember(undated(1), 'new');
		const { text } = memory.write();
		const forgets = (earliest = Infinity) => {
			const later = idsOnly(text, { capacity: 1 });
			for (const day of [TODAY + 2, TODAY]) later.noteTime(day * 86_400_000);
			later.remember(undated(2), 'new');
			return later.write({ earliest, latest: Infinity }).endsReadings;
		};
		const began = TODAY * 86_400_000;
		expect([began, began + 86_400_000, undefined].map(forgets)).toEqual([true, false, false]);
	});

	test('what an earlier version remembered is forgotten first, and new then', () => {
		const legacy = filled(3, false).write().text.split('.')[0] as string;
		expect(legacy).toHaveLength(27);
		const memory = idsOnly(legacy, { capacity: 3 });
		expect(verdictOf(memory, record(0))).toBe('known');
		memory.remember(record(3, { occurred_at: on(5) }), 'new');
		const again = idsOnly(memory.write().text, { capacity: 3 });
		const verdicts = [0, 1, 2, 3].map((number) => verdictOf(again, record(number, { occurred_at: on(3) })));
		expect(verdicts).toEqual(['new', 'known', 'known', 'known']);
	});

	test('what is learned unconfirmed is new until it is confirmed, and what is set aside until no census can learn it', () => {
		const memory = idsOnly();
		for (const number of [1, 2]) memory.learn(record(number), 'unconfirmed');
		memory.learn(record(3), 'known');
		filterOut(memory, record(2), { hasCensus: false });
		filterOut(memory, record(3), { hasCensus: true });
		filterOut(memory, record(5), { hasCensus: false });
		filterOut(memory, record(4), { hasCensus: true });
		const states = (of: TestMemory) => [1, 2, 3, 4].map((number) => verdictOf(of, record(number)));
		const unknown = (of: TestMemory) => [1, 2, 3, 4, 5].filter((number) => isNew(of, record(number)));
		const written = (of: TestMemory) => idsOnly(of.write().text);
		const read = written(memory);
		expect([states(read), unknown(read)]).toEqual([['new', 'new', 'known', 'new'], [5]]);
		read.confirm({ hadOnePage: true, hasCensus: true });
		const confirmed = written(read);
		expect([states(confirmed), unknown(confirmed)]).toEqual([['known', 'new', 'known', 'new'], [5]]);
		confirmed.confirm({ hadOnePage: true, hasCensus: false });
		expect(unknown(written(confirmed))).toEqual([2, 4, 5]);
	});

	test('what was unconfirmed and is emitted counts as new, so that it can be redelivered', () => {
		const memory = idsOnly();
		memory.learn(record(1), 'unconfirmed');
		memory.remember(record(1), 'new');
		const { text, tail } = memory.write();
		expect(tail).toMatchObject({ new: 1, updated: 0 });
		expect(verdictOf(idsOnly(withoutLast(text, false, tail)), record(1))).toBe('new');
	});

	test('with content, a change shows, in any order of the fields', () => {
		const memory = new TestMemory('', { keepsContent: true, today: TODAY });
		memory.remember(fingerprintOf({ id: 'a', amount: 1, fee: { value: 2, unit: 'x' } }), 'new');
		const again = new TestMemory(memory.write().text, { keepsContent: true });
		expect(verdictOf(again, fingerprintOf({ fee: { unit: 'x', value: 2 }, amount: 1, id: 'a' }))).toBe('known');
		const changed = fingerprintOf({ id: 'a', amount: 1, fee: { value: 3, unit: 'x' } });
		expect(verdictOf(again, changed)).toBe('updated');
		again.remember(changed, 'new');
		expect([again.size, verdictOf(again, changed)]).toEqual([1, 'known']);
	});

	test('without content, a change does not', () => {
		const memory = idsOnly();
		memory.remember(record(1), 'new');
		expect(verdictOf(memory, record(1, { amount: 200 }))).toBe('known');
	});

	test('what sweeps may have skipped is confirmed by the third', () => {
		const memory = idsOnly();
		for (const number of [1, 2]) memory.learn(record(number), 'unconfirmed');
		let text = memory.write().text;
		const after = (of: TestMemory) => {
			of.confirm({ hadOnePage: false, hasCensus: true });
			text = of.write().text;
			return [1, 2, 3].map((number) => verdictOf(idsOnly(text), record(number)));
		};
		expect(after(idsOnly(text))).toEqual(['new', 'new', 'new']);
		const second = idsOnly(text);
		filterOut(second, record(1), { hasCensus: false });
		second.learn(record(3), 'unconfirmed');
		expect(after(second)).toEqual(['new', 'new', 'new']);
		expect(isMemory(text, false)).toBe(true);
		expect(after(idsOnly(text))).toEqual(['new', 'known', 'new']);
		expect(after(idsOnly(text))).toEqual(['new', 'known', 'known']);
	});

	test('a memory that was only read keeps its text', () => {
		const text = filled(10, false).write().text;
		const memory = idsOnly(text);
		verdictOf(memory, record(0));
		memory.confirm({ hadOnePage: true, hasCensus: false });
		expect(memory.write().text).toBe(text);
	});

	test('what was added last is at its tail, first the new, then the changed, and can be redelivered', () => {
		const before = new TestMemory('', { keepsContent: true, today: TODAY });
		for (const number of [1, 2, 3, 4]) before.remember(record(number), 'new');
		const memory = new TestMemory(before.write().text, { keepsContent: true });
		memory.remember(record(2, { amount: 200 }), 'updated');
		for (const number of [5, 6]) memory.remember(record(number), 'new');
		memory.remember(record(6, { amount: 200 }), 'updated');
		const { text, tail } = memory.write();
		expect(tail).toEqual({ new: 2, updated: 1 });
		const rest = new TestMemory(withoutLast(text, true, tail), { keepsContent: true });
		const acquaintances = [1, 2, 3, 4, 5, 6].map((number) => verdictOf(rest, record(number)));
		expect(acquaintances).toEqual(['known', 'updated', 'known', 'known', 'new', 'new']);
		// A receiver of the change must receive its reversal.
		expect(verdictOf(rest, record(2, { amount: 200 }))).toBe('updated');
	});

	test('when more was emitted than there is room for, what occurred first is forgotten, new or changed', () => {
		const settings = { keepsContent: true, today: TODAY, capacity: 3 };
		const before = new TestMemory('', settings);
		const old = [0, 1, 2].map((number) => record(number, { occurred_at: on(TODAY - 300 + number) }));
		for (const one of old) before.remember(one, 'new');
		const memory = new TestMemory(before.write().text, settings);
		for (const one of old) memory.remember(one, 'updated');
		for (const number of [3, 4]) memory.remember(record(number, { occurred_at: on(TODAY) }), 'new');
		const { text, endsReadings, tail } = memory.write();
		expect({ endsReadings, tail }).toEqual({ endsReadings: false, tail: { new: 2, updated: 1 } });
		const rest = new TestMemory(text, settings);
		for (const number of [3, 4]) expect(verdictOf(rest, record(number, { occurred_at: on(TODAY) }))).toBe('known');
	});

	test('what waits for the filters takes no room of the details of what was reported', () => {
		const memory = new TestMemory('', { keepsContent: true, today: TODAY, kind: KIND });
		memory.learn(record(1), 'waiting');
		expect(memory.write().details).toBe('');
		memory.learn(record(2), 'unconfirmed');
		expect(memory.write().details).not.toBe('');
	});

	test('what was added and forgotten at once is no addition', () => {
		const memory = idsOnly('', { capacity: 3 });
		for (const number of [1, 2, 3, 4, 5]) memory.remember(record(number), 'new');
		const { text, tail } = memory.write();
		expect(tail).toEqual({ new: 3, updated: 0 });
		expect(withoutLast(text, false, tail)).toMatch(/~0:3$/);
	});
});

describe('a memory with fields to watch', () => {
	const STATUS = ['status'];

	const memoryOf = (text: string, fieldsToWatch: readonly string[] = STATUS, more: Partial<MemoryOptions> = {}) =>
		new TestMemory(text, { keepsContent: true, today: TODAY, fieldsToWatch, ...more });
	const of = (status: string, amount = 100) => fingerprintOf({ id: 'tx', status, amount });

	/** Returns a memory that has reported a record. */
	function reported(...versions: Array<ReturnType<typeof of>>): string {
		const memory = memoryOf('');
		for (const version of versions) memory.remember(version, 'new');
		return memory.write().text;
	}

	function watchedVerdictOf(memory: TestMemory, fingerprint: Fingerprint): string {
		const { verdict, because } = decisionOf(memory, fingerprint);
		return because === 'changed in no watched field' ? 'unwatched' : verdict;
	}

	const watchedVerdicts = (memory: TestMemory, ...fingerprints: Fingerprint[]) =>
		fingerprints.map((fingerprint) => watchedVerdictOf(memory, fingerprint));

	test('compares those, and the content before and after', () => {
		const memory = memoryOf(reported(of('paid')));
		const paid = [of('paid'), of('paid', 1)];
		expect(watchedVerdicts(memory, ...paid)).toEqual(['known', 'unwatched']);
		expect(watchedVerdicts(memory, of('refunded'), of('refunded', 1))).toEqual(['updated', 'updated']);
		memory.noteContent(of('paid', 1));
		memory.noteContent(fingerprintOf({ id: 'forgotten' }));
		const { text, tail } = memory.write();
		expect(tail).toEqual({ new: 0, updated: 0 });
		expect(watchedVerdicts(memoryOf(text), ...paid)).toEqual(['unwatched', 'known']);
		// When nothing is watched any more, it knows the content that it followed.
		expect(watchedVerdicts(memoryOf(text, []), ...paid)).toEqual(['updated', 'known']);
	});

	test('tells a field that is missing from one that is null, and takes a field that no record has', () => {
		const memory = memoryOf(reported(fingerprintOf({ id: 'tx', amount: 1 })));
		const missing = fingerprintOf({ id: 'tx', amount: 2 });
		const none = fingerprintOf({ id: 'tx', amount: 1, status: null });
		expect(watchedVerdicts(memory, missing, none)).toEqual(['unwatched', 'updated']);
	});

	test('follows without changing the order, the day or what was added last', () => {
		const memory = memoryOf('');
		for (const id of [1, 2, 3]) memory.remember(fingerprintOf({ id, amount: 1 }), 'new');
		const before = memory.write();
		const again = memoryOf(before.text);
		again.noteContent(fingerprintOf({ id: 1, amount: 2, occurred_at: '2026-01-01T00:00:00Z' }));
		const { text } = again.write();
		const ids = (of: string) => Array.from(of.split('.')[0]!.matchAll(/(.{9}).{12}/g), ([, id]) => id);
		expect(ids(text)).toEqual(ids(before.text));
		expect(text.split('.').slice(1)).toEqual(before.text.split('.').slice(1));
		expect(text).not.toBe(before.text);
	});

	test.each<[string, readonly string[], readonly string[]]>([
		['from none to some', [], STATUS],
		['from some to others', ['amount'], STATUS],
		['from some to none', STATUS, []],
	])('%s: nothing changes by that, and what changes before it is returned once is a change', (_what, before, after) => {
		const memory = memoryOf('', before);
		memory.remember(of('paid'), 'new');
		memory.remember(fingerprintOf({ id: 'other', status: 'paid' }), 'new');
		const other = fingerprintOf({ id: 'other', status: 'paid', fee: 1 });
		const again = memoryOf(memory.write().text, after);
		expect(watchedVerdicts(again, of('paid'), of('refunded'), other)).toEqual(['known', 'updated', 'updated']);
		again.noteContent(of('paid'));
		const learned = memoryOf(again.write().text, after);
		const learnedVerdict = after.length === 0 ? 'updated' : 'unwatched';
		expect(watchedVerdicts(learned, of('paid', 1), other)).toEqual([learnedVerdict, 'updated']);
	});

	test('stays as it was written until a record is returned', () => {
		const text = reported(of('paid'));
		const idle = memoryOf(text, ['amount']);
		expect([idle.size, idle.write().text]).toEqual([1, text]);
	});

	test('counts what is redelivered as changed, whichever fields have', () => {
		const [known, changed] = [of('paid'), of('refunded')];
		const memory = memoryOf(reported(known));
		memory.remember(changed, 'updated');
		const { text, tail, keys } = memory.write();
		const { updated, watchId } = keys!;
		for (const rest of [withoutLast(text, true, tail), without(text, true, [keys!])]) {
			expect(watchedVerdicts(memoryOf(rest), known, changed, of('paid', 1))).toEqual(Array(3).fill('updated'));
			expect(watchedVerdictOf(memoryOf(rest, []), changed)).toBe('updated');
		}
		const asNew = without(text, true, [{ new: updated, updated: [], watchId }]);
		expect(watchedVerdictOf(memoryOf(asNew), changed)).toBe('new');
	});

	test('redelivers what n8n did not store, even after a change of another field, but not what was emitted since', () => {
		const memory = memoryOf(reported(of('paid')));
		const emitting = memoryOf('');
		emitting.remember(of('paid'), 'updated');
		const emission = emitting.write().keys!;
		const compared = (text: string, fields: readonly string[] = STATUS) =>
			watchedVerdictOf(memoryOf(without(text, true, [emission]), fields), of('paid', 1));
		memory.noteContent(of('paid', 1));
		const followed = memory.write().text;
		expect([compared(followed), compared(reported(of('paid'), of('refunded', 1)))]).toEqual(['updated', 'updated']);
		const since = without(reported(of('paid'), of('refunded')), true, [emission]);
		expect(watchedVerdictOf(memoryOf(since), of('refunded'))).toBe('known');
		// Other fields to watch: nobody knows whether it was emitted since.
		for (const fields of [['amount'], []]) {
			const switched = memoryOf(followed, fields);
			switched.noteContent(of('paid', 1));
			expect(watchedVerdictOf(switched, of('paid', 1))).toBe('known');
			expect(compared(switched.write().text, fields)).toBe('updated');
		}
	});

	test('is redelivered before other fields to watch count: what was emitted again since stays', () => {
		const memory = memoryOf(reported(of('paid')));
		memory.remember(of('refunded'), 'updated');
		const { text, tail, keys } = memory.write();
		const first = memoryOf('');
		first.remember(of('paid'), 'new');
		const verdictAfter = (emission: Parameters<Memory['redeliver']>[0][number]) => {
			const other = memoryOf(text, ['amount']);
			other.redeliver([emission]);
			return watchedVerdictOf(memoryOf(other.write().text, ['amount']), of('refunded'));
		};
		const verdicts = [{ keys: first.write().keys! }, { keys: keys! }, { tail }].map(verdictAfter);
		expect(verdicts).toEqual(['known', 'updated', 'updated']);
		expect(() => memory.redeliver([{ tail }])).toThrow('redelivers before it is read');
	});

	test('holds 40,000, and is a memory only with content', () => {
		const text = reported(of('paid'));
		expect([capacityFor(true, watchIdOf(STATUS)), memoryOf('').capacity]).toEqual([40_000, 40_000]);
		expect([isMemory(text, true), isMemory(text, false)]).toEqual([true, false]);
		const damaged = [`${text}x`, `${text}.x`, text.slice(0, -1), text.slice(1)];
		expect(damaged.filter((one) => isMemory(one, true))).toEqual([]);
	});
});
