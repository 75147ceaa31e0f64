import type { Execution } from '../../../../scripts/n8n/session.ts';
import { describeExample, fileOf, json } from '../../../support/host/exampleRuns.ts';
import type { Edit } from '../../../support/host/examples.ts';
import { editTable } from '../../../support/host/examples.ts';
import { control } from '../../../support/service.ts';

const TABLE = 'reconciled_transactions';
const DAY = 86_400_000;
const ago = (days: number) => new Date(Date.now() - days * DAY).toISOString();

describeExample('reconcile-transactions', (runs) => {
	const inTable =
		(value: string, ...names: string[]): Edit =>
		(node) => {
			node('The table').parameters.tableName = value;
			for (const name of names) node(name).parameters.dataTableId = { __rl: true, mode: 'name', value };
		};
	/** Returns what the report says of each transaction that it names. */
	const findings = (execution: Execution) =>
		Object.fromEntries(
			(json(execution, 'Report')[0]?.lines as Array<Record<string, unknown>>).map(
				({ transaction_id: transaction, occurred_at: _at, currency: _currency, ...finding }) => [transaction, finding],
			),
		);
	const rows = async () => await runs.rows(TABLE);

	test('names exactly the missing, the different, the surplus and the doubled row, with amounts, and adds the missing one', async () => {
		await runs.start({});
		const { ids } = await control.addTransactions(runs.org.id, [
			...Array.from({ length: 60 }, (_, index) => ({
				amount: 1_000 + index,
				currency: index % 2 === 0 ? 'EUR' : 'USD',
				occurred_at: ago(1 + (index % 29)),
				...(index % 10 === 0 && { lead_id: null }),
			})),
			// Neither of today nor too old.
			{ occurred_at: ago(0) },
			{ occurred_at: ago(40) },
		]);
		const [gone, altered, twice, lost] = ids as [string, string, string, string];

		// The table is filled by the workflow that keeps it.
		await runs.run(inTable(TABLE), 'transactions-to-data-table');
		const { id, execution } = await runs.run(inTable(TABLE, 'Rows of these days', 'Add them'));
		expect(json(execution, 'Report')).toEqual([
			expect.objectContaining({ compared: 60, missing: 0, different: 0, surplus: 0, twice: 0, lines: [] }),
		]);
		expect(execution.runData['Report file']).toBeUndefined();

		const before = await rows();
		const table = await editTable(runs.session, TABLE);
		const {
			id: _id,
			createdAt: _created,
			updatedAt: _updated,
			...doubled
		} = before.find(({ transaction_id: transaction }) => transaction === twice)!;
		await table.remove(['transaction_id', gone]);
		await table.change(['transaction_id', altered], { amount: 7 });
		await table.change(['transaction_id', lost], { lead_id: 'lead_other', currency: 'CHF' });
		await table.add({ transaction_id: 'txn_surplus', amount: 99, currency: 'EUR', occurred_at: ago(3) });
		await table.add(doubled);

		const standing = {
			[altered]: { finding: 'different', amount_service: 1_001, amount_table: 7, differs: 'amount' },
			[lost]: { finding: 'different', amount_service: 1_003, amount_table: 1_003, differs: 'currency, lead_id' },
			[twice]: { finding: 'twice', amount_service: 1_002, amount_table: 1_002, differs: '' },
			txn_surplus: { finding: 'surplus', amount_service: null, amount_table: 99, differs: '' },
		};
		const missing = { [gone]: { finding: 'missing', amount_service: 1_000, amount_table: null, differs: '' } };
		const first = await runs.again(id);
		expect(findings(first)).toEqual({ ...standing, ...missing });
		const { name, text } = await fileOf(runs.host, first, 'Report file');
		expect(name).toMatch(/^reconciliation-\d{4}-\d\d-\d\d\.csv$/);
		expect(text.trim().split('\n')).toHaveLength(1 + 5);
		expect(text).toContain(`different,${altered},`);

		// However the service writes times, and whatever its dates compare, the comparison is the same.
		await control.changeOrganization(runs.org.id, {
			switches: {
				'timestamp-format': 'offset',
				'date-compares': 'created_at',
				'date-bound': 'exclusive',
				order: 'shuffled',
			},
		});
		await runs.org.meets({ action: 'duplicate_page', skip: 0 });
		expect(findings(await runs.again(id))).toEqual(standing);

		// Only the missing row was added; the others stay as they were.
		const restored = (await rows()).filter(({ transaction_id: transaction }) => transaction === gone);
		const plain = ({ id: _row, createdAt: _at, updatedAt: _to, ...row }: Record<string, unknown>) => row;
		expect(restored.map(plain)).toEqual(
			before.filter(({ transaction_id: transaction }) => transaction === gone).map(plain),
		);
		expect((await rows()).length).toBe(before.length + 2);
	});

	test('an empty service and an empty table are a report without findings', async () => {
		await runs.start({});
		const { execution } = await runs.run(inTable('reconciled_nothing', 'Rows of these days', 'Add them'));
		expect(json(execution, 'Report')).toEqual([
			expect.objectContaining({ compared: 0, missing: 0, different: 0, surplus: 0, twice: 0, lines: [] }),
		]);
	});
});
