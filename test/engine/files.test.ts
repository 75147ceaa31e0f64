import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { MANUAL_RECORD_FIELDS, TRANSACTION_FIELDS } from '../../nodes/shared/service/reads.ts';
import { LEAD_LIST, TRANSACTION_LIST } from '../support/engine/lists.ts';
import type { NodeRun } from '../support/engine/runNode.ts';
import { runFor, succeeded } from '../support/engine/runNode.ts';
import { BinaryData } from '../support/files/binaryData.ts';
import { parseCsv } from '../support/files/csv.ts';
import { HOST } from '../support/hostUnderTest.ts';
import type { TestOrganization } from '../support/service.ts';
import { jsonResponse, organization, withoutBackoff } from '../support/service.ts';

withoutBackoff();

let binaryData: BinaryData;
beforeEach(async () => {
	binaryData = await BinaryData.start();
});
afterEach(async () => {
	await binaryData.stop();
});

const LISTS = [
	['listLeads', {}, 'leads'],
	['getRevenue', { operation: 'getTransactions' }, 'transactions'],
	['getRevenue', { operation: 'getManualRecords' }, 'manual-records'],
] as const;

const TRANSACTION = Object.keys(TRANSACTION_FIELDS);
const MANUAL_RECORD = Object.keys(MANUAL_RECORD_FIELDS);

const AMOUNTS = { leads: 250, transactions: 250, manual_records: 250 };

async function run(org: TestOrganization, type: string, parameters: INodeParameters, more: Partial<NodeRun> = {}) {
	return await runFor(org, type, { returnAll: true, output: 'file', ...parameters }, more);
}

/** Returns the items of the same list. */
async function recordsOf(org: TestOrganization, type: string, parameters: INodeParameters): Promise<IDataObject[]> {
	return (await run(org, type, { ...parameters, output: 'raw' })).items.map(({ json }) => json);
}

describe.each(LISTS)('%s %j as a file', (type, operation, name) => {
	test('one item has the whole list as CSV, and says what is in it', async () => {
		const org = await organization(AMOUNTS);
		const before = Date.now();
		const { items } = await succeeded(run(org, type, operation));
		expect(items).toHaveLength(1);
		const [item] = items;
		const text = await binaryData.textOf(item!);
		expect(item?.json).toEqual({
			fileName: `${name}.csv`,
			records: 250,
			bytes: Buffer.byteLength(text),
			readAt: expect.any(String),
		});
		expect(Date.parse(item?.json.readAt as string)).toBeGreaterThanOrEqual(before);
		expect(item?.binary?.data).toMatchObject({ fileName: `${name}.csv`, mimeType: 'text/csv', fileExtension: 'csv' });
		expect(item?.pairedItem).toEqual({ item: 0 });

		const [header, ...lines] = parseCsv(text);
		const columns = header as string[];
		const cell = (value: unknown) => (value === null || value === undefined ? null : String(value));
		expect(lines).toEqual(
			(await recordsOf(org, type, operation)).map((record) => columns.map((column) => cell(record[column]))),
		);
		if ('operation' in operation) {
			expect(columns.slice(0, -1)).toEqual(operation.operation === 'getTransactions' ? TRANSACTION : MANUAL_RECORD);
		}
	});

	test.each(['json', 'jsonl'])('%s has the records as they are', async (fileFormat) => {
		const org = await organization(AMOUNTS);
		const { items } = await run(org, type, { ...operation, fileFormat });
		const text = await binaryData.textOf(items[0]!);
		const parsed = (json: string) => JSON.parse(json) as unknown;
		expect(fileFormat === 'json' ? parsed(text) : text.trimEnd().split('\n').map(parsed)).toEqual(
			await recordsOf(org, type, operation),
		);
		expect(items[0]?.json).toMatchObject({ fileName: `${name}.${fileFormat}`, bytes: Buffer.byteLength(text) });
	});

	test('a list that breaks off gives an error, and leaves no file', async () => {
		const org = await organization(AMOUNTS, { action: 'status', status: 400, match: { page: 3 } });
		const { items, error } = await run(org, type, operation);
		expect(items).toEqual([]);
		expect(error?.message).toContain('(page 3, after 200 records had been read)');
		// n8n 1.x keeps what was written, without a reference, until it deletes the execution.
		const left = await binaryData.files();
		expect(left).toHaveLength(HOST === 'n8n-1' ? 1 : 0);
		for (const file of left) expect(file).toMatch(/workflows\/workflow-under-test\/executions\/execution-/);
	});

	test('every input item gets its own file, in order', async () => {
		const org = await organization(AMOUNTS);
		const parameters = {
			...operation,
			returnAll: false,
			limit: '={{ $json.count }}',
			fileFormat: '={{ $json.format }}',
			fileOptions: { fileName: '={{ $json.name }}', binaryPropertyName: 'list' },
		};
		const input = [
			{ count: 2, format: 'jsonl', name: 'first.jsonl' },
			{ count: 120, format: 'csv', name: 'second' },
		];
		const { items } = await succeeded(run(org, type, parameters, { input }));
		expect(items.map(({ json }) => [json.fileName, json.records])).toEqual([
			['first.jsonl', 2],
			['second', 120],
		]);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
		expect((await binaryData.textOf(items[0]!, 'list')).split('\n')).toHaveLength(3);
		expect(parseCsv(await binaryData.textOf(items[1]!, 'list'))).toHaveLength(121);
	});

	test('with Continue a list that breaks off is an error item without a file; the others have theirs', async () => {
		const org = await organization(AMOUNTS);
		const bad = await organization({ ...AMOUNTS, switches: { 'cursor-rejection': '400' } });
		await bad.meets({ action: 'expire_cursor', match: { page: 2 }, times: -1 });
		const credential = { ...org.credential, apiKey: '={{ $json.key }}' };
		const input = [{ key: bad.keys.full }, { key: org.keys.full }];
		const { items } = await run(org, type, operation, { input, credential, onError: 'continueRegularOutput' });
		expect(items).toHaveLength(2);
		expect(items[0]?.json.error).toContain('page 2');
		expect(items[0]?.binary).toBeUndefined();
		expect(items[1]?.json.records).toBe(250);
		if (HOST !== 'n8n-1') expect(await binaryData.files()).toHaveLength(1);
	});

	test('Retry On Fail writes a new file', async () => {
		const org = await organization(AMOUNTS, { action: 'status', status: 400, match: { page: 2 } });
		const settings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 };
		const { items } = await succeeded(run(org, type, operation, { settings }));
		expect(items[0]?.json.records).toBe(250);
		expect(parseCsv(await binaryData.textOf(items[0]!))).toHaveLength(251);
		if (HOST !== 'n8n-1') expect(await binaryData.files()).toHaveLength(1);
	});

	test('a cancelled execution leaves no file', async () => {
		const org = await organization(AMOUNTS, { action: 'status', status: 429, retry_after: 60, match: { page: 3 } });
		const third = (async () => {
			while ((await org.journal()).length < 3);
		})();
		const { items } = await run(org, type, operation, { cancelAfter: third });
		expect(items).toEqual([]);
		if (HOST !== 'n8n-1') await untilGone();
	});
});

/** n8n does not wait for a node that it has cancelled. */
async function untilGone(): Promise<void> {
	while ((await binaryData.files()).length > 0);
}

test('whole numbers beyond 2^53 keep their digits in every format', async () => {
	const org = await organization({ leads: 1 });
	const body = '{"data":[{"id":9007199254740993,"net":-9007199254740995}],"next_cursor":null}';
	await org.meets(jsonResponse(body, { times: -1 }));
	for (const [fileFormat, text] of [
		['csv', 'id,net,other_fields\r\n9007199254740993,-9007199254740995,\r\n'],
		['jsonl', '{"id":"9007199254740993","net":"-9007199254740995"}\n'],
	] as const) {
		const { items } = await run(org, 'listLeads', { fileFormat });
		expect(await binaryData.textOf(items[0]!)).toBe(text);
	}
});

test('docs/files.md says what a file cannot say', async () => {
	const org = await organization({ leads: 1 });
	const lead = String.raw`{"huge":1e400,"nested":[1e400],"long":12345678901234567890.0,"half":"\ud83d","twice":1,"twice":2}`;
	const body = `{"data":[${lead}],"next_cursor":null}`;
	await org.meets(jsonResponse(body, { times: -1 }));
	for (const [fileFormat, line] of [
		['csv', 'Infinity,[null],12345678901234567000,\ufffd,2,'],
		['jsonl', String.raw`{"huge":null,"nested":[null],"long":12345678901234567000,"half":"\ud83d","twice":2}`],
	] as const) {
		const { items } = await run(org, 'listLeads', { fileFormat });
		expect((await binaryData.textOf(items[0]!)).trimEnd().split(/\r?\n/).at(-1)).toBe(line);
	}
});

test('an empty list is a file without records', async () => {
	const org = await organization();
	const { items } = await run(org, 'getRevenue', { operation: 'getTransactions' });
	expect(items[0]?.json).toMatchObject({ records: 0 });
	expect(await binaryData.textOf(items[0]!)).toBe(`${TRANSACTION.join(',')},other_fields\r\n`);
});

test.each([
	['fileFormat', '={{ "xml" }}', '"File Format" must be CSV, JSON or JSON Lines'],
	['fileOptions', { fileName: '={{ $json.missing }}' }, '"File Name" is an expression that returns nothing'],
	['fileOptions', { binaryPropertyName: ' __proto__ ' }, '"Put Output File in Field" cannot be __proto__'],
])('%s %j is rejected before a request', async (name, value, message) => {
	const org = await organization({ leads: 1, transactions: 1 });
	for (const { type, operation } of [LEAD_LIST, TRANSACTION_LIST]) {
		const { error } = await run(org, type, { operation, [name]: value });
		expect(error?.message).toBe(message);
	}
	expect(await org.journal()).toEqual([]);
});

test('without the file system the file is in the item', async () => {
	await binaryData.stop();
	binaryData = await BinaryData.start('default');
	const org = await organization({ leads: 250 });
	const { items } = await run(org, 'listLeads', {});
	expect(items[0]?.binary?.data?.id).toBeUndefined();
	expect(parseCsv(await binaryData.textOf(items[0]!))).toHaveLength(251);
	await org.meets({ action: 'status', status: 400, match: { page: 3 } });
	const { items: none, error } = await run(org, 'listLeads', {});
	expect([none, error?.message]).toEqual([[], expect.stringContaining('page 3')]);
});
