import { isObject } from '../../../nodes/shared/isObject';

test.each([
	[{}, true],
	[[], true],
	[null, false],
	[undefined, false],
	['{}', false],
	[1, false],
])('an object or an array is one: %j', (part, expected) => {
	expect(isObject(part)).toBe(expected);
});
