import { readLimit } from '../../../../nodes/shared/list/limit';
import { parametersOf, rejection } from '../../../../test/support/parameters';

describe('Return All and Limit', () => {
	const limit = (returnAll: unknown, value: unknown = 50) => readLimit(parametersOf({ returnAll, limit: value }));

	test('all, also as text: a part would pass for the whole', () => {
		expect(limit(true)).toBe(Infinity);
		expect(limit('true')).toBe(Infinity);
		expect(limit(false, '7')).toBe(7);
		expect(limit('false', 7)).toBe(7);
		expect(rejection(() => limit('all')).message).toContain('"Return All"');
		expect(rejection(() => limit(false, 0)).message).toContain('"Limit"');
	});
});
