import { readErrorEnvelope, requestIdOf } from '../../../../../nodes/shared/service/errors/envelope';

const EMPTY = { message: '', requestId: '', fields: undefined, retryAfterMs: undefined };

describe('the error of a body', () => {
	test('is read as documented', () => {
		const fields = { page_size: ['max 100'] };
		const error = { type: 't', message: 'm', request_id: 'r', fields, retry_after: 3 };
		expect(readErrorEnvelope({ error })).toStrictEqual({ message: 'm', requestId: 'r', fields, retryAfterMs: 3_000 });
	});

	test.each([
		undefined,
		null,
		'text',
		7,
		[],
		{},
		{ error: undefined },
		{ error: null },
		{ error: 'text' },
		{ error: [] },
	])('of %j is empty', (body) => {
		expect(readErrorEnvelope(body)).toStrictEqual(EMPTY);
	});

	test.each([{ message: 7 }, { message: ['m'] }, { request_id: null }, { request_id: {} }])(
		'leaves out a text that is none: %j',
		(error) => {
			expect(readErrorEnvelope({ error })).toStrictEqual(EMPTY);
		},
	);

	test.each([
		[0, 0],
		[-1, undefined],
		['3', undefined],
		[NaN, undefined],
	])('asks to retry after %p s: %p ms', (seconds, expected) => {
		expect(readErrorEnvelope({ error: { retry_after: seconds } }).retryAfterMs).toBe(expected);
	});

	test.each<[string, unknown]>([
		['a text', 'x'.repeat(15_000_000)],
		['a list', new Array(5_000_000).fill(0)],
	])('of 15 MB that is %s costs nothing', (_what, error) => {
		// Counted, because time depends on the machine.
		let looks = 0;
		const watched = new Proxy(Object(error) as object, {
			ownKeys: (target) => (looks++, Reflect.ownKeys(target)),
			get: (target, name) => (looks++, Reflect.get(target, name) as unknown),
		});
		expect(readErrorEnvelope({ error: watched })).toStrictEqual(EMPTY);
		expect(looks).toBeLessThan(10);
		expect(readErrorEnvelope({ error })).toStrictEqual(EMPTY);
	});
});

test('the request id is that of the header, or else of the body; without a response there is none', () => {
	const response = (headers: Record<string, string>, body: unknown) =>
		requestIdOf({ kind: 'response', status: 500, headers, body });
	const body = { error: { request_id: 'b' } };
	expect(response({ 'x-request-id': 'h' }, body)).toBe('h');
	expect(response({ 'x-request-id': '' }, body)).toBe('b');
	expect(response({}, undefined)).toBe('');
	expect(requestIdOf({ kind: 'failure', code: 'ENOTFOUND', detail: '' })).toBe('');
	expect(requestIdOf(undefined)).toBe('');
});
