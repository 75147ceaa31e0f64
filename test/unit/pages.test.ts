import type { Call } from '../../nodes/shared/service/call';
import { pages } from '../../nodes/shared/service/pages';
import { requestContext } from '../../nodes/shared/service/request';
import { ManualClock } from '../support/manualClock';
import type { Scripted } from '../support/scriptedWire';
import { connectionOf, ScriptedWire } from '../support/scriptedWire';

const list: Call = { method: 'GET', path: '/v1/leads/', query: { status: 'x' }, purpose: 'list leads', needs: '' };
const page = (count: number, cursor: unknown): Scripted => ({ body: { data: Array.from({ length: count }, (_, id) => ({ id })), next_cursor: cursor } });
const failure = (status: number): Scripted => ({ status, body: { error: { type: 't', message: 'm', request_id: 'r' } } });

let walks = 0;

async function walk(script: Scripted[], limit?: number) {
	const wire = new ScriptedWire(script);
	const retry = { maxAttempts: 1, maxWaitMs: 0, timeoutMs: 1_000 };
	const ctx = requestContext(wire.functions, connectionOf(`walk ${++walks}`), retry, 0, { clock: new ManualClock() });
	const sizes: number[] = [];
	const walked = (async () => {
		for await (const records of pages(ctx, list, limit === undefined ? {} : { limit })) sizes.push(records.length);
		return sizes;
	})();
	return { wire, walked };
}

describe('a walk', () => {
	test('asks for what is still wanted, however small the pages are', async () => {
		const { wire, walked } = await walk([page(30, 'a'), page(0, 'b'), page(100, 'c'), page(30, 'd')], 150);
		await expect(walked).resolves.toEqual([30, 0, 100, 20]);
		expect(wire.sent.map(({ qs }) => qs)).toEqual([
			{ status: 'x', page_size: 100 },
			{ status: 'x', page_size: 100, cursor: 'a' },
			{ status: 'x', page_size: 100, cursor: 'b' },
			{ status: 'x', page_size: 20, cursor: 'c' },
		]);
	});

	test('takes an empty cursor for a cursor', async () => {
		const { wire, walked } = await walk([page(1, ''), page(1, null)]);
		await expect(walked).resolves.toEqual([1, 1]);
		expect(wire.sent[1]?.qs).toMatchObject({ cursor: '' });
	});

	test.each<[string, unknown]>([
		['a list for a record', { data: [[]], next_cursor: null }],
		['null for a record', { data: [null], next_cursor: null }],
		['no object', 7],
		['a cursor that is an object', { data: [], next_cursor: {} }],
		['an undefined cursor', { data: [] }],
	])('ends in an error when it finds %s', async (_name, body) => {
		const { walked } = await walk([{ body }]);
		await expect(walked).rejects.toThrow('not as documented');
	});
});

describe('the error of a walk that breaks off', () => {
	test('at the first page is that of the request', async () => {
		const { walked } = await walk([failure(400)]);
		await expect(walked).rejects.toMatchObject({
			message: 'The service found the request to list leads invalid: m',
			description: expect.not.stringMatching(/cursor|Nothing was output/),
		});
	});

	test.each([
		[0, 'after 0 records had been read'],
		[1, 'after 1 record had been read'],
		[2, 'after 2 records had been read'],
	])('after %i says how far it came', async (count, progress) => {
		const { walked } = await walk([page(count, 'a'), failure(500)]);
		const description = count === 0 ? expect.not.stringContaining('Nothing was output') : expect.stringContaining('Nothing was output');
		await expect(walked).rejects.toMatchObject({ message: expect.stringContaining(`(page 2, ${progress})`), description });
	});

	test.each([400, 404, 409, 410, 422])('with %i says that the cursor may be the reason', async (status) => {
		const { walked } = await walk([page(1, 'a'), failure(status)]);
		await expect(walked).rejects.toMatchObject({ description: expect.stringContaining('may no longer accept the cursor') });
	});

	test('by something that is no error is left as it is', async () => {
		const thrown = () => {
			throw 'a text';
		};
		const { walked } = await walk([page(1, 'a'), thrown]);
		await expect(walked).rejects.toBe('a text');
	});

	test.each([401, 403, 500, 302])('with %i does not', async (status) => {
		const { walked } = await walk([page(1, 'a'), failure(status)]);
		await expect(walked).rejects.toMatchObject({ description: expect.not.stringContaining('cursor') });
	});
});
