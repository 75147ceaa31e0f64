import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { IDataObject } from 'n8n-workflow';
import { listRecords, readListSettings } from '../../../../nodes/shared/list/listRecords.ts';
import { Notices } from '../../../../nodes/shared/list/notices.ts';
import { requestContext } from '../../../../nodes/shared/service/context.ts';
import { LIST_LEADS } from '../../../../nodes/shared/service/reads.ts';
import { ManualClock } from '../../../support/scripted/clock.ts';
import { parametersOf, rejection } from '../../../support/scripted/parameters.ts';
import { connectionOf, pagesOf, ScriptedWire } from '../../../support/scripted/wire.ts';

const LIST = { name: 'leads', idsOf: (page: IDataObject[]) => page.map(({ id }) => String(id)), remembered: 100 };

const lead = (id: number) => ({ id, even: id % 2 === 0, nested: { a: [id] } });

interface Given {
	pages?: IDataObject[][];
	type?: string;
	maxItems?: number;
	notices?: Notices;
}

let lists = 0;

/** Lists these pages, as the parameters say, and tells how many of them were read. */
async function list(
	parameters: IDataObject,
	{ pages = [[lead(1), lead(2)], [lead(3)]], type = 'listLeads', maxItems, notices = new Notices('lead') }: Given = {},
) {
	const wire = new ScriptedWire(pagesOf(pages));
	const node = { name: 'Node', type, parameters: {} } as never;
	const retry = { maxAttempts: 1, maxWaitMs: 0, timeoutMs: 1_000 };
	const prepareBinaryData = async (stream: Readable, fileName: string) => ({ fileName, data: await text(stream) });
	const helpers = { ...wire.functions.helpers, prepareBinaryData };
	const functions = { ...wire.functions, helpers, getNode: () => node };
	const clock = new ManualClock();
	const ctx = requestContext(functions as never, connectionOf(`listRecords ${lists++}`), retry, 3, { clock });
	const settings = readListSettings(parametersOf({ returnAll: true, ...parameters }, node), LIST, notices);
	const items = await listRecords(functions as never, ctx, LIST_LEADS, settings, maxItems);
	return { items, json: items.map(({ json }) => json), pagesRead: wire.sent.length, messages: notices.messages() };
}

const EVEN = { conditions: { all: [{ field: 'even', value: 'true' }] } };

test('a limit is read, or all, even as text: a part would pass for the whole', () => {
	const limit = (returnAll: unknown, value: unknown = 50) =>
		readListSettings(parametersOf({ returnAll, limit: value }), LIST, new Notices('lead')).limit;
	expect([limit(true), limit('true'), limit(false, '7'), limit('false', 7)]).toEqual([Infinity, Infinity, 7, 7]);
	expect(rejection(() => limit('all')).message).toContain('"Return All"');
	expect(rejection(() => limit(false, 0)).message).toContain('"Limit"');
});

test('every record of every page is an item, linked to the input item', async () => {
	const { items, messages } = await list({});
	expect(items).toEqual([1, 2, 3].map((id) => ({ json: lead(id), pairedItem: { item: 3 } })));
	expect(messages).toEqual([]);
});

test('no page is read after the limit', async () => {
	const { json, pagesRead } = await list({ returnAll: false, limit: 2 });
	expect(json.map(({ id }) => id)).toEqual([1, 2]);
	expect(pagesRead).toBe(1);
});

test('the list ends one page beyond what n8n can take', async () => {
	const pages = [[lead(1), lead(2)], [lead(3)], [lead(4)]];
	const { items, pagesRead } = await list({}, { pages, maxItems: 2 });
	expect([items.length, pagesRead]).toEqual([3, 2]);
	expect((await list({}, { pages, maxItems: 3 })).pagesRead).toBe(3);
});

test('conditions see whole records, and items are thinned out', async () => {
	const { json } = await list({ ...EVEN, output: 'selectedFields', fields: ['nested'] });
	expect(json).toEqual([{ id: 2, nested: { a: [2] } }]);
});

describe('a file', () => {
	test('has whole records, and its item is linked to the input item', async () => {
		const { items } = await list({ output: 'file', fileFormat: 'jsonl' });
		const data = [1, 2, 3].map((id) => `${JSON.stringify(lead(id))}\n`).join('');
		const json = expect.objectContaining({ fileName: 'leads.jsonl', records: 3 });
		expect(items).toEqual([{ json, binary: { data: { fileName: 'leads.jsonl', data } }, pairedItem: { item: 3 } }]);
	});

	test('has only the records that match, up to the limit', async () => {
		const pages = [[1, 2].map(lead), [4, 6].map(lead)];
		const file = { returnAll: false, limit: 2, output: 'file', fileFormat: 'jsonl' };
		const { items } = await list({ ...EVEN, ...file }, { pages });
		const data = [2, 4].map((id) => `${JSON.stringify(lead(id))}\n`).join('');
		expect(items).toMatchObject([{ json: { records: 2 }, binary: { data: { data } } }]);
	});
});

describe('a search that finds nothing', () => {
	const NONE = { conditions: { all: [{ field: 'id', value: '7' }] } };

	test('says so to the caller of a tool, with how many records were read, and so does an empty list', async () => {
		const { items } = await list(NONE, { type: 'listLeadsTool' });
		expect(items).toEqual([{ json: { matches: 0, recordsRead: 3 }, pairedItem: { item: 3 } }]);
		expect((await list({}, { type: 'listLeadsTool', pages: [[]] })).json).toEqual([{ matches: 0, recordsRead: 0 }]);
	});

	test('returns no item otherwise, and so does an empty list', async () => {
		expect([(await list(NONE)).items, (await list({}, { pages: [[]] })).items]).toEqual([[], []]);
	});
});

test('records that arrive again are counted over the walks of a run', async () => {
	const notices = new Notices('lead');
	const pages = [[lead(1), lead(2)], [lead(2)]];
	await list({}, { pages, notices });
	expect((await list({}, { pages, notices })).messages).toEqual([expect.stringContaining('2 leads arrived twice')]);
});

describe('records that arrive again in a tool', () => {
	const pages = [[lead(1), lead(2)], [lead(2)], [lead(3)]];
	const note =
		'This is a note, not a record: the list changed while it was read. 1 record arrived twice, and others may be missing. Call this tool again. If the list still changes, say so, and do not count or add up these records as if they were right.';
	const sign = { isRecord: false, arrivedTwice: 1, note };

	test('are told by a last item, after the sign that more follow', async () => {
		const type = 'listLeadsTool';
		expect((await list({}, { type, pages })).json).toEqual([lead(1), lead(2), lead(2), lead(3), sign]);
		const cut = await list({ returnAll: false, limit: 3 }, { type, pages });
		expect(cut.json.slice(3)).toEqual([expect.objectContaining({ moreFollow: true }), sign]);
	});

	test('are told also where none of the records read matches, or none is returned twice', async () => {
		const search = async (value: string) =>
			(await list({ conditions: { all: [{ field: 'id', value }] } }, { type: 'listLeadsTool', pages })).json;
		expect(await search('7')).toEqual([{ matches: 0, recordsRead: 4 }, sign]);
		expect(await search('1')).toEqual([lead(1), sign]);
	});

	test('are told in a workflow by no item', async () => {
		expect((await list({}, { pages })).json).toEqual(pages.flat());
	});
});

test('a tool that may not return more ends with a note', async () => {
	const { json } = await list({ returnAll: false, limit: 2 }, { type: 'listLeadsTool' });
	expect(json).toEqual([lead(1), lead(2), expect.objectContaining({ moreFollow: true })]);
});

test('a tool that searches ends with a note at the limit, and fails where it may not read more', async () => {
	const { json } = await list({ ...EVEN, returnAll: false, limit: 1 }, { type: 'listLeadsTool' });
	expect(json).toEqual([lead(2), expect.objectContaining({ moreMayMatch: true })]);
	const search = list({ ...EVEN, options: { maxRecordsToRead: 2 } }, { type: 'listLeadsTool' });
	await expect(search).rejects.toThrow('The first 2 records were read and 1 of them match, but the list goes on');
});
