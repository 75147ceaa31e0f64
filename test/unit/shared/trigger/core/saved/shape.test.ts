import {
	aCount,
	aDay,
	aFlag,
	arrayOf,
	aText,
	aTime,
	both,
	nullable,
	objectOf,
	oneOf,
} from '../../../../../../nodes/shared/trigger/core/saved/shape.ts';

const part = objectOf({ name: aText, isLast: aFlag }, { at: aTime });
const whole = objectOf({ parts: arrayOf(part), first: nullable(part) });
const PART = { name: 'a', isLast: true };

test.each([
	['all its fields', { parts: [PART], first: { ...PART, at: 2 } }],
	['nothing where there may be nothing', { parts: [], first: null }],
	['fields that are not named', { parts: [], first: null, other: 1 }],
])('is accepted with %s', (_what, saved) => {
	expect(whole(saved)).toBe(true);
});

test.each([
	['a field is missing', { parts: [] }],
	['a field is another', { parts: [], first: 1 }],
	['a list is none', { parts: {}, first: null }],
	['a field of a part is missing', { parts: [{ name: 'a' }], first: null }],
	['a field of a part is another', { parts: [{ ...PART, name: 1 }], first: null }],
	['an optional field is another', { parts: [], first: { ...PART, at: 'now' } }],
	['it is no object', null],
])('is not accepted when %s', (_what, saved) => {
	expect(whole(saved)).toBe(false);
});

test.each([
	[aTime, [0, -1.5, 8.64e15], [NaN, Infinity, 8.65e15, -8.65e15, '1', null]],
	[aDay, [0, 1e8], [1e8 + 1, -1, 1.5]],
	[aCount, [0, 3], [-1, 1.5, '1', null]],
	[aText, [''], [null, 1]],
	[aFlag, [false], [0, null]],
	[nullable(aCount), [null, 1], [undefined, -1]],
])('a plain value', (shape, yes, no) => {
	expect(yes.map((value) => shape(value))).toEqual(yes.map(() => true));
	expect(no.map((value) => shape(value))).toEqual(no.map(() => false));
});

test('both shapes, or either of them', () => {
	const named = objectOf({ name: aText });
	const timed = objectOf({ at: aTime });
	const values = [{ name: 'a', at: 1 }, { name: 'a' }, { at: 1 }, {}];
	expect(values.map((value) => both(named, timed)(value))).toEqual([true, false, false, false]);
	expect(values.map((value) => oneOf(named, timed)(value))).toEqual([true, true, true, false]);
});
