import { outputItems } from '../../../../scripts/n8n/session.ts';
import { POLL_TIMES } from '../../../../scripts/n8n/workflows.ts';
import { describeExample, json } from '../../../support/host/exampleRuns.ts';
import { changeNode } from '../../../support/host/workflows.ts';
import { control, pageResponse, records } from '../../../support/service.ts';

describeExample('grant-access-once-per-paid-transaction', (runs) => {
	beforeEach(async () => {
		await runs.start({});
	});

	// The product tells the transactions of this test from those of others in the same table.
	const sell = async (...statuses: string[]) =>
		(
			await control.addTransactions(
				runs.org.id,
				statuses.map((status) => ({ product_name: runs.org.id, kind: 'payment', status })),
			)
		).ids;
	const rows = async () =>
		(await runs.rows('lead_revenue_access')).filter(({ product_name: product }) => product === runs.org.id);
	/** Whether each transaction that has a row was paid, and whether it was refunded. */
	const access = async () =>
		Object.fromEntries((await rows()).map(({ transaction_id: id, paid, refunded }) => [id, [paid, refunded]]));
	const welcomed = (execution: Parameters<typeof json>[0]) =>
		json(execution, 'Welcome').map(({ transaction_id: id }) => id);

	test('by hand: access for what is paid, none for what is not, and none for what was refunded', async () => {
		const [paid, pending, refunded] = await sell('succeeded', 'pending', 'refunded');
		const { id, execution } = await runs.run();
		expect(await access()).toEqual({ [paid!]: [true, null], [refunded!]: [null, true] });
		expect(welcomed(execution)).toEqual([paid]);

		await control.changeTransaction(runs.org.id, pending!, { status: 'succeeded' });
		expect(welcomed(await runs.again(id))).toEqual([pending]);
		expect(welcomed(await runs.again(id))).toEqual([]);
		expect(await access()).toEqual({ [paid!]: [true, null], [pending!]: [true, null], [refunded!]: [null, true] });

		await control.changeTransaction(runs.org.id, paid!, { status: 'refunded' });
		expect(welcomed(await runs.again(id))).toEqual([]);
		expect(await access()).toMatchObject({ [paid!]: [true, true] });
		expect(await rows()).toHaveLength(3);
	});

	test('a transaction that one response has twice, as from a list that changed while it was read, is welcomed once', async () => {
		const [id] = await sell('succeeded');
		const [paid] = await records(runs.org.credential, '/v1/revenue/transactions/');
		await runs.org.meets(pageResponse([paid, paid]));
		const { execution } = await runs.run();
		expect(json(execution, 'Transactions of the last week')).toHaveLength(2);
		expect(welcomed(execution)).toEqual([id]);
		expect(await rows()).toHaveLength(1);
	});

	test('a paid transaction that arrives after its refund, as from a retried execution, gives no access', async () => {
		const [id] = await sell('refunded');
		const { id: workflow } = await runs.run();
		await control.changeTransaction(runs.org.id, id!, { status: 'succeeded' });
		await runs.again(workflow);
		expect(await access()).toEqual({ [id!]: [true, true] });
	});

	test('access is granted and taken back also when the welcome fails, and retrying sends what is missing', async () => {
		const [refunded, paid] = await sell('refunded', 'succeeded');
		const id = await runs.use((node) => {
			Object.assign(node('Welcome'), {
				type: 'n8n-nodes-base.stopAndError',
				parameters: { errorMessage: 'The mail server is down' },
			});
		});
		const failed = await runs.byHand(id);
		expect(failed.error?.message).toBe('The mail server is down');
		expect(await access()).toEqual({ [refunded!]: [null, true], [paid!]: [true, null] });
		await changeNode(runs.session, id, 'Welcome', (node) => {
			return { ...node, type: 'n8n-nodes-base.noOp', parameters: {} };
		});
		expect(welcomed(await runs.session.runRetry(failed.id, { loadWorkflow: true }))).toEqual([paid]);
	});

	test('published: granted, changed, refunded and run by hand, a transaction is welcomed once', async () => {
		const { session } = runs;
		const id = await runs.use((node) => {
			node('On new or updated transactions').parameters.pollTimes = { item: POLL_TIMES };
		});
		await runs.publish(id);
		const executions = async () => {
			const filter = encodeURIComponent(JSON.stringify({ workflowId: id, status: ['success', 'error'] }));
			const { results } = (await session.request('GET', `/rest/executions?filter=${filter}&limit=100`)) as {
				results: Array<{ id: string }>;
			};
			return await Promise.all(results.map(async (execution) => await session.execution(execution.id)));
		};
		const welcomes = async () => (await executions()).flatMap(welcomed);
		const arrived = async (event: string) =>
			(await executions())
				.flatMap((execution) => outputItems(execution, 'On new or updated transactions'))
				.filter(({ json: transaction }) => transaction.event === event).length;
		const [paid] = await sell('succeeded');
		await runs.until('1 new', async () => (await arrived('new')) === 1);
		expect(await access()).toEqual({ [paid!]: [true, null] });
		await control.changeTransaction(runs.org.id, paid!, { fee: 7 });
		await runs.until('1 updated', async () => (await arrived('updated')) === 1);
		await control.changeTransaction(runs.org.id, paid!, { status: 'refunded' });
		await runs.until('2 updated', async () => (await arrived('updated')) === 2);
		expect(await access()).toEqual({ [paid!]: [true, true] });
		await runs.again(id);
		expect(await welcomes()).toEqual([paid]);
		expect(await rows()).toHaveLength(1);
		await session.deactivateWorkflow(id);
	});
});
