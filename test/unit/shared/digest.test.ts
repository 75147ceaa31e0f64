import { digestOf, digestOfValues, isUuid4, uuid4From } from '../../../nodes/shared/digest';

test('a digest is the beginning of the SHA-256, which states and keys depend on', () => {
	expect(digestOf('')).toBe('47DEQpj8HBSa-_TImW-5JC');
	expect(digestOf('', 4)).toBe('47DE');
	expect(digestOfValues({ a: 1 }, 'b')).toBe(digestOf('{"a":1}\n"b"'));
});

test('what JSON cannot express counts as empty', () => {
	const circle: unknown[] = [];
	circle.push(circle);
	for (const value of [1n, circle, undefined]) expect(digestOfValues(value, 1)).toBe(digestOf('\n1'));
});

test('the same parts have the same UUID4, which keys depend on, and others another', () => {
	expect(uuid4From(['a', 'bc'])).toBe('42a6f3f4-4be0-4af2-bc93-6b1547dd5e41');
	expect(uuid4From(['ab', 'c'])).not.toBe(uuid4From(['a', 'bc']));
	expect(isUuid4(uuid4From([]))).toBe(true);
});

test.each(['c232ab00-9414-11ec-b3c8-9e6bdeced846', '9b1deb4d3b7d4bad9bdd2b0d7b3dcb6d', ''])(
	'%j is no UUID4',
	(text) => {
		expect(isUuid4(text)).toBe(false);
	},
);

test('a UUID4 may be in upper case', () => {
	expect(isUuid4('2F1E4FC0-81FD-4A2E-9BD4-4D6A7A3B1C0D')).toBe(true);
});
