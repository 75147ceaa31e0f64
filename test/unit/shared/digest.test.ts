import { digestOf, digestOfValues } from '../../../nodes/shared/digest';

// The trigger's state and the writes of a failed execution hold digests: another release must make the same.
test('a digest is the beginning of the SHA-256', () => {
	expect(digestOf('abc')).toBe('ungWv48Bz-pBQUDeXa4iI7');
	expect(digestOf('abc', 4)).toBe('ungW');
});

test('a digest of values is that of their JSON', () => {
	expect(digestOfValues({ a: 1 }, 'b')).toBe(digestOf('{"a":1}\n"b"'));
	expect(digestOfValues(undefined)).toBe(digestOf(''));
	const circle: Record<string, unknown> = {};
	circle.self = circle;
	expect(digestOfValues(1n, circle)).toBe(digestOf('\n'));
});
