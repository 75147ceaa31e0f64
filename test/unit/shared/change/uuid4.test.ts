import { isUuid4, uuid4From } from '../../../../nodes/shared/change/uuid4.ts';

test('the same parts have the same UUID4, which keys depend on, and others another', () => {
	expect(uuid4From(['a', 'bc'])).toBe('42a6f3f4-4be0-4af2-bc93-6b1547dd5e41');
	expect(uuid4From(['ab', 'c'])).not.toBe(uuid4From(['a', 'bc']));
	expect(isUuid4(uuid4From([]))).toBe(true);
});

test.each([
	'c232ab00-9414-11ec-b3c8-9e6bdeced846',
	'9b1deb4d3b7d4bad9bdd2b0d7b3dcb6d',
	'order 9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d',
	'9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d-2',
	'',
])('%j is none', (text) => {
	expect(isUuid4(text)).toBe(false);
});

test('a UUID4 may be in upper case', () => {
	expect(isUuid4('2F1E4FC0-81FD-4A2E-9BD4-4D6A7A3B1C0D')).toBe(true);
});
