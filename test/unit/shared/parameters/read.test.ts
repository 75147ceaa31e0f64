import { readBoolean, readInteger, readNumber } from '../../../../nodes/shared/parameters/read.ts';
import { AROUND, place, rejection } from '../../../support/scripted/parameters.ts';

describe('a boolean', () => {
	test.each([
		[true, true],
		['true', true],
		[false, false],
		['false', false],
	])('%j is %j', (value, expected) => {
		expect(readBoolean(place, 'Switch', value)).toBe(expected);
	});

	test.each([undefined, null, '', 'yes', 'TRUE', 1, 0, []])('%j is rejected', (value) => {
		expect(rejection(() => readBoolean(place, 'Switch', value)).message).toBe('"Switch" must be true or false');
	});
});

describe('a whole number', () => {
	test.each([
		[1, 1],
		['20', 20],
		[' 7 ', 7],
		[20, 20],
	])('%j is %i', (value, expected) => {
		expect(readInteger(place, 'Count', value, 1, 20)).toBe(expected);
	});

	const OTHERS = [0, 21, 1.5, -1, NaN, Infinity, '', ' ', '1.5', '1e1', '0x1', 'a1', '1a', true, null, undefined, {}];

	test.each(OTHERS)('%p is rejected', (value) => {
		const { message } = rejection(() => readInteger(place, 'Count', value, 1, 20));
		expect(message).toBe('"Count" must be a whole number, from 1 to 20');
	});

	test.each([2 ** 53, '9007199254740993', 1e300])('%p was rounded, and is rejected', (value) => {
		const { message } = rejection(() => readInteger(place, 'Count', value, 1));
		expect(message).toBe('"Count" must be a whole number, 1 or more');
	});
});

describe('a number', () => {
	test.each([
		[0, 0],
		['0.5', 0.5],
		[9, 9],
	])('%j is %d', (value, expected) => {
		expect(readNumber(place, 'Time', value, 0, 9)).toBe(expected);
	});

	test.each([-0.1, 9.1, NaN, Infinity, '', ' ', 'x', null, undefined, []])('%p is rejected', (value) => {
		const { message } = rejection(() => readNumber(place, 'Time', value, 0, 9));
		expect(message).toBe('"Time" must be a number, from 0 to 9');
		expect(rejection(() => readNumber(place, 'Time', -1, 0)).message).toBe('"Time" must be a number, 0 or more');
	});
});

test.each<[unknown, string]>([
	['x', 'It is "x".'],
	[NaN, 'It is NaN.'],
	[10n, 'It is 10.'],
	[undefined, 'It is nothing.'],
	['y'.repeat(500), `It is "${'y'.repeat(79)}.`],
])('an error shows %p briefly', (value, text) => {
	expect(rejection(() => readInteger(place, 'Count', value, 1)).description).toMatch(`${text} Enter a whole number`);
});

describe('white space around a copied text', () => {
	test.each(AROUND)('%j does not count', (around) => {
		const pasted = (text: string) => `${around}${text}${around}`;
		expect(readInteger(place, 'Tag ID', pasted('12'), 1)).toBe(12);
		expect(readNumber(place, 'Timeout', pasted('1.5'), 1)).toBe(1.5);
		expect(readBoolean(place, 'Active', pasted('true'))).toBe(true);
	});

	test.each(AROUND)('%j alone is nothing', (around) => {
		expect(rejection(() => readNumber(place, 'Timeout', around, 0)).message).toContain('"Timeout"');
	});
});
