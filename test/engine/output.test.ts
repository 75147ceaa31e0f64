import { CredentialTestContext } from 'n8n-core';
import type { IDataObject, INodeParameters, INodePropertyOptions } from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';
import { filled, LEAD_LIST, LISTS, MANUAL_RECORD_LIST, RECORDS, TRANSACTION_LIST } from '../support/engine/lists.ts';
import { NODES, nodeTypes, ownType } from '../support/engine/n8nParts.ts';
import type { NodeRun } from '../support/engine/runNode.ts';
import { fieldsOf, runFor, succeeded } from '../support/engine/runNode.ts';
import type { TestOrganization } from '../support/service.ts';
import { organization, pageResponse, withoutBackoff } from '../support/service.ts';

withoutBackoff();

async function run(
	org: TestOrganization,
	{ type, operation }: typeof LEAD_LIST,
	parameters: INodeParameters,
	more: Partial<NodeRun> = {},
) {
	const outcome = await runFor(org, type, { operation, returnAll: true, ...parameters }, more);
	const { items, hints } = outcome;
	return { ...outcome, records: items.map(({ json }) => json), hints: hints.map(({ message }) => message) };
}

/** These fields of a record, as far as it has them. */
const only = (names: string[], record: IDataObject) =>
	Object.fromEntries(Object.entries(record).filter(([name]) => names.includes(name)));

const namesIn = (records: IDataObject[]) => [...new Set(records.flatMap((record) => Object.keys(record)))];

describe.each(LISTS)('Output of $operation', (list) => {
	test('is Raw in a workflow that was saved without it, and loses nothing', async () => {
		const org = await filled();
		const before = await run(org, list, {});
		const raw = await run(org, list, { output: 'raw' });
		expect(before.records).toHaveLength(RECORDS);
		expect(raw.records).toEqual(before.records);
	});

	test('Selected Fields returns the ID and the chosen fields of every page, linked to their input item', async () => {
		const org = await filled();
		const { records: raw } = await run(org, list, {});
		const chosen = namesIn(raw).slice(-2);
		const { items, records, hints } = await run(org, list, { output: 'selectedFields', fields: chosen });
		expect(records).toEqual(raw.map((record) => only(['id', ...chosen], record)));
		expect(items.every(({ pairedItem }) => JSON.stringify(pairedItem) === '{"item":0}')).toBe(true);
		expect(hints).toEqual([]);
		expect(await org.journal()).toHaveLength(6);
	});

	const CHOSEN = ['=status, stage', '={{ "status,stage" }}', '={{ ["status", "stage"] }}', '={{ $json.wanted }}'];
	test.each(CHOSEN)('names as the expression %s', async (fields) => {
		const org = await filled();
		const { records: raw } = await run(org, list, {});
		const parameters = { output: 'selectedFields', fields };
		const { records } = await run(org, list, parameters, { input: [{ wanted: ['status', 'stage'] }] });
		expect(records).toEqual(raw.map((record) => only(['id', 'status', 'stage'], record)));
	});

	test('each input item selects its own', async () => {
		const org = await organization({ leads: 1, transactions: 1, manual_records: 1 });
		const parameters = { output: '={{ $json.output }}', fields: '={{ $json.fields }}' };
		const input = [{ output: 'selectedFields', fields: ['id'] }, { output: 'raw' }];
		const { records } = await run(org, list, parameters, { input });
		expect(Object.keys(records[0]!)).toEqual(['id']);
		expect(Object.keys(records[1]!).length).toBeGreaterThan(5);
	});

	test.each<[INodeParameters, string]>([
		[{ output: '={{ $json.nope }}' }, 'Output'],
		[{ output: 'selectedFields', fields: '={{ $json.nope }}' }, 'Fields'],
		[{ output: 'selectedFields', fields: '={{ [] }}' }, 'Fields'],
		[{ output: 'selectedFields', fields: ['id', '={{ $json.nope }}'] }, 'Fields'],
	])('rejects %j before anything is sent', async (parameters, name) => {
		const org = await organization();
		const { error, items } = await run(org, list, parameters);
		expect(error?.message).toBe(`"${name}" is an expression that returns nothing`);
		expect(error?.description).toContain('misspelled');
		expect(items).toEqual([]);
		expect(await org.journal()).toEqual([]);
	});

	test('lists the fields of a few real records, in one request', async () => {
		const org = await filled();
		const fields = await fieldsOf(list.type, list.operation, org.credential);
		const { records } = await run(org, list, { returnAll: false, limit: 50 });
		const found = fields.filter(({ description }) => !description?.startsWith('In 0 '));
		expect(found.map(({ value }) => value).toSorted()).toEqual(namesIn(records).toSorted());
		expect(fields[0]).toEqual({ name: 'id', value: 'id', description: 'In 50 of the 50 records read' });
		const [entry] = await org.journal();
		expect(entry?.query).toEqual({ page_size: '50' });
	});

	test('lists no field that n8n would run, that is blank, nor more than 500', async () => {
		const org = await organization();
		const names = ['=$env.SECRET', ' ', '', ' a', 'a', ...Array.from({ length: 600 }, (_, i) => `field ${i}`)];
		await org.meets(pageResponse([Object.fromEntries(names.map((name) => [name, 1]))]));
		const fields = (await fieldsOf(list.type, list.operation, org.credential)).map(({ value }) => value);
		expect(fields).toHaveLength(500);
		expect(fields).toContain('a');
		for (const name of names.slice(0, 4)) expect(fields).not.toContain(name);
	});

	test('says why the fields cannot be listed', async () => {
		const org = await organization();
		const credential = { ...org.credential, apiKey: org.keys.revoked };
		await expect(fieldsOf(list.type, list.operation, credential)).rejects.toMatchObject({
			name: 'NodeOperationError',
			message: expect.stringMatching(/^The service rejected the API key.*enter a valid key.*Request ID: req_/s),
		});
	});
});

describe('Simplified', () => {
	test.each([
		[
			TRANSACTION_LIST,
			['id', 'lead_id', 'kind', 'status', 'product_name', 'currency', 'amount', 'net', 'occurred_at'],
			['provider', 'fee'],
		],
		[
			MANUAL_RECORD_LIST,
			['id', 'lead_id', 'amount', 'status', 'due_at', 'paid_at'],
			['payment_type', 'installment_counter'],
		],
	])('%j has %j, not %j', async (list, kept, dropped) => {
		const org = await filled();
		const { records: raw } = await run(org, list, {});
		expect(namesIn(raw).toSorted()).toEqual([...kept, ...dropped].toSorted());
		const { records, hints } = await run(org, list, { output: 'simplified' });
		expect(records).toEqual(raw.map((record) => only(kept, record)));
		expect(hints).toEqual([]);
	});

	test('is not for leads', async () => {
		const org = await organization({ leads: 1 });
		const { error } = await run(org, LEAD_LIST, { output: 'simplified' });
		expect(error?.message).toBe('"Output" has a value that this node does not know');
		expect(error?.description).toBe('It is "simplified". Choose one of raw, selectedFields, file.');
	});
});

describe('a selected field that no record has', () => {
	const message =
		'No lead has the selected field "Email". Check the spelling in "Fields": upper and lower case differ, and a field inside another one cannot be selected.';

	test('is absent, and List Leads says so in one hint, for all input items', async () => {
		const org = await organization({ leads: 120 });
		const chosen = { output: 'selectedFields', fields: ['Email', 'email'] };
		const { records, hints } = await succeeded(run(org, LEAD_LIST, chosen, { input: [{}, {}, {}] }));
		expect(new Set(records.map((record) => Object.keys(record).join()))).toEqual(new Set(['id,email']));
		expect(hints).toEqual([message]);
	});

	test('is quoted without HTML, which the editor would show as such', async () => {
		const org = await organization({ leads: 1 });
		const fields = ['<a href=https://elsewhere.example>Sign in</a>'];
		const { hints } = await run(org, LEAD_LIST, { output: 'selectedFields', fields });
		expect(hints[0]).toContain('"‹a href=https://elsewhere.example>Sign in‹/a>"');
	});

	test('Get Revenue says so in the log of n8n', async () => {
		const { logger } = new CredentialTestContext({} as never);
		const warn = jest.spyOn(logger, 'warn');
		const org = await organization({ transactions: 2 });
		const { records } = await run(org, TRANSACTION_LIST, { output: 'selectedFields', fields: ['Email', 'amount'] });
		expect(Object.keys(records[0]!)).toEqual(['id', 'amount']);
		expect(warn.mock.calls).toEqual([[`Node: ${message.replace('lead', 'record')}`]]);
	});

	/** Whether the editor shows a hint, decided as it does. */
	function isHintShown(parameters: INodeParameters): unknown {
		const node = {
			id: '1',
			name: 'Node',
			type: ownType('getRevenue'),
			typeVersion: 1,
			position: [0, 0] as [number, number],
			parameters,
		};
		const workflow = new Workflow({ nodes: [node], connections: {}, active: false, nodeTypes });
		const { displayCondition } = NODES[node.type]!.description.hints![0]!;
		return workflow.expression.getSimpleParameterValue(node, displayCondition!, 'internal', {});
	}

	test.each<[INodeParameters, boolean]>([
		[{ operation: 'getTransactions', output: 'selectedFields', fields: ['amount', 'net'] }, false],
		[{ operation: 'getTransactions', output: 'selectedFields', fields: ['amount', 'paid_at'] }, true],
		[{ operation: 'getManualRecords', output: 'selectedFields', fields: ['amount', 'paid_at'] }, false],
		[{ operation: 'getManualRecords', output: 'selectedFields', fields: '={{ "amount, paid_at" }}' }, false],
		[{ operation: 'getManualRecords', output: 'selectedFields', fields: '=amount, Paid_at' }, true],
		[{ operation: 'getTransactions', output: 'selectedFields', fields: [] }, false],
		[{ operation: 'getTransactions', output: 'simplified', fields: ['nope'] }, false],
		[{ operation: 'getTransactions' }, false],
		[{}, false],
	])('the editor warns of one that is not documented, before the run: %j: %s', (parameters, expected) => {
		expect(isHintShown(parameters)).toBe(expected);
	});
});

test('fields that the service does not document can be selected, and are listed after the documented ones', async () => {
	const org = await organization({}, pageResponse([{ note: 'x', amount: 1 }], { times: 2 }));
	const fields = await fieldsOf('getRevenue', 'getTransactions', org.credential);
	expect(fields.at(-1)).toEqual({ name: 'note', value: 'note', description: 'In 1 of the 1 records read' });
	expect(fields.find(({ value }) => value === 'fee')?.description).toBe('In 0 of the 1 records read');
	const { records } = await run(org, TRANSACTION_LIST, { output: 'selectedFields', fields: ['note'] });
	expect(records).toEqual([{ note: 'x' }]);
});

test('the documented fields can be chosen before there is a record', async () => {
	const org = await organization();
	const names = (fields: INodePropertyOptions[]) => fields.map(({ value }) => value);
	expect(names(await fieldsOf('getRevenue', 'getManualRecords', org.credential))).toEqual([
		...['id', 'lead_id', 'amount', 'status', 'payment_type', 'installment_counter', 'due_at', 'paid_at'],
	]);
	expect(names(await fieldsOf('listLeads', 'getMany', org.credential))).toEqual([]);
	expect(names(await fieldsOf('getRevenue', 'getSummary', org.credential))).toEqual([]);
});
