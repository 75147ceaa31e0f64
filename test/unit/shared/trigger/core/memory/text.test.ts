import type { Entry, ParsedMemory, Status } from '../../../../../../nodes/shared/trigger/core/memory/text.ts';
import {
	emittedLast,
	entryLength,
	horizonIn,
	isMemory,
	isUnconfirmed,
	keyIn,
	mayHaveUnconfirmedOrWaiting,
	readMemory,
	sizeIn,
	statusAfter,
	takeOut,
	watching,
	writeMemory,
} from '../../../../../../nodes/shared/trigger/core/memory/text.ts';
import { without } from '../../../../../support/verdicts.ts';

const WATCH_ID = 'w'.repeat(22);
const UNKNOWN = '------';
const STATUSES: Status[] = ['known', 'returned', 'unconfirmed', 'missed once', 'missed twice', 'waiting'];

/** Returns an entry, and its id of nine characters. */
const entry = (name: string, over: Partial<Entry> = {}): [string, Entry] => [
	name.padEnd(9, '_'),
	{ content: `${name}cccccc`.slice(0, 6), watched: '', day: 20_000, status: 'known', ...over },
];
const memoryOf = (...entries: Array<[string, Entry]>): ParsedMemory => ({
	horizon: 19_000,
	watchId: entries.some(([, { watched }]) => watched !== '') ? WATCH_ID : '',
	entries: new Map(entries),
});

describe('a memory as text', () => {
	const ALL = memoryOf(...STATUSES.map((status, index) => entry(`e${index}`, { status, watched: 'wwwwww' })));

	test('is read as it was written', () => {
		const text = writeMemory(ALL);
		expect(readMemory(text, true)).toEqual(ALL);
		expect([isMemory(text, true), sizeIn(text, true), horizonIn(text)]).toEqual([true, 6, 19_000]);
	});

	test('has one label for entries in a row with the same day and status', () => {
		const text = writeMemory(memoryOf(entry('a'), entry('b'), entry('c', { status: 'waiting' })));
		expect(text).toBe('a________acccccb________bcccccc________cccccc.ens.ffk:2,!ffk:1');
	});

	test('of a version that kept no days is from day 0', () => {
		const text = 'a________b________';
		expect(isMemory(text, false)).toBe(true);
		expect([...readMemory(text, false).entries.values()]).toEqual([
			{ content: '', watched: '', day: 0, status: 'known' },
			{ content: '', watched: '', day: 0, status: 'known' },
		]);
		expect(horizonIn(text)).toBe(0);
	});

	test.each([
		['cut off', 'a________acccc'],
		['with a foreign character', 'a________accc=c'],
		['with labels for more entries than it has', 'a________accccc.ens.ffk:2'],
		['with another label', 'a________accccc.ens.?ffk:1'],
		['with a damaged digest of the fields to watch', 'a________acccccwwwwww.ens.ffk:1.www'],
		['beyond any limit', 'a________accccc'.repeat(64_001)],
	])('is none when it is %s', (_what, text) => {
		expect(isMemory(text, true)).toBe(false);
	});

	test('with fields to watch is none where contents are not kept', () => {
		const text = `a________wwwwww.ens.ffk:1.${WATCH_ID}`;
		expect(isMemory(text, false)).toBe(false);
	});

	test.each(STATUSES)(
		'with an entry that is %s: may have one that is not settled, unless it is known or returned',
		(status) => {
			expect(mayHaveUnconfirmedOrWaiting(writeMemory(memoryOf(entry('a', { status }))))).toBe(
				status !== 'known' && status !== 'returned',
			);
		},
	);
});

test('what a complete sweep did not return is known after three that may have skipped it, or one that has not', () => {
	const after = (maySkip: boolean, hasCensus = true) =>
		STATUSES.map((status) => statusAfter(status, { maySkip, hasCensus }));
	expect(after(true)).toEqual(['known', 'returned', 'missed once', 'missed twice', 'known', 'waiting']);
	expect(after(false)).toEqual(['known', 'returned', 'known', 'known', 'known', 'waiting']);
	// What waits for the filters is forgotten.
	expect(after(true, false)[5]).toBeUndefined();
	expect(STATUSES.filter(isUnconfirmed)).toEqual(['unconfirmed', 'missed once', 'missed twice']);
});

test('an entry takes its id, and what is kept of its content and of the fields to watch', () => {
	expect([entryLength(false, ''), entryLength(true, ''), entryLength(true, WATCH_ID)]).toEqual([9, 15, 21]);
});

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
