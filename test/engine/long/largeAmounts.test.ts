import type { INodeParameters } from 'n8n-workflow';
import { MAX_ITEMS_PER_INPUT } from '../../../nodes/GetRevenue/operations/operation.ts';
import { runFor, succeeded } from '../../support/engine/runNode.ts';
import { Trigger } from '../../support/engine/trigger.ts';
import { BinaryData } from '../../support/files/binaryData.ts';
import { parseCsv } from '../../support/files/csv.ts';
import type { TestOrganization } from '../../support/service.ts';
import { organization, withoutBackoff } from '../../support/service.ts';
import { MANUAL_RECORDS, TRANSACTIONS } from '../../support/watched.ts';

withoutBackoff();

const TRANSACTIONS_LIST = { operation: 'getTransactions' };

async function run(org: TestOrganization, type: string, parameters: INodeParameters = {}) {
	return await runFor(org, type, { returnAll: true, ...parameters });
}

test('one run of List Leads returns 250,000 leads', async () => {
	const org = await organization({ leads: 250_000 });
	const { items } = await succeeded(run(org, 'listLeads'));
	expect(items).toHaveLength(250_000);
	expect(new Set(items.map(({ json }) => json.id)).size).toBe(250_000);
});

test('Get Revenue: more records than n8n can take are an error that says what to do', async () => {
	const org = await organization({ transactions: MAX_ITEMS_PER_INPUT + 1_000 });
	const { items, error } = await run(org, 'getRevenue', TRANSACTIONS_LIST);
	expect(items).toEqual([]);
	expect(error?.message).toContain('more than 100,000 records');
	expect(error?.description).toContain(
		'Set "Output" to File, which takes any number, or narrow "Date From" and "Date To"',
	);
});

test('Get Revenue: the largest allowed number of records passes', async () => {
	const org = await organization({ transactions: MAX_ITEMS_PER_INPUT });
	const { items } = await succeeded(run(org, 'getRevenue', TRANSACTIONS_LIST));
	expect(items).toHaveLength(MAX_ITEMS_PER_INPUT);
});

test('Get Revenue writes more records than it can output as items', async () => {
	const binaryData = await BinaryData.start();
	const org = await organization({ transactions: 100_100 });
	const { items } = await succeeded(run(org, 'getRevenue', { ...TRANSACTIONS_LIST, output: 'file' }));
	expect(items[0]?.json.records).toBe(100_100);
	const ids = parseCsv(await binaryData.textOf(items[0]!)).map(([id]) => id);
	expect(new Set(ids).size).toBe(100_101);
	await binaryData.stop();
});

test.each([TRANSACTIONS, MANUAL_RECORDS])(
	'$name: a backlog that fills the memory drains over several polls: nothing lost, nothing twice, never more than one poll holds',
	async (watched) => {
		// A larger memory than there is would be needed where no field says which of them are forgotten.
		const total = watched.source.kind.occurredAt === undefined ? 90_000 : 100_000;
		const org = await organization({ ...watched.of(total) });
		let trigger = new Trigger({ watched, ...org, parameters: { startFrom: 'date', startDate: '2000-01-01' } });
		const seen = new Set<unknown>();
		while (seen.size < total) {
			const records = await trigger.poll();
			// How many there are depends on the machine: a poll ends when its time is up.
			expect(records.length).toBeGreaterThan(0);
			expect(records.length).toBeLessThanOrEqual(5_000);
			for (const { id } of records) {
				expect(seen.has(id)).toBe(false);
				seen.add(id);
			}
			// Each poll has only what was saved.
			trigger = trigger.reloaded();
		}
		expect(await trigger.poll()).toEqual([]);
		expect(Buffer.byteLength(JSON.stringify(trigger.state))).toBeLessThan(1_000_000);
	},
);
