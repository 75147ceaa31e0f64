import fc from 'fast-check';
import { compareDecimals, decimalOf } from '../../../../nodes/shared/list/decimals.ts';

/** Compares two texts or numbers as decimals; `undefined` if one is none. */
function compare(a: unknown, b: unknown): number | undefined {
	const [one, other] = [decimalOf(a), decimalOf(b)];
	return one === undefined || other === undefined ? undefined : Math.sign(compareDecimals(one, other));
}

describe('decimals', () => {
	test.each([
		['12345678901234567890', '12345678901234567891', -1],
		['9007199254740993', 9007199254740992, 1],
		['0.1', 0.1, 0],
		['49.90', 49.9, 0],
		['.5', 0.5, 0],
		['5.', 5, 0],
		['-0', 0, 0],
		['0.000', '-0e9', 0],
		['+7', 7, 0],
		['007', 7, 0],
		['1e3', '1000', 0],
		['1.5E-2', '0.015', 0],
		['1e400', '9e399', 1],
		['-10', '-9', -1],
		['-1', '1', -1],
		['100', '20', 1],
		[' 3\n', 3, 0],
		[1e21, '1000000000000000000000', 0],
		[5e-7, '0.0000005', 0],
	])('%j compared with %j is %d', (a, b, expected) => {
		expect(compare(a, b)).toBe(expected);
		expect(compare(b, a)).toBe(expected === 0 ? 0 : -expected);
	});

	test.each([
		'',
		' ',
		'.',
		'-',
		'e5',
		'1,5',
		'1 000',
		'0x10',
		'Infinity',
		'NaN',
		'1e9999999',
		'12abc',
		'9'.repeat(401),
		Infinity,
		NaN,
		true,
		null,
		undefined,
		{},
		[],
		[1],
	])('%j is no number', (value) => {
		expect(decimalOf(value)).toBeUndefined();
	});

	const decimal = fc
		.tuple(fc.bigInt(), fc.integer({ min: 0, max: 30 }))
		.map(([whole, places]) => ({ whole, places, text: asText(whole, places) }));

	test('are compared exactly', () => {
		fc.assert(
			fc.property(decimal, decimal, (a, b) => {
				const difference = a.whole * 10n ** BigInt(b.places) - b.whole * 10n ** BigInt(a.places);
				expect(compare(a.text, b.text)).toBe(difference < 0n ? -1 : difference > 0n ? 1 : 0);
			}),
		);
	});

	test('numbers are compared as JavaScript compares them', () => {
		fc.assert(
			fc.property(
				fc.double({ noNaN: true, noDefaultInfinity: true }),
				fc.double({ noNaN: true, noDefaultInfinity: true }),
				(a, b) => {
					expect(compare(a, b)).toBe(a < b ? -1 : a > b ? 1 : 0);
					expect(compare(a, String(a))).toBe(0);
				},
			),
		);
	});
});

function asText(whole: bigint, places: number): string {
	const digits = (whole < 0n ? -whole : whole).toString().padStart(places + 1, '0');
	const point = digits.length - places;
	return `${whole < 0n ? '-' : ''}${digits.slice(0, point)}${places === 0 ? '' : `.${digits.slice(point)}`}`;
}
