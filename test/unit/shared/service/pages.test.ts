import type { Call } from '../../../../nodes/shared/service/call.ts';
import { requestContext } from '../../../../nodes/shared/service/context.ts';
import { pages } from '../../../../nodes/shared/service/pages.ts';
import { LIST_LEADS } from '../../../../nodes/shared/service/reads.ts';
import { ManualClock } from '../../../support/scripted/clock.ts';
import type { Scripted } from '../../../support/scripted/wire.ts';
import { connectionOf, failure, networkError, ScriptedWire } from '../../../support/scripted/wire.ts';

const list: Call = { ...LIST_LEADS, query: { status: 'x' } };
const recordsOf = (count: number) => Array.from({ length: count }, (_, id) => ({ id }));
const page = (count: number, next_cursor: unknown): Scripted => ({ body: { data: recordsOf(count), next_cursor } });

let walks = 0;

function walk(
	script: Scripted[],
	limit?: number,
	{ cancel, ...options }: { cancel?: AbortController; maxAttempts?: number; maxWaitMs?: number } = {},
) {
	const wire = new ScriptedWire(script, cancel?.signal);
	const retry = { maxAttempts: 1, maxWaitMs: 0, timeoutMs: 1_000, ...options };
	const clock = new ManualClock();
	clock.wait = async (ms) => await clock.advance(ms);
	const ctx = requestContext(wire.functions, connectionOf(`walk ${++walks}`), retry, 0, { clock });
	const sizes: number[] = [];
	const walked = (async () => {
		for await (const records of pages(ctx, list, limit === undefined ? {} : { limit })) sizes.push(records.length);
		return sizes;
	})();
	return { wire, walked };
}

describe('a walk', () => {
	test('asks for pages of one size, and cuts the last one, however small the pages are', async () => {
		const { wire, walked } = walk([page(30, 'a'), page(0, 'b'), page(100, 'c'), page(30, 'd')], 150);
		await expect(walked).resolves.toEqual([30, 0, 100, 20]);
		const query = { status: 'x', page_size: 100 };
		const later = ['a', 'b', 'c'].map((cursor) => ({ ...query, cursor }));
		expect(wire.sent.map(({ qs }) => qs)).toStrictEqual([query, ...later]);
		expect(wire.sent[0]).toMatchObject({ method: 'GET', url: 'https://api.example.com/v1/leads/' });
	});

	test('asks for no more than is wanted, and for nothing when that is nothing', async () => {
		const { wire, walked } = walk([page(5, 'a')], 5);
		await expect(walked).resolves.toEqual([5]);
		expect(wire.sent.map(({ qs }) => qs)).toStrictEqual([{ status: 'x', page_size: 5 }]);
		const none = walk([], 0);
		await expect(none.walked).resolves.toEqual([]);
		expect(none.wire.sent).toEqual([]);
	});

	test('takes an empty cursor for a cursor', async () => {
		const { wire, walked } = walk([page(1, ''), page(1, null)]);
		await expect(walked).resolves.toEqual([1, 1]);
		expect(wire.sent[1]?.qs).toMatchObject({ cursor: '' });
	});

	test.each<[string, unknown, string]>([
		['no object', 7, 'a page is not an object'],
		['null', null, 'a page is not an object'],
		['no data', { next_cursor: null }, 'a page has no "data" array'],
		['data that is no list', { data: {}, next_cursor: null }, 'a page has no "data" array'],
		['a list for a record', { data: [{}, []], next_cursor: null }, 'a record is not an object'],
		['null for a record', { data: [{}, null], next_cursor: null }, 'a record is not an object'],
		['a text for a record', { data: [{}, 'x'], next_cursor: null }, 'a record is not an object'],
		['no cursor', { data: [] }, 'a page has no "next_cursor"'],
		['a cursor that is an object', { data: [], next_cursor: {} }, '"next_cursor" is neither text nor null'],
		['a cursor that is a number', { data: [], next_cursor: 1 }, '"next_cursor" is neither text nor null'],
		['an endless cursor', { data: [], next_cursor: 'c'.repeat(16_385) }, '"next_cursor" has 16385 characters'],
		['an endless page', { data: Array(10_001).fill({}), next_cursor: null }, 'a page has 10001 records, not up to 100'],
	])('ends in an error that says what it found: %s', async (_name, body, problem) => {
		const { walked } = walk([{ body: JSON.stringify(body) }]);
		const message = `The response to the request to list leads is not as documented: ${problem}`;
		await expect(walked).rejects.toMatchObject({ message, httpCode: '200', context: { attempts: 1 } });
	});

	test('takes a cursor of 16,384 characters, and as many records as 10,000 on a page', async () => {
		await expect(walk([page(10_000, 'c'.repeat(16_384)), page(1, null)]).walked).resolves.toEqual([10_000, 1]);
	});

	test.each([
		[1, 2],
		[2, 4],
		[5, 13],
	])('ends in an error when the same %i pages come round again', async (length, pages) => {
		const { wire, walked } = walk(Array.from({ length: pages }, (_, index) => page(1, `c${index % length}`)));
		const records = pages === 2 ? '1 record' : `${pages - 1} records`;
		const message = `it is a page that was already read, so the list would never end (page ${pages}, after ${records} had been read)`;
		await expect(walked).rejects.toThrow(message);
		expect(wire.sent).toHaveLength(pages);
	});

	const other = (id: number, next_cursor: string | null = 'same'): Scripted => ({
		body: { data: [{ id }], next_cursor },
	});

	describe('of a list whose cursors differ', () => {
		const script = [page(1, 'a'), page(0, 'b'), page(1, 'c'), page(1, null)];

		test.each([1, 2, 3, 4])('repeats the request for each page: page %i', async (number) => {
			const failures = Array.from({ length: 4 }, () => failure(500));
			const { walked } = walk(script.toSpliced(number - 1, 0, ...failures), undefined, { maxAttempts: 5 });
			await expect(walked).resolves.toEqual([1, 0, 1, 1]);
		});

		test.each([2, 3, 4])('counts its pages: page %i', async (number) => {
			const { walked } = walk(script.toSpliced(number - 1, 1, failure(500)));
			await expect(walked).rejects.toThrow(`(page ${number}, after`);
		});
	});

	test.each([
		[1, true],
		[2, true],
		[3, true],
		[4, false],
		[5, false],
	])('repeats the request for page %i of a list whose third page names its own cursor: %s', async (number, repeats) => {
		const script = [other(0, 'a'), other(0), other(1), other(2), other(3, null)];
		const { wire, walked } = walk(script.toSpliced(number - 1, 0, failure(500)), undefined, { maxAttempts: 2 });
		await walked.catch(() => {});
		expect(wire.sent.length > number).toBe(repeats);
	});

	test('goes on when the cursor stays the same and the pages do not', async () => {
		const { wire, walked } = walk([other(1), other(2), other(3), other(4, null)]);
		await expect(walked).resolves.toEqual([1, 1, 1, 1]);
		expect(wire.sent.map(({ qs }) => qs?.cursor)).toEqual([undefined, 'same', 'same', 'same']);
	});

	test.each([
		[3, 'the service may have moved on', [other(1), other(2)]],
		[5, 'not even right after the first page that names itself', ['a', 'b', 'c', 'c'].map((to, id) => other(id, to))],
	])('does not repeat the request for page %i, whose cursor was sent before: %s', async (number, _why, read) => {
		const script = [...read, failure(500), other(9, null)];
		const { wire, walked } = walk(script, undefined, { maxAttempts: 3 });
		const message = expect.stringContaining(`(page ${number},`);
		await expect(walked).rejects.toMatchObject({ httpCode: '500', message });
		expect(wire.sent).toHaveLength(number);
	});

	test('repeats it after a rejection by the rate limit, which moves nothing on', async () => {
		const script = [other(1), other(2), failure(429), other(3, null)];
		await expect(walk(script, undefined, { maxAttempts: 3, maxWaitMs: 120_000 }).walked).resolves.toEqual([1, 1, 1]);
	});

	test.each([2, 3])('ends in an error when the first page that names itself took %i attempts', async (attempts) => {
		const failures = Array.from({ length: attempts - 1 }, () => failure(500));
		const { walked } = walk([other(1), ...failures, other(3), other(4, null)], undefined, { maxAttempts: 3 });
		const message = `it names a cursor that came back, after ${attempts} attempts, so a page may be missing (page 2, after 1 record had been read)`;
		await expect(walked).rejects.toThrow(message);
	});

	test.each([2, 3])('ends in an error when a cursor comes back later: another attempt was for page %i', async (nth) => {
		const script = [other(1, 'a'), other(2, 'b'), other(3), other(4), other(5, null)];
		const { walked } = walk(script.toSpliced(nth - 1, 0, failure(500)), undefined, { maxAttempts: 2 });
		await expect(walked).rejects.toThrow(
			'it names a cursor that came back, after 2 attempts, so a page may be missing (page 4, after 3 records had been read)',
		);
	});

	test.each([
		['another page', 1, [failure(500), failure(500)]],
		['another page', 3, [failure(429), failure(429)]],
		['it, for a rejection by the rate limit', 2, [failure(429)]],
	])('is complete when several attempts were for %s: page %i', async (_what, number, failures) => {
		const script = [other(1), other(2), other(3), other(4, null)];
		const failing = script.toSpliced(number - 1, 0, ...failures);
		const { walked } = walk(failing, undefined, { maxAttempts: 3, maxWaitMs: 120_000 });
		await expect(walked).resolves.toEqual([1, 1, 1, 1]);
	});

	describe('over pages without a record', () => {
		const empty = (count: number, name: string) =>
			Array.from({ length: count }, (_, index) => page(0, `${name}${index}`));

		test('ends in an error when they are a thousand in a row', async () => {
			await expect(walk([...empty(999, 'a'), page(1, 'b'), ...empty(1_000, 'c')]).walked).rejects.toThrow(
				'it is page 1000 in a row without a record, so the list would never end (page 2000, after 1 record had been read)',
			);
		});

		test('does so also when the last of them ends the list', async () => {
			const { walked } = walk([...empty(999, 'a'), page(0, null)]);
			await expect(walked).rejects.toThrow('it is page 1000 in a row without a record');
		});
	});

	describe('whose second page ends the list after another attempt: a scroll may have moved on from a page before', () => {
		const MISSING =
			'it ends the list, after 2 attempts, so a page may be missing (page 2, after 1 record had been read)';
		const ending = (...script: Scripted[]) =>
			walk([other(1), ...script], undefined, { maxAttempts: 2, maxWaitMs: 120_000 });

		test('is complete when its cursor returns the same page again', async () => {
			const { wire, walked } = ending(failure(500), other(2, null), other(2, null));
			await expect(walked).resolves.toEqual([1, 1]);
			expect(wire.sent.map(({ qs }) => qs?.cursor)).toEqual([undefined, 'same', 'same', 'same']);
		});

		test.each([
			['another record', other(3, null)],
			['no record', page(0, null)],
			['a cursor', other(2)],
		])('ends in an error when the cursor then returns %s', async (_what, then) => {
			await expect(ending(failure(500), other(2, null), then).walked).rejects.toThrow(MISSING);
		});

		test('ends in the error of the request when the service then rejects the cursor', async () => {
			const { walked } = ending(failure(500), other(2, null), failure(404));
			await expect(walked).rejects.toMatchObject({ httpCode: '404', message: expect.stringContaining('(page 2,') });
		});

		test('ends in an error when it has no record: a scroll would return that page again, too', async () => {
			const { wire, walked } = ending(failure(500), page(0, null));
			await expect(walked).rejects.toThrow(MISSING);
			expect(wire.sent).toHaveLength(3);
		});

		test.each([
			['the other attempt was a rejection by the rate limit', [failure(429), other(2, null)]],
			['it is the third', [other(2, 'b'), failure(500), other(3, null)]],
			['the list goes on', [failure(500), other(2, 'b'), other(3, null)]],
		])('is complete as it is when %s', async (_why, script) => {
			const { wire, walked } = ending(...script);
			await walked;
			expect(wire.sent).toHaveLength(1 + script.length);
		});

		test('is complete as it is when the list has one page', async () => {
			const { wire, walked } = walk([failure(500), page(1, null)], undefined, { maxAttempts: 2 });
			await walked;
			expect(wire.sent).toHaveLength(2);
		});
	});
});

describe('the error of a walk that breaks off', () => {
	const INCOMPLETE = 'Nothing was output, because the list would have been incomplete.';
	test('at the first page is that of the request', async () => {
		const message = 'The service rejected the request to list leads as invalid: m';
		const description = expect.not.stringMatching(/cursor|Nothing was output/);
		await expect(walk([failure(400)]).walked).rejects.toMatchObject({ message, description });
	});

	test.each([
		[0, 'after 0 records had been read'],
		[1, 'after 1 record had been read'],
		[2, 'after 2 records had been read'],
	])('after %i says how far it came', async (count, progress) => {
		const { walked } = walk([page(count, 'a'), failure(500)]);
		const { stringContaining } = count === 0 ? expect.not : expect;
		const description = stringContaining('Nothing was output');
		const message = expect.stringContaining(`(page 2, ${progress})`);
		await expect(walked).rejects.toMatchObject({ message, description });
	});

	const REASON = 'may no longer accept the cursor';
	const NO_REASON = expect.not.stringContaining('cursor');

	test.each([
		...[400, 404, 409, 410, 422].map((status) => [status, 'does', expect.stringContaining(REASON)]),
		...[401, 403, 504, 302].map((status) => [status, 'does not', NO_REASON]),
	])('with %i %s say that the cursor may be the reason', async (status, _does, description) => {
		await expect(walk([page(1, 'a'), failure(status)]).walked).rejects.toMatchObject({ description });
	});

	test('by something that is no error says so, too, without a secret', async () => {
		const throwing = (text: string) => () => {
			throw text;
		};
		const { walked } = walk([page(1, 'a'), throwing('no')]);
		await expect(walked).rejects.toMatchObject({ message: 'no (page 2, after 1 record had been read)' });
		await expect(walk([throwing('no sk_live_secret')]).walked).rejects.toMatchObject({ message: 'no ***' });
	});

	test('says so between what there was to say and the request id, with which each description ends', async () => {
		await expect(walk([page(1, 'a'), failure(400)]).walked).rejects.toMatchObject({
			description:
				"Correct the parameter that the service's message names and run the node again." +
				' The service may no longer accept the cursor of this page: run the node again to read from the start.' +
				' Nothing was output, because the list would have been incomplete. Request ID: r',
		});
	});

	test('at a page that is none says how far it came', async () => {
		const message =
			'The response to the request to list leads is not as documented: a page is not an object (page 2, after 2 records had been read)';
		const description = expect.stringContaining('Nothing was output');
		await expect(walk([page(2, 'a'), { body: '7' }]).walked).rejects.toMatchObject({ message, description });
	});

	test('that n8n gave is told in an error of its own, without secrets', async () => {
		const { walked } = walk([page(1, 'a'), new Error('n8n sent nothing with sk_live_secret')]);
		const message = 'n8n sent nothing with *** (page 2, after 1 record had been read)';
		await expect(walked).rejects.toMatchObject({ message, description: INCOMPLETE, context: { itemIndex: 0 } });
		const described = Object.assign(new Error('blocked'), { description: 'Allow it, sk_live_secret.' });
		const description = expect.stringMatching(/^Allow it, \*\*\*\. Nothing was/);
		await expect(walk([page(1, 'a'), described]).walked).rejects.toMatchObject({ description });
		expect(described).toMatchObject({ message: 'blocked', description: 'Allow it, sk_live_secret.' });
	});

	test('that n8n gave at the first page is n8n’s', async () => {
		const blocked = Object.assign(new Error('blocked'), { description: 'Allow it.' });
		await expect(walk([blocked]).walked).rejects.toBe(blocked);
	});

	test.each<[string, object, object]>([
		['message', { message: 'sk_live_secret is blocked' }, { message: '*** is blocked' }],
		['description', { description: 'Allow sk_live_secret' }, { message: 'blocked', description: 'Allow ***.' }],
	])('that n8n gave at the first page with a secret in its %s is told without it', async (_name, text, expected) => {
		const { walked } = walk([Object.assign(new Error('blocked'), text)]);
		await expect(walked).rejects.toMatchObject({ ...expected, context: { itemIndex: 0 } });
	});

	test('by a cancellation says how far it came', async () => {
		const cancel = new AbortController();
		const brokenOff = () => (cancel.abort(), networkError('ERR_CANCELED'));
		const { walked } = walk([page(2, 'a'), brokenOff], undefined, { cancel });
		const message =
			'The execution was canceled before the request to list leads finished (page 2, after 2 records had been read)';
		await expect(walked).rejects.toMatchObject({ message, description: INCOMPLETE });
	});
});
