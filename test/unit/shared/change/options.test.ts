import { readIdempotencyKey } from '../../../../nodes/shared/change/options';
import { AROUND, place, rejection } from '../../../../test/support/parameters';

describe('an idempotency key that the user sets', () => {
	test.each([
		[undefined, ''],
		[null, ''],
		[' order 7 ', 'order 7'],
		[7, '7'],
	])('%p is %j', (idempotencyKey, expected) => {
		expect(readIdempotencyKey(place, { idempotencyKey } as never)).toBe(expected);
	});

	test.each([NaN, 2 ** 53, 1.5, Infinity, true, {}, []])(
		'%p could be the same for two changes, and is rejected',
		(idempotencyKey) => {
			expect(rejection(() => readIdempotencyKey(place, { idempotencyKey } as never)).message).toBe(
				'"Idempotency Key" is not text',
			);
		},
	);

	test.each(AROUND)('does not have %j around it', (around) => {
		expect(readIdempotencyKey(place, { idempotencyKey: `${around}order 7${around}` })).toBe('order 7');
		expect(readIdempotencyKey(place, { idempotencyKey: around })).toBe('');
	});
});
