import fc from 'fast-check';
import { comparing, contains, is, not } from '../../../../nodes/shared/list/matches.ts';
import { collectGarbage } from '../../../../scripts/lib/collectGarbage.ts';

describe('a value is a text', () => {
	test.each<[string, unknown, boolean]>([
		['Paid', ' paid ', true],
		['4900', 4900, true],
		['4900.00', 4900, true],
		['4900.00', '4900', false],
		['0012', '12', false],
		['0012', 12, true],
		['true', true, true],
		['[object object]', {}, false],
		['Jos\u00e9', 'Jose\u0301', true],
		['JOSE\u0301', 'jos\u00e9', true],
		['Jose', 'Jose\u0301', false],
	])('%j and %j: %j', (text, value, expected) => {
		expect(is(text)([value])).toBe(expected);
		expect(not(is(text))([value])).toBe(!expected);
	});

	test('when any of several is, and never when there is none', () => {
		expect([is('b')(['a', 'b']), is('b')([]), not(is('b'))([])]).toEqual([true, false, true]);
	});
});

test('a text contains a text that only has its accents apart from their letters', () => {
	const [together, apart] = ['\u00c9 \ud55c', 'E\u0301 \u1112\u1161\u11ab'];
	expect([contains(together)([`a ${apart} b`]), contains(apart)([`a ${together} b`])]).toEqual([true, true]);
});

test('a text contains each of its parts, in either case', () => {
	const letters = fc.string({ unit: fc.constantFrom(...'aΣσςİiıIßẞKkéé -'), minLength: 1 });
	const part = letters.filter((text) => text.trim() !== '');
	fc.assert(
		fc.property(letters, part, letters, (before, text, after) => {
			for (const value of [text, text.toLowerCase(), text.toUpperCase()]) {
				expect(contains(text)([before + value + after])).toBe(true);
				expect(is(text)([value])).toBe(true);
			}
		}),
	);
});

describe('what is compared', () => {
	const asNumber = (value: unknown) => (typeof value === 'number' ? value : undefined);
	const isMany = comparing('a number', asNumber, (number) => number > 9);

	test('is any of the values that are not empty', () => {
		expect([isMany([1, 10]), isMany([null, '', {}, 10])]).toEqual([true, true]);
		expect([[1], [null], [{}], []].map(isMany)).toEqual([false, false, false, false]);
	});

	test('is named where a value is none, even behind one that matches', () => {
		expect(isMany([10, 'many'])).toBe('a number');
	});

	test('takes no memory, however many values there are', () => {
		const values = Array<number>(1_000_000).fill(1);
		let read = 0;
		let used = 0;
		const toObject = (value: unknown) => {
			read++;
			if (read === values.length) {
				collectGarbage();
				used = process.memoryUsage().heapUsed;
			}
			return { value };
		};
		collectGarbage();
		const before = process.memoryUsage().heapUsed;
		expect(comparing('a number', toObject, () => false)(values)).toBe(false);
		expect(used - before).toBeLessThan(8 * 1024 * 1024);
	});
});
