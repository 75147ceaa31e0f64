import { isObject, isObjectOrArray } from '../../../nodes/shared/isObject.ts';

test.each([
	[{}, true, true],
	[[], false, true],
	[null, false, false],
	[undefined, false, false],
	['{}', false, false],
	[1, false, false],
])('an object, and an object or an array: %j', (part, object, either) => {
	expect(isObject(part)).toBe(object);
	expect(isObjectOrArray(part)).toBe(either);
});
