import type { Decimal } from '../../../../nodes/shared/list/decimals';
import { decimalOf } from '../../../../nodes/shared/list/decimals';
import {
	contains,
	is,
	isAfter,
	isBefore,
	isEmpty,
	isGreaterThan,
	isLessThan,
	not,
} from '../../../../nodes/shared/list/matches';

const ZONE = 'Europe/Berlin';
const number = (text: string) => decimalOf(text) as Decimal;
const NOON = Date.parse('2026-01-20T12:00:00Z');

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
	])('%j and %j: %j', (text, value, expected) => {
		expect(is(text)([value])).toBe(expected);
		expect(not(is(text))([value])).toBe(!expected);
	});

	test('when any of several is, and never when there is none', () => {
		expect([is('b')(['a', 'b']), is('b')([]), not(is('b'))([])]).toEqual([true, false, true]);
	});
});

test.each<[unknown, boolean]>([
	['Anna@Example.com', true],
	['anna', false],
	[{ name: 'example' }, false],
])('%j contains a text: %j', (value, expected) => {
	expect(contains('EXAMPLE')([value])).toBe(expected);
});

test.each<[readonly unknown[], boolean]>([
	[[], true],
	[[null, ' ', {}, []], true],
	[[null, 0], false],
	[[false], false],
	[[{ a: null }], false],
])('%j is empty: %j', (values, expected) => {
	expect(isEmpty(values)).toBe(expected);
});

describe('what is compared', () => {
	test('numbers, also those that are text, with all their digits', () => {
		const above = isGreaterThan(number('9007199254740993'));
		expect([above(['9007199254740994']), above(['9007199254740993']), above([5])]).toEqual([true, false, false]);
		const below = isLessThan(number('1.5'));
		expect([below([1.49]), below(['1.5']), below([2, 1])]).toEqual([true, false, true]);
	});

	test('times, those without an offset in the time zone of the workflow', () => {
		const after = isAfter(NOON, ZONE);
		expect([after(['2026-01-20T13:00:01']), after(['2026-01-20T13:00:00'])]).toEqual([true, false]);
		const before = isBefore(NOON, ZONE);
		expect([before(['2026-01-20T11:59:59Z']), before(['2026-01-20T12:00:00Z'])]).toEqual([true, false]);
	});

	test('is named where a value is none, even behind one that matches; an empty value is left out', () => {
		expect(isGreaterThan(number('1'))([2, 'many'])).toBe('a number');
		expect(isAfter(NOON, ZONE)(['2027-01-01', 'soon'])).toBe('a date');
		expect([isLessThan(number('1'))([null, '']), isLessThan(number('1'))([null, 0])]).toEqual([false, true]);
	});
});
