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

	describe('with an expression', () => {
		const written = (idempotencyKey: string, says: unknown = 'x') => ({
			...place,
			node: { name: 'Node', parameters: { options: { idempotencyKey } } } as never,
			evaluate: () => says as never,
		});
		const TEXT = '=order {{ $json.id }}';

		test.each([
			'undefined-7',
			'order [object Object]',
			'null',
			'order null',
			'order-NaN',
			'null|7',
			'a_null_7',
			'--',
			'- | -',
		])('is an error as %j, which different changes may have', (idempotencyKey) => {
			expect(rejection(() => readIdempotencyKey(written(TEXT), { idempotencyKey }))).toMatchObject({
				message: '"Idempotency Key" has a part that returns nothing',
				description: expect.stringContaining(`It is "${idempotencyKey}", so different changes would count as one.`),
			});
		});

		test.each(['nullable 7', 'annulled', 'order NaNcy', '-7-', 'order 7'])('may be %j', (idempotencyKey) => {
			expect(readIdempotencyKey(written(TEXT), { idempotencyKey })).toBe(idempotencyKey);
		});

		test('is an error where one part of it returns nothing', () => {
			expect(
				rejection(() => readIdempotencyKey(written(TEXT, null), { idempotencyKey: 'order ' })).description,
			).toContain('{{ $json.id }} returns nothing, so different changes would count as one.');
		});

		test('is an error where a tool call has no execution', () => {
			expect(
				rejection(() => readIdempotencyKey(written('={{ $execution.id }}'), { idempotencyKey: '__UNKNOWN__' })),
			).toMatchObject({
				message: '"Idempotency Key" uses $execution.id, but this tool call has no execution',
				description: expect.stringContaining('Use another value that identifies the change.'),
			});
		});

		test('as plain text may look like anything', () => {
			expect(readIdempotencyKey(written('null'), { idempotencyKey: 'null' })).toBe('null');
		});
	});

	test.each(AROUND)('does not have %j around it', (around) => {
		expect(readIdempotencyKey(place, { idempotencyKey: `${around}order 7${around}` })).toBe('order 7');
		expect(readIdempotencyKey(place, { idempotencyKey: around })).toBe('');
	});
});
