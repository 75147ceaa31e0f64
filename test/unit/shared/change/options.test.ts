import { readIdempotencyKey } from '../../../../nodes/shared/change/options.ts';
import { AROUND, parametersOf, rejection } from '../../../../test/support/parameters.ts';

/** @param written the option in the workflow. @param says what its expressions return. */
const read = (idempotencyKey: unknown, written?: string, says: unknown = 'x') => {
	const node = { name: 'Node', parameters: { options: { idempotencyKey: written } } } as never;
	return readIdempotencyKey({ ...parametersOf({ options: { idempotencyKey } }, node), evaluate: () => says });
};

describe('an idempotency key that the user sets', () => {
	test.each([
		[undefined, ''],
		[null, ''],
		[' order 7 ', 'order 7'],
		[7, '7'],
	])('%p is %j', (idempotencyKey, expected) => {
		expect(read(idempotencyKey)).toBe(expected);
	});

	test.each([NaN, 2 ** 53, 1.5, Infinity, true, {}, []])(
		'%p could be the same for two changes, and is rejected',
		(idempotencyKey) => {
			expect(rejection(() => read(idempotencyKey)).message).toBe('"Idempotency Key" is not text');
		},
	);

	describe('with an expression', () => {
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
			expect(rejection(() => read(idempotencyKey, TEXT))).toMatchObject({
				message: '"Idempotency Key" has a part that returns nothing',
				description: expect.stringContaining(`It is "${idempotencyKey}", so different changes would count as one.`),
			});
		});

		test.each(['nullable 7', 'annulled', 'order NaNcy', '-7-', 'order 7'])('may be %j', (idempotencyKey) => {
			expect(read(idempotencyKey, TEXT)).toBe(idempotencyKey);
		});

		test('is an error where one part of it returns nothing', () => {
			expect(rejection(() => read('order ', TEXT, null)).description).toContain(
				'{{ $json.id }} returns nothing, so different changes would count as one.',
			);
		});

		test('is an error where a tool call has no execution', () => {
			expect(rejection(() => read('__UNKNOWN__', '={{ $execution.id }}'))).toMatchObject({
				message: '"Idempotency Key" uses $execution.id, but this tool call has no execution',
				description: expect.stringContaining('Use another value that identifies the change.'),
			});
		});

		test('as plain text may look like anything', () => {
			expect(read('null', 'null')).toBe('null');
		});
	});

	test.each(AROUND)('does not have %j around it', (around) => {
		expect(read(`${around}order 7${around}`)).toBe('order 7');
		expect(read(around)).toBe('');
	});
});
