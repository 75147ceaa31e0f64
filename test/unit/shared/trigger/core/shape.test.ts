import {
	count,
	flag,
	list,
	nullable,
	object,
	text,
	time,
	usually,
	where,
} from '../../../../../nodes/shared/trigger/core/shape';

const part = object({ name: text, isLast: usually(false, flag) }, { at: time });
const whole = object({ parts: list(part), first: nullable(part), size: usually(1, count) });
const FULL = {
	parts: [{ name: 'a', isLast: true }],
	first: { name: 'b', at: 2, isLast: false },
	size: 1,
};

test('what is usual is not saved, at any depth, and is there again when it is read', () => {
	const saved = { parts: [{ name: 'a', isLast: true }], first: { name: 'b', at: 2 } };
	expect(whole.save(FULL)).toStrictEqual(saved);
	expect(whole.accepts(saved)).toBe(true);
	expect(whole.read(saved as never)).toEqual(FULL);
});

test('fields that a shape does not name stay as they are, and those that are there keep their order', () => {
	const saved = { other: 1, size: 2, first: null, parts: [] };
	expect(JSON.stringify(whole.save(whole.read(saved)))).toBe(JSON.stringify(saved));
});

test.each([
	['a field is missing', { parts: [] }],
	['a field is another', { parts: [], first: 1 }],
	['a field of a part is another', { parts: [{ name: 1 }], first: null }],
	['an optional field is another', { parts: [], first: { name: 'a', at: 'now' } }],
	['a usual field is another', { parts: [], first: null, size: -1 }],
	['it is no object', null],
])('is not accepted when %s', (_what, saved) => {
	expect(whole.accepts(saved)).toBe(false);
});

test('a rule between the fields is part of what is accepted', () => {
	const ruled = where(part, ({ name, at }) => at !== undefined || name === 'a');
	expect([ruled.accepts({ name: 'a' }), ruled.accepts({ name: 'b' }), ruled.accepts({})]).toEqual([true, false, false]);
});

test.each([
	[time, [0, -1.5], [NaN, Infinity, '1', null]],
	[count, [0, 3], [-1, 1.5, '1', null]],
	[text, [''], [null, 1]],
	[flag, [false], [0, null]],
	[nullable(count), [null, 1], [undefined, -1]],
])('a plain value', (shape, yes, no) => {
	expect(yes.map((value) => shape.accepts(value))).toEqual(yes.map(() => true));
	expect(no.map((value) => shape.accepts(value))).toEqual(no.map(() => false));
});
