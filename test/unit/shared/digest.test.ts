import { digestOf, digestOfValues } from '../../../nodes/shared/digest.ts';

test('a digest is the beginning of the SHA-256, which states and keys depend on', () => {
	expect([digestOf(''), digestOf('', 4)]).toEqual(['47DEQpj8HBSa-_TImW-5JC', '47DE']);
	expect(digestOfValues({ a: 1 }, 'b')).toBe(digestOf('{"a":1}\n"b"'));
});

test('what JSON cannot express counts as empty', () => {
	const circle: unknown[] = [];
	circle.push(circle);
	for (const value of [1n, circle, undefined]) expect(digestOfValues(value, 1)).toBe(digestOf('\n1'));
});
