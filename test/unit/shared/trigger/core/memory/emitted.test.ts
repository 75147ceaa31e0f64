import type { Tail } from '../../../../../../nodes/shared/trigger/core/memory/emitted.ts';
import {
	emittedLast,
	keyIn,
	redeliveredEntries,
	watching,
} from '../../../../../../nodes/shared/trigger/core/memory/emitted.ts';
import { watchIdOf } from '../../../../../../nodes/shared/trigger/core/memory/fingerprint.ts';
import { readMemory, writeMemory } from '../../../../../../nodes/shared/trigger/core/memory/text.ts';
import { fingerprintOf } from '../../../../../support/scripted/kind.ts';
import { entry, memoryOf, TestMemory, WATCH_ID } from '../../../../../support/scripted/memory.ts';
import { without } from '../../../../../support/scripted/verdicts.ts';

const UNKNOWN = '------';

test('other fields to watch are unknown of every entry', () => {
	const watched = watching(memoryOf(entry('a')), WATCH_ID);
	expect(watched).toMatchObject({ watchId: WATCH_ID });
	expect([...watched.entries.values()]).toMatchObject([{ watched: UNKNOWN, content: 'accccc' }]);
	expect([...watching(watched, '').entries.values()]).toMatchObject([{ watched: '' }]);
});

test('the keys at the end: first those of the new, then those of the changed', () => {
	const text = writeMemory(memoryOf(...['old', 'new', 'changed'].map((name) => entry(name, { watched: 'wwwwww' }))));
	const last = (tail: Tail) => emittedLast(readMemory(text, true), tail);
	const updated = ['changed__wwwwww'];
	expect(last({ new: 1, updated: 1 })).toMatchObject({ new: ['new______wwwwww'], updated });
	expect(last({ new: 0, updated: 1 })).toMatchObject({ new: [], updated });
	expect(last({ new: 0, updated: 0 })).toMatchObject({ new: [], updated: [] });
});

describe('without what some polls emitted', () => {
	const [id, now] = entry('a');
	const key = keyIn(id, now);
	const former = keyIn(id, { content: 'former', watched: '' });
	const text = writeMemory(memoryOf(entry('a'), entry('b')));
	const unconfirmedIn = (left: string) =>
		[...readMemory(left, true).entries].filter(([, { status }]) => status === 'unconfirmed').map(([name]) => name);

	test('what was new is unconfirmed, even where a later poll emitted it as changed', () => {
		expect(unconfirmedIn(without(text, true, [{ new: [key], updated: [], watchId: '' }]))).toEqual([id]);
		const asNew = { new: [former], updated: [], watchId: '' };
		const emissions = [asNew, { new: [], updated: [key], watchId: '' }];
		expect(unconfirmedIn(without(text, true, emissions))).toEqual([id]);
	});

	test('what had changed has an unknown content', () => {
		const left = readMemory(without(text, true, [{ new: [], updated: [key], watchId: '' }]), true);
		expect(left.entries.get(id)).toMatchObject({ content: UNKNOWN, watched: '' });
	});

	test('what was emitted again since stays', () => {
		expect(without(text, true, [{ new: [former], updated: [], watchId: '' }])).toBe(text);
	});

	test('what cannot be compared, because other fields are watched since, is unconfirmed', () => {
		expect(unconfirmedIn(without(text, true, [{ new: [former], updated: [], watchId: WATCH_ID }]))).toEqual([id]);
	});

	test.each([
		['new', { status: 'unconfirmed' }],
		['updated', { content: UNKNOWN }],
	])('what was %s counts from today, so that it is not forgotten before it is emitted again', (event, over) => {
		const emitted = { new: [], updated: [], [event]: [key], watchId: '' };
		const redelivered = redeliveredEntries(memoryOf(entry('a')), [emitted], 20_123);
		expect([...redelivered]).toEqual([[id, { ...now, ...over, day: 20_123 }]]);
	});

	test('what was new and is forgotten is unconfirmed, what had changed stays forgotten', () => {
		const gone = keyIn(...entry('z'));
		expect(without(text, true, [{ new: [], updated: [gone], watchId: '' }])).toBe(text);
		const left = readMemory(without(text, true, [{ new: [gone], updated: [], watchId: '' }]), true);
		expect(left.entries.get(entry('z')[0])).toEqual({ ...now, content: UNKNOWN, day: 0, status: 'unconfirmed' });
		const ids = redeliveredEntries(readMemory('.0.', false), [{ new: ['z________'], updated: [], watchId: '' }], 0);
		expect(ids.get('z________')).toMatchObject({ content: '', watched: '', status: 'unconfirmed' });
	});
});

test('what n8n has yet to store as new is new in the tail of the memory, even if it was updated since', () => {
	const memory = new TestMemory('', { keepsContent: true });
	memory.remember(fingerprintOf({ id: 1 }), 'new');
	const { new: keys } = memory.write().keys!;
	const keysOf = (event: 'new' | 'updated') => ({ keys: { new: [], updated: [], watchId: '', [event]: keys } });
	const inFlight = [keysOf('new'), keysOf('updated')];
	const later = new TestMemory(memory.write().text, { keepsContent: true, inFlight });
	expect(later.write().tail).toEqual({ new: 1, updated: 0 });
});

test('a record is redelivered until it is emitted again; a later poll knows it only of one that had changed', () => {
	const [known, changed, added] = [{ id: 1 }, { id: 1, amount: 200 }, { id: 2 }].map(fingerprintOf);
	const emitting = new TestMemory('', { keepsContent: true });
	emitting.remember(known!, 'new');
	const before = new TestMemory(emitting.write().text, { keepsContent: true });
	before.remember(changed!, 'updated');
	before.remember(added!, 'new');
	const { text, tail } = before.write();
	const memory = new TestMemory(text, { keepsContent: true });
	memory.redeliver([{ tail }]);
	const areRedelivered = (one: TestMemory) => [changed, added].map((record) => one.isRedelivered(record!));
	expect(areRedelivered(memory)).toEqual([true, true]);
	expect(areRedelivered(new TestMemory(memory.write().text, { keepsContent: true }))).toEqual([true, false]);
	memory.remember(changed!, 'updated');
	memory.remember(added!, 'new');
	expect(areRedelivered(memory)).toEqual([false, false]);
});

test('what is redelivered after other fields were chosen is compared by those', () => {
	const emitting = new TestMemory('', { keepsContent: true, fieldsToWatch: ['amount'] });
	emitting.remember(fingerprintOf({ id: 1 }), 'new');
	const { text, tail } = emitting.write();
	const memory = new TestMemory(text, { keepsContent: true, fieldsToWatch: ['status'] });
	memory.redeliver([{ tail }]);
	expect(readMemory(memory.write().text, true).watchId).toBe(watchIdOf(['status']));
});
