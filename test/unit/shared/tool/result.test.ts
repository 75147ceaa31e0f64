import type { IDataObject } from 'n8n-workflow';
import { requestContext } from '../../../../nodes/shared/service/context.ts';
import { pages } from '../../../../nodes/shared/service/pages.ts';
import { LIST_LEADS } from '../../../../nodes/shared/service/reads.ts';
import { boundedObject, boundedPages, MAX_CHARACTERS, MAX_RECORDS } from '../../../../nodes/shared/tool/result.ts';
import { listOf, NODE, TOOL } from '../../../support/scripted/listed.ts';
import { connectionOf, ScriptedWire } from '../../../support/scripted/wire.ts';

/** Returns the records of a list that a node in this place returns. */
async function returned(
	place: typeof NODE,
	limit: number,
	list: (most: number) => AsyncIterable<IDataObject[]>,
	{ narrower, isSearch = false, count = 0 }: { narrower?: string | undefined; isSearch?: boolean; count?: number } = {},
): Promise<IDataObject[]> {
	const records: IDataObject[] = [];
	const listed = { list: { narrower }, repeats: { records: 9, count }, isSearch };
	for await (const page of boundedPages(place, limit, listed, list)) records.push(...page);
	return records;
}

const TOO_LARGE = 'The result is too large for a tool call';

/** Returns a record of this many characters as JSON. */
const ofSize = (characters: number): IDataObject => ({ a: 'x'.repeat(characters - '{"a":""}'.length) });

describe('a list', () => {
	test('of an ordinary node has any size', async () => {
		const { list, read } = listOf(2_000, () => ofSize(1_000));
		await expect(returned(NODE, Infinity, list)).resolves.toHaveLength(2_000);
		expect(read.limit).toBe(Infinity);
	});

	test.each([
		[MAX_RECORDS, Infinity],
		[MAX_RECORDS, MAX_RECORDS],
		[7, 20],
		[20, 20],
		[100, 100],
		[1, 1],
	])('of %d records that fits into a tool call, with a limit of %d, is whole and has no sign', async (total, limit) => {
		expect(await returned(TOOL, limit, listOf(total).list)).toEqual(Array.from({ length: total }, (_, id) => ({ id })));
	});

	test.each([
		[10, 200, 'To get more, set "Limit" higher, to 500 at most.', undefined],
		[100, 101, 'To get more, set "Limit" higher, to 500 at most, or narrow the dates.', 'narrow the dates'],
		[MAX_RECORDS, 2_000, 'One call returns 500 at most.', undefined],
		[MAX_RECORDS, MAX_RECORDS + 1, 'To get more, narrow the dates.', 'narrow the dates'],
	])('that is cut at a limit of %d of %d ends with a sign in a tool call', async (limit, total, way, narrower) => {
		const { list, read } = listOf(total);
		const records = await returned(TOOL, limit, list, { narrower });
		expect(records.slice(0, -1)).toEqual(Array.from({ length: limit }, (_, id) => ({ id })));
		const note = `This is a note, not a record: the list does not end here. ${way} If you cannot, say that the list goes on, and do not count or add up these records as if they were all.`;
		expect(records.at(-1)).toEqual({ isRecord: false, recordsHere: limit, moreFollow: true, note });
		expect(read.limit).toBe(limit + 1);
	});

	test('that is empty says so, and how many records were read', async () => {
		expect(await returned(TOOL, 1, listOf(0).list)).toEqual([{ matches: 0, recordsRead: 9 }]);
		expect(await returned(NODE, 1, listOf(0).list)).toEqual([]);
	});

	test('that is searched ends with a sign at its limit, and is read no further', async () => {
		const { list, read } = listOf(200);
		const note =
			'This is a note, not a record: the search ended at "Limit" and looked no further, so more records may match. To get more, set "Limit" higher, to 500 at most. If you cannot, do not call these all that match.';
		const sign = { isRecord: false, recordsHere: 1, moreMayMatch: true, note };
		expect(await returned(TOOL, 1, list, { isSearch: true })).toEqual([{ id: 0 }, sign]);
		expect(read.limit).toBe(1);
	});

	test.each([
		[3, 20],
		[3, Infinity],
		[MAX_RECORDS, Infinity],
	])('that is searched, and has %d matches, is whole with a limit of %d', async (total, limit) => {
		expect(await returned(TOOL, limit, listOf(total).list, { isSearch: true })).toHaveLength(total);
	});

	test('that is searched for all matches, and has one more than a tool call returns, is an error', async () => {
		const { list } = listOf(MAX_RECORDS + 1);
		await expect(returned(TOOL, Infinity, list, { isSearch: true })).rejects.toThrow('it has more than 500 records');
	});

	test('that is cut in a workflow has no sign, and nothing more is read', async () => {
		const { list, read } = listOf(200);
		await expect(returned(NODE, 10, list)).resolves.toHaveLength(10);
		expect(read.limit).toBe(10);
	});

	test('of which only the record beyond the limit has no room ends with a sign', async () => {
		const { list } = listOf(11, (index) => ofSize(index < 10 ? 100 : MAX_CHARACTERS + 1));
		expect((await returned(TOOL, 10, list)).at(-1)).toMatchObject({ recordsHere: 10, moreFollow: true });
	});

	test('of one record more is an error that says how to narrow', async () => {
		const { list, read } = listOf(20_000);
		await expect(returned(TOOL, Infinity, list, { narrower: 'narrow the dates' })).rejects.toMatchObject({
			message: 'The result is too large for a tool call: it has more than 500 records',
			description:
				'Nothing was output. Turn off "Return All" and set "Limit" to 500 or less, or narrow the dates. If you cannot set this, tell the person who built this tool.',
			context: { itemIndex: 3 },
		});
		expect(read).toEqual({ limit: MAX_RECORDS + 1, pages: 6 });
	});

	test('with a limit beyond it is an error before anything is read', async () => {
		const { list, read } = listOf(3);
		const message = '"Limit" must be 500 or less in a tool call';
		const description =
			'It is 501. Turn off "Return All" and set "Limit" to 500 or less. If you cannot set this, tell the person who built this tool.';
		await expect(returned(TOOL, MAX_RECORDS + 1, list)).rejects.toMatchObject({ message, description });
		expect(read.pages).toBe(0);
	});

	// 250 records of 400 characters, with a comma or bracket each.
	test('of as many characters as fit is whole', async () => {
		const { list } = listOf(250, () => ofSize(MAX_CHARACTERS / 250 - 1));
		await expect(returned(TOOL, Infinity, list)).resolves.toHaveLength(250);
	});

	test.each([Infinity, 400])(
		'of one character more is an error that says how many fit, with a limit of %d',
		async (limit) => {
			const { list, read } = listOf(1_000, (index) => ofSize(MAX_CHARACTERS / 250 - (index === 0 ? 0 : 1)));
			const message = `${TOO_LARGE}: its first 250 records have more than 100,000 characters`;
			const description = expect.stringContaining('set "Limit" to 249 or less');
			await expect(returned(TOOL, limit, list)).rejects.toMatchObject({ message, description });
			expect(read.pages).toBe(3);
		},
	);

	test.each([
		['narrow the dates', ' Narrow the dates.'],
		[undefined, ''],
	])('whose first record does not fit has no limit to set: %s', async (narrower, way) => {
		const { list } = listOf(1, () => ofSize(MAX_CHARACTERS + 1));
		const description = `Nothing was output.${way} If you cannot set this, tell the person who built this tool.`;
		await expect(returned(TOOL, Infinity, list, { narrower })).rejects.toMatchObject({ description });
	});
});

// The API document says that the last page has no cursor, and not that a page with one has a page with records after it.
describe('a list of the service with as many records as the Limit, and', () => {
	const recordsOf = (count: number) => Array.from({ length: count }, (_, id) => ({ id }));
	const page = (count: number, next_cursor: string | null) => ({ body: { data: recordsOf(count), next_cursor } });

	test.each([
		['no cursor', [page(60, null)], undefined],
		['a cursor of an empty page', [page(60, 'a'), page(0, null)], undefined],
		['an empty page before its next record', [page(60, 'a'), page(0, 'b'), page(1, null)], true],
		['more on the same page', [page(61, 'a')], true],
	])('%s', async (what, script, moreFollow) => {
		const requests = script.length;
		const wire = new ScriptedWire(script);
		const retry = { maxAttempts: 1, maxWaitMs: 0, timeoutMs: 1_000 };
		const ctx = requestContext(wire.functions, connectionOf(what), retry, 0);
		const records = await returned(TOOL, 60, (limit) => pages(ctx, LIST_LEADS, { limit }));
		expect(records).toHaveLength(moreFollow ? 61 : 60);
		expect(records.at(-1)?.moreFollow).toBe(moreFollow);
		expect(wire.sent.map(({ qs }) => qs?.page_size)).toEqual(Array(requests).fill(61));
	});
});

test.each([
	[1, undefined, '1 record arrived twice', 'Call this tool again. If'],
	[2, 'narrow the dates', '2 records arrived twice', 'Call this tool again, or narrow the dates. If'],
])('a sign of %d repeated ends a list, says so, and what to do', async (count, narrower, what, next) => {
	const note = expect.stringMatching(`^This is a note, not a record: .*${what}, and others may be missing. ${next}`);
	const records = await returned(TOOL, 20, listOf(1).list, { narrower, count });
	expect(records).toEqual([{ id: 0 }, { isRecord: false, arrivedTwice: count, note }]);
	expect(await returned(NODE, 20, listOf(1).list, { narrower, count })).toEqual([{ id: 0 }]);
});

describe('an object', () => {
	test.each([
		[TOOL, MAX_CHARACTERS],
		[NODE, MAX_CHARACTERS + 1],
	])('that fits, or that no agent gets, is returned', (place, size) => {
		expect(JSON.stringify(boundedObject(place, ofSize(size), 'narrow the dates'))).toHaveLength(size);
	});

	test('of one character more is an error that says how to narrow', () => {
		const message = `${TOO_LARGE}: it has more than 100,000 characters`;
		const description =
			'Nothing was output. Narrow the dates. If you cannot set this, tell the person who built this tool.';
		const bounded = () => boundedObject(TOOL, ofSize(MAX_CHARACTERS + 1), 'narrow the dates');
		expect(bounded).toThrow(expect.objectContaining({ message, description }));
	});
});
