import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { pathsIn, valuesAt } from '../../nodes/shared/list/paths.ts';
import type { Switches } from '../../sandbox/src/client.ts';
import { filled, LEAD_LIST, LISTS, RECORDS, TRANSACTION_LIST } from '../support/engine/lists.ts';
import { NODES, ownType } from '../support/engine/n8nParts.ts';
import type { NodeRun } from '../support/engine/runNode.ts';
import { fieldsOf, runFor, succeeded } from '../support/engine/runNode.ts';
import { BinaryData } from '../support/files/binaryData.ts';
import type { TestOrganization } from '../support/service.ts';
import { control, organization, pageResponse, withoutBackoff } from '../support/service.ts';

withoutBackoff();

const PAGES = 3;

type Row = [field: unknown, condition: string, value?: unknown];

/** Runs a list with these conditions on all of it, unless `parameters` say otherwise. */
async function find(
	org: TestOrganization,
	{ type, operation }: typeof LEAD_LIST,
	rows: Row[],
	parameters: INodeParameters = {},
	more: Partial<NodeRun> = {},
) {
	await control.clearJournal(org.id);
	const conditions = {
		all: rows.map(([field, condition, value]) => ({ field, condition, ...(value !== undefined && { value }) })),
	} as INodeParameters;
	const list = { operation, returnAll: true, conditions, ...parameters };
	const { items, error, hints } = await runFor(org, type, list, more);
	return {
		items,
		error,
		records: items.map(({ json }) => json),
		requests: (await org.journal()).length,
		hints: hints.map(({ message }) => message),
	};
}

const all = async (org: TestOrganization, list: typeof LEAD_LIST) => (await find(org, list, [])).records;

/** Returns the record in the middle of the second page, and its ID. */
async function onSecondPage(org: TestOrganization, list: typeof LEAD_LIST) {
	const records = await all(org, list);
	return { id: records[149]?.id, record: records[149] as IDataObject };
}

describe.each(LISTS)('$operation', (list) => {
	test('returns what matches on every page and no other, linked to its input item', async () => {
		const org = await filled();
		const records = await all(org, list);
		const name = list === LEAD_LIST ? 'stage' : 'status';
		const value = records[200]?.[name] as string;
		const { items, requests } = await succeeded(find(org, list, [[name, 'equals', ` ${value.toUpperCase()} `]]));
		expect(items.map(({ json }) => json)).toEqual(records.filter((record) => record[name] === value));
		expect(items.length).toBeGreaterThan(PAGES);
		expect(items.every(({ pairedItem }) => JSON.stringify(pairedItem) === '{"item":0}')).toBe(true);
		expect(requests).toBe(PAGES);
	});

	test('Limit counts matches, and no page is read beyond the last', async () => {
		const org = await filled();
		const { id, record } = await onSecondPage(org, list);
		const { records, requests } = await find(org, list, [['id', 'equals', id]], { returnAll: false, limit: 1 });
		expect(records).toEqual([record]);
		expect(requests).toBe(2);
		const [first] = await org.journal();
		expect(first?.query).toEqual({ page_size: '100' });
	});

	test('a page that fails is an error that says how far it came, even behind a match', async () => {
		const org = await filled();
		const { id } = await onSecondPage(org, list);
		for (const value of ['none', id]) {
			await org.meets({ action: 'status', status: 400, match: { page: 3 } });
			const { records, error } = await find(org, list, [['id', 'equals', value]]);
			expect(records).toEqual([]);
			expect(error?.message).toContain('(page 3, after 200 records had been read)');
		}
	});

	test('all conditions must hold, and each input item has its own', async () => {
		const org = await filled();
		const { record } = await onSecondPage(org, list);
		const name = list === LEAD_LIST ? 'stage' : 'status';
		const rows: Row[] = [
			['={{ $json.name }}', 'equals', '={{ $json.value }}'],
			['id', 'equals', record.id],
		];
		const input = [
			{ name, value: record[name] },
			{ name, value: 'other' },
			{ name: 'id', value: record.id },
		];
		const { items } = await find(org, list, rows, {}, { input: input as IDataObject[] });
		expect(items.map(({ json, pairedItem }) => [json.id, pairedItem])).toEqual([
			[record.id, { item: 0 }],
			[record.id, { item: 2 }],
		]);
	});

	test('Selected Fields need not have the field of a condition', async () => {
		const org = await filled();
		const { id, record } = await onSecondPage(org, list);
		const name = list === LEAD_LIST ? 'email' : 'amount';
		const output = { output: 'selectedFields', fields: ['id'] };
		const { records } = await find(org, list, [[name, 'equals', record[name]]], output);
		expect(records).toContainEqual({ id });
		expect(Object.keys(records[0] ?? {})).toEqual(['id']);
	});

	test('a file has the matches alone', async () => {
		const binaryData = await BinaryData.start();
		try {
			const org = await filled();
			const { record } = await onSecondPage(org, list);
			const { items } = await find(org, list, [['id', 'equals', record.id]], { output: 'file', fileFormat: 'jsonl' });
			expect(await binaryData.textOf(items[0]!)).toBe(`${JSON.stringify(record)}\n`);
			expect(items[0]?.json).toMatchObject({ records: 1 });
			const none = await find(org, list, [['__proto__', 'equals', 1]], { output: 'file' });
			expect(none.error?.message).toContain('which none of the 250 records read has');
			expect(none.items).toEqual([]);
		} finally {
			await binaryData.stop();
		}
	});

	test.each<[Row, string]>([
		[['id', 'equals', '={{ { a: 1 } }}'], 'value 1" is not text'],
		[['id', 'contains', '={{ $json.nope }}@example.com'], 'value 1" has a part that returns nothing'],
		[['={{ $json.nope }}', 'notEmpty'], 'field 1" is an expression that returns nothing'],
		[['id', 'equals', '={{ $json.nope }}'], 'value 1" is an expression that returns nothing'],
		[['id', 'after', '={{ $json.nope }}'], 'value 1" is an expression that returns nothing'],
	])('rejects %j before anything is sent', async (row, message) => {
		const org = await organization();
		const { error, items, requests } = await find(org, list, [row]);
		expect(error?.message).toBe(`"Only Records That Match, ${message}`);
		expect(error?.description).not.toBe('');
		expect([items, requests]).toEqual([[], 0]);
	});

	test('lists the fields of real records, those inside others too', async () => {
		const org = await filled({ 'lead-shape': 'nested' });
		const records = await all(org, list);
		const listed = await fieldsOf(list.type, list.operation, org.credential, 'conditions');
		const found = listed.filter(({ description }) => !description?.startsWith('In 0 ')).map(({ value }) => value);
		expect(found.toSorted()).toEqual([...new Set(records.slice(0, 50).flatMap(pathsIn))].toSorted());
		if (list === LEAD_LIST) expect(found).toContain('contact.email');
	});
});

const SHAPES: Switches[] = (['flat', 'nested', 'handle', 'bare'] as const).flatMap((shape) =>
	(['text', 'numeric-text', 'number', 'unicode'] as const).map((kind) => ({
		'lead-shape': shape,
		'lead-id-kind': kind,
	})),
);

describe.each(SHAPES)('leads of the shape $lead-shape with IDs as $lead-id-kind', (switches) => {
	test('are found by each of their fields', async () => {
		const org = await filled(switches);
		const leads = await all(org, LEAD_LIST);
		const lead = leads[249] as IDataObject;
		for (const path of pathsIn(lead)) {
			const [value] = valuesAt(lead, path) ?? [];
			if (typeof value === 'object') continue;
			const { records } = await find(org, LEAD_LIST, [[path, 'equals', value]]);
			expect(records).toContainEqual(lead);
			expect(records).toEqual(leads.filter((other) => valuesAt(other, path)?.[0] === value));
		}
	});
});

describe('what is compared', () => {
	test('numbers and times of transactions', async () => {
		const org = await filled({ 'timestamp-format': 'offset' });
		const transactions = (await all(org, TRANSACTION_LIST)) as Array<{ amount: number; occurred_at: string }>;
		const { amount, occurred_at: at } = transactions[100]!;
		const greater = await find(org, TRANSACTION_LIST, [['amount', 'gt', `${amount}.00`]]);
		expect(greater.records).toEqual(transactions.filter((other) => other.amount > amount));
		const less = await find(org, TRANSACTION_LIST, [['amount', 'lt', amount]]);
		expect(less.records).toEqual(transactions.filter((other) => other.amount < amount));
		const after = await find(org, TRANSACTION_LIST, [['occurred_at', 'after', at]]);
		expect(after.records).toEqual(transactions.filter((other) => Date.parse(other.occurred_at) > Date.parse(at)));
		const before = await find(org, TRANSACTION_LIST, [['occurred_at', 'before', `={{ $now.minus({ days: 7 }) }}`]]);
		const week = Date.now() - 7 * 86_400_000;
		expect(before.records).toEqual(transactions.filter((other) => Date.parse(other.occurred_at) < week));
		expect(before.records.length).toBeGreaterThan(0);
	});

	test('fields that are empty, and a hint when none can be anything else', async () => {
		const org = await filled();
		const leads = await all(org, LEAD_LIST);
		const empty = await find(org, LEAD_LIST, [['phone', 'empty']]);
		expect(empty.records).toEqual(leads.filter(({ phone }) => phone === null));
		expect(empty.hints).toEqual([]);
		const full = await find(org, LEAD_LIST, [['phone', 'notEmpty']]);
		expect(full.records).toEqual(leads.filter(({ phone }) => phone !== null));
		const typo = await find(org, LEAD_LIST, [['phon', 'empty']]);
		expect(typo.records).toHaveLength(RECORDS);
		expect(typo.hints).toEqual([expect.stringContaining('No lead read has "phon", so "Is Empty" holds for all')]);
	});

	test('lists, objects, and values that look alike', async () => {
		const org = await organization();
		const data = [
			{ id: 1, tags: ['New', 'VIP'], deals: [{ sum: '12345678901234567890' }] },
			{ id: 2, tags: [], deals: [{ sum: '12345678901234567891' }] },
			{ id: 3, 'a.b': 'x', a: { b: 'y' }, deals: {} },
		];
		const idsOf = async (row: Row) => {
			await org.meets(pageResponse(data));
			const { records, error } = await find(org, LEAD_LIST, [row]);
			return error?.message ?? records.map(({ id }) => id);
		};
		expect(await idsOf(['tags', 'equals', 'vip'])).toEqual([1]);
		expect(await idsOf(['tags', 'empty'])).toEqual([2, 3]);
		expect(await idsOf(['deals.sum', 'gt', '12345678901234567890'])).toEqual([2]);
		expect(await idsOf(['a.b', 'equals', 'x'])).toEqual([3]);
		expect(await idsOf(['a.b', 'equals', 'y'])).toEqual([]);
		expect(await idsOf(['tags', 'gt', 1])).toContain('cannot compare record 1, whose field "tags" is not a number');
	});
});

test('the node says below its name that it searches', () => {
	expect(NODES[ownType('listLeads')]?.description.subtitle).toContain('that match');
});
