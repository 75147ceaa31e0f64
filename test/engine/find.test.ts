import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { fieldsOf, runNode } from '../support/engine/runNode';
import type { NodeRun } from '../support/engine/runNode';
import type { TestOrganization } from '../support/service';
import { control, organization, withoutBackoff } from '../support/service';

withoutBackoff();

const RECORDS = 250;
const PAGES = 3;

const LEADS = { type: 'listLeads', operation: 'getMany' };
const TRANSACTIONS = { type: 'getRevenue', operation: 'getTransactions' };
const MANUAL_RECORDS = { type: 'getRevenue', operation: 'getManualRecords' };
const LISTS = [LEADS, TRANSACTIONS, MANUAL_RECORDS];

const filled = async () => await organization({ leads: RECORDS, transactions: RECORDS, manual_records: RECORDS });

type Row = [field: unknown, condition: string, value?: unknown];

const conditionsOf = (rows: Row[]) =>
	({ all: rows.map(([field, condition, value]) => ({ field, condition, value })) }) as INodeParameters;

/** Runs a list with these conditions on all of it, unless `parameters` say otherwise. */
async function find(
	org: TestOrganization,
	{ type, operation }: typeof LEADS,
	rows: Row[],
	parameters: INodeParameters = {},
	more: Partial<NodeRun> = {},
) {
	const { items, error, run, ...rest } = await runNode({
		type,
		parameters: { operation, returnAll: true, conditions: conditionsOf(rows), ...parameters },
		credential: org.credential,
		...more,
	});
	return {
		...rest,
		items,
		error,
		records: items.map(({ json }) => json),
		requests: (await org.journal()).length,
		hints: run.data.resultData.runData.Node?.[0]?.hints?.map(({ message }) => message) ?? [],
	};
}

/** Every record, in the order of the list. */
async function all(org: TestOrganization, { type, operation }: typeof LEADS): Promise<IDataObject[]> {
	const { items } = await runNode({ type, parameters: { operation, returnAll: true }, credential: org.credential });

	return items.map(({ json }) => json);
}

describe.each(LISTS)('$operation', (list) => {
	test('returns every record that matches, on any page, and no other', async () => {
		const org = await filled();
		const records = await all(org, list);
		const { status } = records[200] ?? {};
		void status;
		const [name, value] = Object.entries(records[200] ?? {}).at(-3) as [string, unknown];
		const found = await find(org, list, [[name, 'equals', value]]);
		expect(found.error).toBeUndefined();
		expect(found.records).toEqual(records.filter((record) => record[name] === value));
	});
});
void fieldsOf;
void PAGES;
