import { emittedLast, keyIn, takeOut, watching } from '../../../../../../nodes/shared/trigger/core/memory/emitted.ts';
import { readMemory, writeMemory } from '../../../../../../nodes/shared/trigger/core/memory/text.ts';
import { entry, memoryOf, WATCH_ID } from '../../../../../support/scripted/memory.ts';
import { without } from '../../../../../support/verdicts.ts';

const UNKNOWN = '------';

test('other fields to watch are unknown of every entry', () => {
	const watched = watching(memoryOf(entry('a')), WATCH_ID);
	expect(watched).toMatchObject({ watchId: WATCH_ID });
	expect([...watched.entries.values()]).toMatchObject([{ watched: UNKNOWN, content: 'accccc' }]);
	expect([...watching(watched, '').entries.values()]).toMatchObject([{ watched: '' }]);
});

test('the keys at the end: first those of the new, then those of the changed', () => {
	const text = writeMemory(memoryOf(...['old', 'new', 'changed'].map((name) => entry(name, { watched: 'wwwwww' }))));
	const [newKeys, changedKeys] = [['new______wwwwww'], ['changed__wwwwww']];
	expect(emittedLast(readMemory(text, true), { added: 1, changed: 1 })).toMatchObject({ newKeys, changedKeys });
	expect(emittedLast(readMemory(text, true), { added: 0, changed: 1 })).toMatchObject({ newKeys: [], changedKeys });
	expect(emittedLast(readMemory(text, true), { added: 0, changed: 0 })).toMatchObject({ newKeys: [], changedKeys: [] });
});

describe('without what some polls emitted', () => {
	const [id, now] = entry('a');
	const key = keyIn(id, now);
	const text = writeMemory(memoryOf(entry('a'), entry('b')));
	const unconfirmedIn = (left: string) =>
		[...readMemory(left, true).entries].filter(([, { status }]) => status === 'unconfirmed').map(([name]) => name);

	test('what was new is unconfirmed, even where a later poll emitted it as changed', () => {
		expect(unconfirmedIn(without(text, true, [{ newKeys: [key], changedKeys: [], watchId: '' }]))).toEqual([id]);
		const emissions = [
			{ newKeys: [keyIn(id, { content: 'former', watched: '' })], changedKeys: [], watchId: '' },
			{ newKeys: [], changedKeys: [key], watchId: '' },
		];
		expect(unconfirmedIn(without(text, true, emissions))).toEqual([id]);
	});

	test('what had changed has an unknown content', () => {
		const left = readMemory(without(text, true, [{ newKeys: [], changedKeys: [key], watchId: '' }]), true);
		expect(left.entries.get(id)).toMatchObject({ content: UNKNOWN, watched: '' });
	});

	test('what was emitted again since stays', () => {
		const former = keyIn(id, { content: 'former', watched: '' });
		expect(without(text, true, [{ newKeys: [former], changedKeys: [], watchId: '' }])).toBe(text);
	});

	test('what cannot be compared, because other fields are watched since, is unconfirmed', () => {
		const former = keyIn(id, { content: 'former', watched: '' });
		const emissions = [{ newKeys: [former], changedKeys: [], watchId: WATCH_ID }];
		expect(unconfirmedIn(without(text, true, emissions))).toEqual([id]);
	});

	test('what is unconfirmed counts from today, so that it is not forgotten before it is emitted again', () => {
		const memory = memoryOf(entry('a'));
		expect(takeOut(memory, [{ newKeys: [key], changedKeys: [], watchId: '' }], 20_123)).toEqual(new Set([id]));
		expect(memory.entries.get(id)).toEqual({ ...now, day: 20_123, status: 'unconfirmed' });
	});

	test('what was new and is forgotten is unconfirmed, what had changed stays forgotten', () => {
		const gone = keyIn(...entry('z'));
		expect(without(text, true, [{ newKeys: [], changedKeys: [gone], watchId: '' }])).toBe(text);
		const left = readMemory(without(text, true, [{ newKeys: [gone], changedKeys: [], watchId: '' }]), true);
		expect(left.entries.get(entry('z')[0])).toEqual({ ...now, content: UNKNOWN, day: 0, status: 'unconfirmed' });
		const ids = readMemory(without('.0.', false, [{ newKeys: ['z________'], changedKeys: [], watchId: '' }]), false);
		expect(ids.entries.get('z________')).toMatchObject({ content: '', watched: '', status: 'unconfirmed' });
	});
});
