import type { INodeParameters } from 'n8n-workflow';
import { SWITCHES } from '../../sandbox/src/switches.ts';
import { LEAD_LIST, TRANSACTION_LIST } from '../support/engine/lists.ts';
import { runFor, succeeded } from '../support/engine/runNode.ts';
import { control, organization, withoutBackoff } from '../support/service.ts';

withoutBackoff();

const all: INodeParameters = { returnAll: true };
const ids = (items: Array<{ json: { id?: unknown } }>) => items.map(({ json }) => json.id);

describe('paging through a list', () => {
	test('reads every lead once, in the order of the service', async () => {
		const org = await organization({ leads: 250 });
		const { items } = await succeeded(runFor(org, 'listLeads', all));
		expect(new Set(ids(items)).size).toBe(250);
		const journal = await org.journal();
		expect(journal.map(({ method, path }) => `${method} ${path}`)).toEqual(Array(3).fill('GET /v1/leads/'));
	});

	test('sends no cursor first, and then the cursor unchanged and nothing else', async () => {
		const org = await organization({ leads: 101 });
		await org.meets({ action: 'next_cursor', value: 'a+b/c=d&e%20f é', match: { page: 1 } });
		await runFor(org, 'listLeads', all);
		const [first, second] = await org.journal();
		expect(first?.query).toEqual({ page_size: '100' });
		expect(second?.query).toEqual({ page_size: '100', cursor: 'a+b/c=d&e%20f é' });
		expect(second?.headers).toMatchObject({ accept: 'application/json' });
		expect(second?.body).toBeNull();
	});

	test('an empty list returns no items and no error', async () => {
		const org = await organization();
		const { items } = await succeeded(runFor(org, 'listLeads', all));
		expect(items).toEqual([]);
	});

	test('a scroll that moved on without its response arriving is an error: a page would be missing', async () => {
		const org = await organization({ leads: 450, switches: { cursors: 'scroll' } });
		for (const page of [2, 3, 5]) {
			await org.meets({ action: 'reset', when: 'after', match: { page } });
			const { items, error } = await runFor(org, 'listLeads', all);
			expect(items).toEqual([]);
			expect(error?.message).toContain(`(page ${page}, after ${(page - 1) * 100} records had been read)`);
		}
	});

	test.each([
		{ ...LEAD_LIST, records: 150 },
		{ ...LEAD_LIST, records: 250 },
		{ ...LEAD_LIST, records: 300 },
		{ ...TRANSACTION_LIST, records: 250 },
	])(
		'$type: so it is in a scroll of $records records, whose second page is lost and the last one, or none, comes in its place',
		async ({ type, operation, records }) => {
			const org = await organization({ leads: records, transactions: records, switches: { cursors: 'scroll' } });
			await org.meets({ action: 'reset', when: 'after', match: { page: 2 } });
			const { items, error } = await runFor(org, type, { operation, ...all });
			expect(items).toEqual([]);
			expect(error?.message).toContain('so a page may be missing (page 2, after 100 records had been read)');
			// The service did nothing wrong.
			expect(error?.description).toMatch(/^A failed attempt may have taken the page: run the node again\. Nothing was/);
		},
	);

	test.each(SWITCHES.cursors.values.filter((cursors) => cursors !== 'scroll'))(
		'a second page that is the last is complete after a lost response: %s',
		async (cursors) => {
			const org = await organization({ leads: 150, switches: { cursors } });
			await org.meets({ action: 'reset', when: 'after', match: { page: 2 } });
			const { items } = await succeeded(runFor(org, 'listLeads', all));
			expect(new Set(ids(items)).size).toBe(150);
		},
	);

	test.each([1, 2, 3])('a scroll under a rate limit at page %i is complete', async (page) => {
		const org = await organization({ leads: 450, switches: { cursors: 'scroll' } });
		await org.meets({ action: 'status', status: 429, headers: { 'retry-after': '0' }, times: 2, match: { page } });
		const { items } = await succeeded(runFor(org, 'listLeads', all));
		expect(new Set(ids(items)).size).toBe(450);
	});

	test.each(['400', '404', '409'] as const)(
		'an expired cursor, rejected with %s, is an error that says how far it came',
		async (status) => {
			const org = await organization({ leads: 300, switches: { 'cursor-rejection': status } });
			await org.meets({ action: 'expire_cursor', match: { page: 3 } });
			const { items, error } = await runFor(org, 'listLeads', all);
			expect(items).toEqual([]);
			expect(error?.message).toContain('(page 3, after 200 records had been read)');
			expect(error?.description).toContain('may no longer accept the cursor');
			expect(error?.description).toContain('Nothing was output');
			expect(error?.httpCode).toBe(status);
			// It never starts over by itself.
			expect((await org.journal()).filter(({ query }) => query.cursor === undefined)).toHaveLength(1);
		},
	);
});

describe.each([
	['listLeads', {}],
	['getRevenue', { operation: 'getTransactions' }],
])('%s, whatever is behind a cursor', (type, operation) => {
	const AMOUNT = 1_050;

	test.each(SWITCHES.cursors.values)('%s: Limit n returns exactly the first n records', async (cursors) => {
		const org = await organization({ leads: AMOUNT, transactions: AMOUNT });
		const first = async (parameters: INodeParameters) => {
			const { items, error } = await runFor(org, type, { ...operation, ...parameters });
			return error?.message ?? ids(items);
		};
		const list = await first(all);
		expect(new Set(list).size).toBe(AMOUNT);
		await control.changeOrganization(org.id, { switches: { cursors } });
		for (const limit of [1, 99, 100, 101, 250, 1_000]) {
			expect([limit, await first({ limit })]).toEqual([limit, list.slice(0, limit)]);
		}
		expect(await first(all)).toEqual(list);
	});
});

describe('in any order and shape', () => {
	const orders = ['ascending', 'descending', 'shuffled'] as const;
	const shapes = ['flat', 'nested', 'handle', 'bare'] as const;
	test.each(orders.flatMap((order) => shapes.map((shape) => [order, shape] as const)))(
		'%s %s leads are complete',
		async (order, shape) => {
			const org = await organization({ leads: 250, switches: { order: order, 'lead-shape': shape } });
			const { items } = await runFor(org, 'listLeads', all);
			expect(new Set(items.map(({ json }) => JSON.stringify(json))).size).toBe(250);
		},
	);
});
