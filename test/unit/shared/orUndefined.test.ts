import { orUndefined } from '../../../nodes/shared/orUndefined.ts';

test('a value is returned, and undefined in place of what is thrown', () => {
	expect(orUndefined(() => 0)).toBe(0);
	expect(orUndefined(() => JSON.parse('{') as unknown)).toBeUndefined();
});
