import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Entry, Status } from '../../../../../../nodes/shared/trigger/core/memory/entry.ts';
import {
	byDay,
	entriesByDay,
	entryLength,
	horizonIn,
	isMemory,
	mayConfirm,
	readMemory,
	sizeIn,
	writeMemory,
} from '../../../../../../nodes/shared/trigger/core/memory/text.ts';
import { entry, memoryOf, WATCH_ID } from '../../../../../support/scripted/memory.ts';

const STATUSES: Status[] = ['known', 'returned', 'unconfirmed', 'missed once', 'missed twice', 'waiting'];

describe('a memory as text', () => {
	const ALL = memoryOf(...STATUSES.map((status, index) => entry(`e${index}`, { status, watched: 'wwwwww' })));

	test('is read as it was written', () => {
		const text = writeMemory(ALL);
		expect(readMemory(text, true)).toEqual(ALL);
		expect([isMemory(text, true), sizeIn(text, true), horizonIn(text)]).toEqual([true, 6, 19_000]);
		expect(isMemory(`${'a________'.repeat(36)}.ens.ffk:10`, false)).toBe(true);
	});

	test('takes no more space than its characters, so that an n8n can hold hundreds', () => {
		setFlagsFromString('--expose-gc');
		const collect = runInNewContext('gc') as () => void;
		const spaceNow = () => (collect(), process.memoryUsage().heapUsed);
		const ofMany = memoryOf(...Array.from({ length: 20_000 }, (_, index) => entry(`e${index}`)));
		const before = spaceNow();
		const texts = Array.from({ length: 20 }, () => writeMemory(ofMany));
		expect(spaceNow() - before).toBeLessThan(1.5 * texts.reduce((sum, { length }) => sum + length, 0));
	});

	test('has one label for entries in a row with the same day and status', () => {
		const text = writeMemory(memoryOf(entry('a'), entry('b'), entry('c', { status: 'waiting' })));
		expect(text).toBe('a________acccccb________bcccccc________cccccc.ens.ffk:2,!ffk:1');
	});

	test('of a version that kept no days is from day 0', () => {
		const text = 'a________b________';
		expect(isMemory(text, false)).toBe(true);
		const one = { content: '', watched: '', day: 0, status: 'known' };
		expect([...readMemory(text, false).entries.values()]).toEqual([one, one]);
		expect(horizonIn(text)).toBe(0);
	});

	test.each([
		['cut off', 'a________acccc'],
		['with a foreign character', 'a________accc=c'],
		['with labels for more entries than it has', 'a________accccc.ens.ffk:2'],
		['with labels for fewer', 'a________acccccb________bccccc.ens.ffk:1'],
		['without a horizon', 'a________accccc..ffk:1'],
		['with a horizon beyond all dates', 'a________accccc.zzzzzz.ffk:1'],
		['with a foreign character in the horizon', 'a________accccc.?ens.ffk:1'],
		['with another label', 'a________accccc.ens.?ffk:1'],
		['with a damaged digest of the fields to watch', 'a________acccccwwwwww.ens.ffk:1.www'],
		['with a longer one', `a________acccccwwwwww.ens.ffk:1.${WATCH_ID}w`],
		['beyond any limit', 'a________accccc'.repeat(64_001)],
	])('is none when it is %s', (_what, text) => {
		expect(isMemory(text, true)).toBe(false);
	});

	test('with fields to watch is none where contents are not kept', () => {
		const text = `a________wwwwww.ens.ffk:1.${WATCH_ID}`;
		expect(isMemory(text, false)).toBe(false);
	});

	test.each(STATUSES)('with an entry that is %s may have an unsettled one, unless known or returned', (status) => {
		const text = writeMemory(memoryOf(entry('a', { status })));
		expect(mayConfirm(text)).toBe(status !== 'known' && status !== 'returned');
	});
});

test('an entry takes its id, and what is kept of its content and of the fields to watch', () => {
	expect([entryLength(false, ''), entryLength(true, ''), entryLength(true, WATCH_ID)]).toEqual([9, 15, 21]);
});

test('the entries by day, those of one label together; in order they stay as they are', () => {
	const [early, late, waiting] = [{ day: 5 }, { day: 6 }, { day: 6, status: 'waiting' as const }];
	const ordered = new Map([entry('a', early), entry('b', waiting), entry('c', late)]);
	expect(entriesByDay(ordered)).toBe(ordered);
	const named = (names: string) => [...names].map((name) => entry(name)[0]);
	const sorted = (...entries: Array<[string, Entry]>) => [...entriesByDay(new Map(entries)).keys()];
	expect(sorted(entry('c', late), entry('a', early))).toEqual(named('ac'));
	expect(sorted(entry('c', late), entry('d', waiting), entry('e', late))).toEqual(named('ced'));
	const mixed = [entry('c', late), entry('a', early), entry('d', waiting), entry('e', late)];
	expect(sorted(...mixed)).toEqual(named('aced'));
	expect(byDay(new Map(mixed), named('ced').toReversed())).toEqual(named('dec'));
});
