import { fingerprintOf } from '../../../../nodes/TransactionTrigger/core/fingerprint';
import {
	capacityFor,
	entriesIn,
	isMemory,
	Memory,
	MEMORY_CHARACTERS,
	withoutLast,
} from '../../../../nodes/TransactionTrigger/core/memory';

const transaction = (number: number, more = {}) => fingerprintOf({ id: `tx_${number}`, amount: 100, ...more });

function filled(count: number, keepsContent: boolean): Memory {
	const memory = new Memory('', keepsContent);
	for (let number = 0; number < count; number++) memory.remember(transaction(number));
	return memory;
}

describe('memory', () => {
	test.each([true, false])(
		'50,000 transactions and more fit into less than a megabyte (content kept: %s)',
		(keepsContent) => {
			expect(capacityFor(keepsContent)).toBeGreaterThanOrEqual(50_000);
			const text = filled(50_000, keepsContent).write().text;
			expect(Buffer.byteLength(JSON.stringify(text))).toBeLessThan(800_000);
			const again = new Memory(text, keepsContent);
			expect(again.size).toBe(50_000);
			for (let number = 0; number < 50_000; number++) expect(again.compare(transaction(number))).toBe('known');
			expect(again.compare(transaction(50_000))).toBe('new');
		},
	);

	test('no memory ever takes more than its share of the state', () => {
		const memory = filled(capacityFor(true) + 10, true);
		expect(memory.write().text.length).toBeLessThanOrEqual(MEMORY_CHARACTERS);
		expect(memory.size).toBe(capacityFor(true));
	});

	test('holds as many as its characters are for', () => {
		expect([capacityFor(false), capacityFor(true)]).toEqual([106_666, 64_000]);
		expect(new Memory('', true).capacity).toBe(64_000);
		expect(isMemory('a'.repeat(MEMORY_CHARACTERS), true)).toBe(true);
		expect(isMemory('a'.repeat(MEMORY_CHARACTERS + 15), true)).toBe(false);
		expect(isMemory('', false)).toBe(true);
		expect(isMemory('_-aZ09_-a'.repeat(2), false)).toBe(true);
		expect(isMemory(`${'a'.repeat(8)}!`, false)).toBe(false);
		expect(isMemory(`!${'a'.repeat(8)}`, false)).toBe(false);
		expect(entriesIn('a'.repeat(30), true)).toBe(2);
		expect(entriesIn('a'.repeat(27), false)).toBe(3);
	});

	test('says how many it holds, before and after it is read', () => {
		const memory = new Memory(filled(3, false).write().text, false, 4);
		const sizes = [memory.size];
		for (const number of [2, 3, 4, 5]) {
			memory.remember(transaction(number));
			sizes.push(memory.size);
		}
		expect(sizes).toEqual([3, 3, 4, 4, 4]);
	});

	test('touching what it does not know changes nothing', () => {
		const memory = filled(2, false);
		memory.touch(transaction(7));
		expect(memory.compare(transaction(7))).toBe('new');
		expect(memory.size).toBe(2);
	});

	test('what was met least recently is forgotten first, and is new again', () => {
		const memory = new Memory('', false, 3);
		for (const number of [1, 2, 3]) memory.remember(transaction(number));
		memory.touch(transaction(1));
		memory.remember(transaction(4));
		expect([1, 2, 3, 4].map((number) => memory.compare(transaction(number)))).toEqual([
			'known',
			'new',
			'known',
			'known',
		]);
	});

	test('with content, a change shows, whatever the order of the fields', () => {
		const memory = new Memory('', true);
		memory.remember(fingerprintOf({ id: 'a', amount: 1, fee: { value: 2, unit: 'x' } }));
		const again = new Memory(memory.write().text, true);
		expect(again.compare(fingerprintOf({ fee: { unit: 'x', value: 2 }, amount: 1, id: 'a' }))).toBe('known');
		expect(again.compare(fingerprintOf({ id: 'a', amount: 1, fee: { value: 3, unit: 'x' } }))).toBe('updated');
		again.remember(fingerprintOf({ id: 'a', amount: 1, fee: { value: 3, unit: 'x' } }));
		expect(again.size).toBe(1);
		expect(again.compare(fingerprintOf({ id: 'a', amount: 1, fee: { value: 3, unit: 'x' } }))).toBe('known');
	});

	test('without content, a change does not', () => {
		const memory = new Memory('', false);
		memory.remember(transaction(1));
		expect(memory.compare(transaction(1, { amount: 200 }))).toBe('known');
	});

	test('a transaction without an id is told from others by its content', () => {
		const memory = new Memory('', false);
		memory.remember(fingerprintOf({ amount: 1 }));
		expect(memory.compare(fingerprintOf({ amount: 1 }))).toBe('known');
		expect(memory.compare(fingerprintOf({ amount: 2 }))).toBe('new');
	});

	test('a memory that was only looked at keeps its text', () => {
		const text = filled(10, false).write().text;
		const memory = new Memory(text, false);
		memory.touch(transaction(0));
		expect(memory.write().text).toBe(text);
	});

	test('what was added last stands at its end, first the new, then the changed, and can be taken back', () => {
		const before = new Memory('', true);
		for (const number of [1, 2, 3, 4]) before.remember(transaction(number));
		const memory = new Memory(before.write().text, true);
		memory.remember(transaction(2, { amount: 200 }));
		memory.remember(transaction(5));
		memory.touch(transaction(1));
		memory.remember(transaction(6));
		memory.remember(transaction(6, { amount: 200 }));
		const { text, ...additions } = memory.write();
		expect(additions).toEqual({ added: 2, changed: 1 });
		const rest = new Memory(withoutLast(text, true, additions), true);
		expect(rest.size).toBe(4);
		const acquaintances = [1, 2, 3, 4, 5, 6].map((number) => rest.compare(transaction(number)));
		expect(acquaintances).toEqual(['known', 'updated', 'known', 'known', 'new', 'new']);
		// Whoever was told of the change has to be told that it was taken back.
		expect(rest.compare(transaction(2, { amount: 200 }))).toBe('updated');
	});

	test('one that was added and one that changed are both kept', () => {
		const memory = new Memory(filled(1, true).write().text, true);
		memory.remember(transaction(0, { amount: 200 }));
		memory.remember(transaction(1));
		const { text, ...additions } = memory.write();
		expect(additions).toEqual({ added: 1, changed: 1 });
		expect(new Memory(text, true).compare(transaction(1))).toBe('known');
	});

	test('what was added and forgotten again at once is no addition', () => {
		const memory = new Memory('', false, 3);
		for (const number of [1, 2, 3, 4, 5]) memory.remember(transaction(number));
		const { text, ...additions } = memory.write();
		expect(additions).toEqual({ added: 3, changed: 0 });
		expect(withoutLast(text, false, additions)).toBe('');
	});

	test.each([
		['a length that is no whole number of entries', 'abc'],
		['characters that no entry has', '!!!!!!!!!'],
		['more than a memory takes', 'a'.repeat(MEMORY_CHARACTERS + 9)],
	])('is not a memory: %s', (_what, text) => {
		expect(isMemory(text, false)).toBe(false);
	});
});
