import type { IDataObject } from 'n8n-workflow';
import type { Search } from '../../../../nodes/shared/list/find.ts';
import { matchingPages, readSearch } from '../../../../nodes/shared/list/find.ts';
import { Notices } from '../../../../nodes/shared/list/notices.ts';
import { collectGarbage } from '../../../../scripts/lib/collectGarbage.ts';
import { listOf, NODE, TOOL } from '../../../support/scripted/listed.ts';
import { parametersOf, rejection } from '../../../support/scripted/parameters.ts';

const search = (rows: unknown[], options: IDataObject = {}, place = NODE) =>
	readSearch(parametersOf({ conditions: { all: rows }, options }, place.node)) as Search;

const EVEN = [{ field: 'even', condition: 'equals', value: 'true' }];

/** Records numbered from 1, in pages of 100, and how many pages were read. */
const numbered = (total: number, record: (id: number) => IDataObject = (id) => ({ id, even: id % 2 === 0 })) =>
	listOf(total, (index) => record(index + 1));

interface Given {
	limit?: number;
	place?: typeof NODE;
	columns?: string[];
	narrower?: string;
	notices?: Notices;
}

async function find(wanted: Search, { list }: ReturnType<typeof listOf>, more: Given = {}): Promise<unknown[]> {
	const { limit = Infinity, place = NODE, notices = new Notices('lead'), ...searched } = more;
	const ids: unknown[] = [];
	const pages = matchingPages(place, wanted, limit, list, searched, notices);
	for await (const page of pages) ids.push(...page.map(({ id }) => id));
	return ids;
}

describe('a search', () => {
	test('returns what matches, page by page', async () => {
		const source = numbered(250);
		expect(await find(search(EVEN), source)).toEqual(Array.from({ length: 125 }, (_, index) => 2 * (index + 1)));
		expect(source.read.pages).toBe(3);
	});

	test.each([
		[1, 1],
		[50, 1],
		[51, 2],
		[100, 2],
		[101, 3],
		[125, 3],
		[126, 3],
	])('for %d matches reads %d pages', async (limit, pages) => {
		const source = numbered(250);
		expect(await find(search(EVEN), source, { limit })).toHaveLength(Math.min(limit, 125));
		expect(source.read.pages).toBe(pages);
	});

	test('needs all conditions', async () => {
		const rows = [...EVEN, { field: 'id', condition: 'gt', value: 246 }];
		expect(await find(search(rows), numbered(250))).toEqual([248, 250]);
	});
});

test('a search keeps no record but those that match', async () => {
	const pages: Array<WeakRef<IDataObject[]>> = [];
	let alive: number | undefined;
	async function* list() {
		for (let page = 0; page < 50; page++) {
			const records = [{ id: page, even: page % 25 === 0 }];
			pages.push(new WeakRef(records));
			yield records;
		}
		// A WeakRef keeps its target until the end of a turn of the event loop.
		await new Promise(setImmediate);
		collectGarbage();
		alive = pages.filter((page) => page.deref() !== undefined).length;
	}
	expect(await find(search(EVEN), { list, read: { limit: undefined, pages: 0 } })).toEqual([0, 25]);
	expect(alive).toBeLessThan(5);
});

describe('a field that no record read has', () => {
	const typo = (condition: string, value?: string) => search([...EVEN, { field: 'emial', condition, value }]);

	test.each([
		['equals', 'x'],
		['contains', 'x'],
		['notEquals', 'x'],
		['notEmpty', 'x'],
		['gt', '1'],
		['after', '2020-01-01'],
	])('is an error, with %s', async (condition, value) => {
		const message = '"Only Records That Match, field 2" is "emial", which none of the 250 records read has';
		const error = { message, description: expect.stringContaining('Check the spelling'), context: { itemIndex: 3 } };
		await expect(find(typo(condition, value), numbered(250))).rejects.toMatchObject(error);
	});

	test('is an error before the limit is reached and behind it', async () => {
		const found = find(typo('notEquals', 'x'), numbered(250), { limit: 1 });
		await expect(found).rejects.toThrow('which none of the 100 records read has');
	});

	test('counts as there if any record of a page that was read has it', async () => {
		const rare = numbered(100, (id) => ({ id, even: true, ...(id === 100 && { emial: 'x' }) }));
		expect(await find(typo('notEquals', 'y'), rare, { limit: 1 })).toEqual([1]);
	});

	test('is what Is Empty asks for; a notice says so', async () => {
		const notices = new Notices('lead');
		expect(await find(typo('empty'), numbered(250), { notices })).toHaveLength(125);
		expect(notices.messages()).toEqual([expect.stringMatching(/^No lead read has "emial", so "Is Empty" holds/)]);
	});

	test('is none if another list of the run has it, before or after', async () => {
		const lists = [numbered(250), numbered(100, (id) => ({ id, even: true, emial: '' }))];
		for (const order of [lists, lists.toReversed()]) {
			const notices = new Notices('lead');
			for (const list of order) await find(typo('empty'), list, { notices });
			expect(notices.messages()).toEqual([]);
		}
	});

	test('may be a documented one that the records lack', async () => {
		const notices = new Notices('lead');
		expect(await find(typo('equals', 'x'), numbered(250), { columns: ['emial'], notices })).toEqual([]);
		expect(notices.messages()).toEqual([]);
	});

	test('is no error in an empty list', async () => {
		expect(await find(typo('equals', 'x'), numbered(0))).toEqual([]);
	});
});

describe('a value that cannot be compared', () => {
	const sums = numbered(150, (id) => ({ id, even: id !== 120, sum: id === 120 ? 'many' : `${id}` }));
	const greater = { field: 'sum', condition: 'gt', value: '148' };

	test('is an error that names the record', async () => {
		await expect(find(search([greater]), sums)).rejects.toMatchObject({
			message: '"Only Records That Match, condition 1" cannot compare record 120, whose field "sum" is not a number',
			description: expect.stringContaining('Put a condition before it'),
		});
	});

	test('is none in a record that an earlier condition leaves out, or behind the last match', async () => {
		expect(await find(search([...EVEN, greater]), sums)).toEqual([149, 150]);
		expect(await find(search([{ ...greater, value: '118' }]), sums, { limit: 1 })).toEqual([119]);
	});
});

describe('a tool', () => {
	test('reads up to 20,000 records, a node any number', () => {
		expect(search(EVEN, {}, TOOL).mostRead).toBe(20_000);
		expect(search(EVEN, { maxRecordsToRead: 3 }, TOOL).mostRead).toBe(3);
		expect(search(EVEN, { maxRecordsToRead: 3 }).mostRead).toBe(Infinity);
	});

	test.each([0, -1, 1.5, 'many'])('cannot read up to %j', (maxRecordsToRead) => {
		const { message } = rejection(() => search(EVEN, { maxRecordsToRead }, TOOL));
		expect(message).toBe('"Max Records to Read" must be a whole number, 1 or more');
	});

	const reach = async (total: number, limit = Infinity, rows: unknown[] = EVEN) => {
		const wanted = search(rows, { maxRecordsToRead: 200 }, TOOL);
		return await find(wanted, numbered(total), { place: TOOL, limit, narrower: 'narrow the dates' });
	};

	test('whose list ends within them returns what matches, even nothing', async () => {
		expect(await reach(200)).toHaveLength(100);
		expect(await reach(200, 1, [{ field: 'id', condition: 'equals', value: '201' }])).toEqual([]);
	});

	test('tells of a misspelled field first', async () => {
		const message = 'is "evne", which none of the 200 records read has';
		await expect(reach(201, 1, [{ field: 'evne', condition: 'equals', value: 'true' }])).rejects.toThrow(message);
	});

	test('that has enough before them returns that', async () => {
		expect(await reach(20_000, 100)).toHaveLength(100);
	});

	test('that has not enough says so, and how to narrow: never "none"', async () => {
		await expect(reach(201)).rejects.toMatchObject({
			message: 'The first 200 records were read and 100 of them match, but the list goes on',
			description:
				'Nothing was output: more may match. Turn off "Return All" and set "Limit" to 100 or less, or narrow the dates, or raise "Max Records to Read" under Options. If you cannot set this, tell the person who built this tool.',
			context: { itemIndex: 3 },
		});
		await expect(reach(201, 1, [{ field: 'id', condition: 'equals', value: '201' }])).rejects.toMatchObject({
			message: 'The first 200 records were read and 0 of them match, but the list goes on',
			description: expect.stringMatching(/^Nothing was output: more may match\. Narrow the dates, or raise/),
		});
	});
});
