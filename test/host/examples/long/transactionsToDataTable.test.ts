import { POLL_TIMES } from '../../../../scripts/n8n/workflows.ts';
import { describeExample } from '../../../support/host/exampleRuns.ts';
import { control } from '../../../support/service.ts';

describeExample('transactions-to-data-table', (runs) => {
	beforeEach(async () => {
		await runs.start({});
	});

	// The kind separates this test's transactions from others in the same table.
	const make = async (count: number) =>
		(
			await control.addTransactions(
				runs.org.id,
				Array.from({ length: count }, () => ({ kind: runs.org.id, amount: 1_200, status: 'completed' })),
			)
		).ids.sort();
	const rows = async () => (await runs.rows('lead_revenue_transactions')).filter(({ kind }) => kind === runs.org.id);
	const ids = async () => (await rows()).map(({ transaction_id: id }) => id).sort();

	test('by hand, twice: stores a row with the fields of each transaction, and a changed transaction updates its row', async () => {
		const made = await make(3);
		const { id } = await runs.run();
		expect(await ids()).toEqual(made);
		expect((await rows()).map(({ amount, status }) => ({ amount, status }))).toEqual(
			Array(3).fill({ amount: 1_200, status: 'completed' }),
		);
		await control.changeTransaction(runs.org.id, made[0] as string, { status: 'refunded' });
		await runs.again(id);
		expect(await ids()).toEqual(made);
		expect((await rows()).filter(({ status }) => status === 'refunded').map((row) => row.transaction_id)).toEqual([
			made[0],
		]);
	});

	describe('tables of other names', () => {
		const withTable = async (tableName: string) =>
			await runs.use((node) => {
				node('The table').parameters.tableName = tableName;
			});

		test('several first executions at once: each finds or makes the table', async () => {
			const made = await make(3);
			const table = `at_once_${runs.org.id}`;
			const copies = await Promise.all(Array.from({ length: 14 }, async () => await withTable(table)));
			await Promise.all(copies.map(async (id) => await runs.again(id)));
			const stored = (await runs.rows(table)).map(({ transaction_id: id }) => id);
			expect([...new Set(stored)].sort()).toEqual(made);
		});

		// n8n looks for a table by a part of its name. If it no longer does, the README need not warn.
		test('a table whose name contains that of another one stops the workflow of the other', async () => {
			await make(1);
			const [first, second, third] = [`one_${runs.org.id}`, `two_${runs.org.id}`, `one_${runs.org.id}_b`];
			const id = await withTable(first);
			await runs.again(id);
			await runs.again(await withTable(second));
			await runs.again(id);
			await runs.again(await withTable(third));
			const { error } = await runs.byHand(id);
			expect(error?.message).toContain('already exists');
		});
	});

	test('published: a new transaction gets a row, and a run by hand adds no second one', async () => {
		const id = await runs.use((node) => {
			node('On new transactions').parameters.pollTimes = { item: POLL_TIMES };
		});
		await runs.publish(id);
		const made = await make(2);
		// The table does not exist until the workflow creates it.
		await runs.until('all rows', async () => (await ids().catch(() => [])).length === made.length);
		expect(await ids()).toEqual(made);
		await runs.again(id);
		expect(await ids()).toEqual(made);
		await runs.session.deactivateWorkflow(id);
	});
});
