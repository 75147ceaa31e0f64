import type { Credential } from '../../scripts/n8n/session.ts';
import { tableRows, useExample } from '../support/examples';
import { HOST } from '../support/hostUnderTest.ts';
import { N8nHost } from '../support/n8nHost.ts';
import { POLL_EVERY_S } from '../support/polling';
import type { TestOrganization } from '../support/service';
import { control, organization } from '../support/service';

jest.setTimeout(240_000);

const EXAMPLE = 'transactions-to-data-table';
const WITHIN_MS = 60_000;

// Its Data Table nodes are in a version that n8n 1.x does not have.
const onN8n2 = HOST === 'n8n-2' ? describe : describe.skip;

onN8n2(`${EXAMPLE}, imported into n8n and run${HOST === 'n8n-2' ? '' : ' [skipped: it is made for n8n 2.x]'}`, () => {
	let host: N8nHost;
	let org: TestOrganization;
	let credential: Credential;

	beforeAll(async () => {
		host = await N8nHost.shared();
	});

	beforeEach(async () => {
		org = await organization();
		credential = await host.session.createCredential('examples', 'leadRevenueApi', org.credential);
	});

	// The kind tells the transactions of this test from those of others in the same table.
	const make = async (count: number) =>
		(await control.addTransactions(org.id, Array.from({ length: count }, () => ({ kind: org.id, amount: 1_200, status: 'completed' })))).ids.sort();
	const rows = async () => (await tableRows(host.session, 'lead_revenue_transactions')).filter(({ kind }) => kind === org.id);
	const ids = async () => (await rows()).map(({ transaction_id: id }) => id).sort();

	async function runByHand(id: string): Promise<void> {
		expect((await host.session.runWorkflow(id, 'Run by hand')).error).toBeUndefined();
	}

	test('by hand, twice: a row for each transaction with its fields, and one that changed changes its row', async () => {
		const made = await make(3);
		const { id } = await useExample(host.session, EXAMPLE, credential);
		await runByHand(id);
		expect(await ids()).toEqual(made);
		expect((await rows()).map(({ amount, status }) => ({ amount, status }))).toEqual(Array(3).fill({ amount: 1_200, status: 'completed' }));
		await control.changeTransaction(org.id, made[0] as string, { status: 'refunded' });
		await runByHand(id);
		expect(await ids()).toEqual(made);
		expect((await rows()).filter(({ status }) => status === 'refunded').map((row) => row.transaction_id)).toEqual([made[0]]);
	});

	test('published: a transaction that comes in gets a row, and run by hand no second one', async () => {
		const { id } = await useExample(host.session, EXAMPLE, credential, (node) => {
			const times = Array.from({ length: 60 / POLL_EVERY_S }, (_, index) => `${index * POLL_EVERY_S} * * * * *`);
			node('On new transactions').parameters.pollTimes = { item: times.map((cronExpression) => ({ mode: 'custom', cronExpression })) };
		});
		await host.session.publishWorkflow(id);
		const deadline = Date.now() + WITHIN_MS;
		const until = async (done: () => Promise<boolean>) => {
			while (!(await done()) && Date.now() < deadline) await host.session.workflow(id);
		};
		// What is there by the end of the first poll is old; the second one comes after that end.
		await until(async () => (await org.journal()).filter(({ query }) => query.updated_since !== undefined).length > 1);
		const made = await make(2);
		// No table before the workflow has made it.
		await until(async () => (await ids().catch(() => [])).length === made.length);
		expect(await ids()).toEqual(made);
		await runByHand(id);
		expect(await ids()).toEqual(made);
		await host.session.request('POST', `/rest/workflows/${id}/deactivate`);
	});
});
