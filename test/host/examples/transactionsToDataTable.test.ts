import { describeExample } from '../../support/host/exampleRuns';
import { tableRows, useExample } from '../../support/host/examples';
import { POLL_EVERY_S } from '../../support/host/polling';
import { control } from '../../support/service';

const EXAMPLE = 'transactions-to-data-table';
const WITHIN_MS = 300_000;

describeExample(EXAMPLE, (runs) => {
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
	const rows = async () =>
		(await tableRows(runs.host.session, 'lead_revenue_transactions')).filter(({ kind }) => kind === runs.org.id);
	const ids = async () => (await rows()).map(({ transaction_id: id }) => id).sort();

	test('by hand, twice: stores a row with the fields of each transaction, and a changed transaction updates its row', async () => {
		const made = await make(3);
		const { id } = await useExample(runs.host.session, EXAMPLE, runs.credential);
		await runs.again(id);
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

	test('published: a new transaction gets a row, and a run by hand adds no second one', async () => {
		const { id } = await useExample(runs.host.session, EXAMPLE, runs.credential, (node) => {
			const times = Array.from({ length: 60 / POLL_EVERY_S }, (_, index) => `${index * POLL_EVERY_S} * * * * *`);
			node('On new transactions').parameters.pollTimes = {
				item: times.map((cronExpression) => ({ mode: 'custom', cronExpression })),
			};
		});
		await runs.host.session.publishWorkflow(id);
		const deadline = Date.now() + WITHIN_MS;
		const until = async (done: () => Promise<boolean>) => {
			while (!(await done()) && Date.now() < deadline) await runs.host.session.workflow(id);
		};
		// The first poll emits no transaction that exists when it ends; a second poll shows that it has ended.
		await until(
			async () => (await runs.org.journal()).filter(({ query }) => query.updated_since !== undefined).length > 1,
		);
		const made = await make(2);
		// The table does not exist until the workflow creates it.
		await until(async () => (await ids().catch(() => [])).length === made.length);
		expect(await ids()).toEqual(made);
		await runs.again(id);
		expect(await ids()).toEqual(made);
		await runs.host.session.request('POST', `/rest/workflows/${id}/deactivate`);
	});
});
