import type { INodeParameters } from 'n8n-workflow';
import { SWITCHES } from '../../sandbox/src/switches.ts';
import { runNode } from '../support/engine/runNode';
import { control, organization, withoutBackoff } from '../support/service';

withoutBackoff();

const all: INodeParameters = { returnAll: true };
const ids = (items: Array<{ json: { id?: unknown } }>) => items.map(({ json }) => json.id);

describe('paging through a list', () => {
	test('reads every lead once, in the order of the service', async () => {
		const org = await organization({ leads: 250 });
		const { items, error } = await runNode({ type: 'listLeads', parameters: all, credential: org.credential });
		expect(error).toBeUndefined();
		expect(new Set(ids(items)).size).toBe(250);
		const journal = await org.journal();
		expect(journal.map(({ method, path }) => `${method} ${path}`)).toEqual(Array(3).fill('GET /v1/leads/'));
	});

	test('sends no cursor first, and then the cursor unchanged and nothing else', async () => {
		const org = await organization({ leads: 101 });
		await control.addFaults(org.id, [{ action: 'next_cursor', value: 'a+b/c=d&e%20f é', match: { page: 1 } }]);
		await runNode({ type: 'listLeads', parameters: all, credential: org.credential });
		const [first, second] = await org.journal();
		expect(first?.query).toEqual({ page_size: '100' });
		expect(second?.query).toEqual({ page_size: '100', cursor: 'a+b/c=d&e%20f é' });
		expect(second?.headers).toMatchObject({ accept: 'application/json' });
		expect(second?.body).toBeNull();
	});

	test.each([
		[5, [5], 5],
		[100, [100], 100],
		[150, [100, 100], 150],
		[200, [100, 100], 200],
		[1_000, [100, 100, 100], 250],
	])('limit %i requests pages of %j', async (limit, sizes, count) => {
		const org = await organization({ leads: 250 });
		const parameters = { returnAll: false, limit };
		const { items } = await runNode({ type: 'listLeads', parameters, credential: org.credential });
		expect(items).toHaveLength(count);
		expect((await org.journal()).map(({ query }) => Number(query.page_size))).toEqual(sizes);
	});

	test.each(['listLeads', 'getRevenue'])(
		'%s: Return All from an expression means all, also as text; anything but true or false is rejected',
		async (type) => {
			const org = await organization({ leads: 120, transactions: 120 });
			const run = async (returnAll: string) =>
				await runNode({
					type,
					parameters: { operation: 'getTransactions', returnAll, limit: 3 },
					credential: org.credential,
				});
			expect((await run('={{ "true" }}')).items).toHaveLength(120);
			expect((await run('={{ "false" }}')).items).toHaveLength(3);
			const { items, error } = await run('={{ "yes" }}');
			expect(items).toEqual([]);
			expect(error?.message).toBe('"Return All" must be true or false');
		},
	);

	test('keeps to the limit when the service returns more than requested', async () => {
		const org = await organization({ leads: 30 });
		const body = JSON.stringify({ data: Array.from({ length: 9 }, (_, id) => ({ id })), next_cursor: 'more' });
		await control.addFaults(org.id, [{ action: 'replace', body, content_type: 'application/json' }]);
		const { items } = await runNode({ type: 'listLeads', parameters: { limit: 5 }, credential: org.credential });
		expect(ids(items)).toEqual([0, 1, 2, 3, 4]);
		expect(await org.journal()).toHaveLength(1);
	});

	test('continues after an empty page that has a next one', async () => {
		const org = await organization({ leads: 150 });
		const body = JSON.stringify({ data: [], next_cursor: 'next' });
		await control.addFaults(org.id, [
			{ action: 'replace', body, content_type: 'application/json' },
			{
				action: 'replace',
				body: body.replace('"next"', 'null').replace('[]', '[{"id":"last"}]'),
				content_type: 'application/json',
				status: 200,
			},
		]);
		const { items } = await runNode({ type: 'listLeads', parameters: all, credential: org.credential });
		expect(ids(items)).toEqual(['last']);
	});

	test('an empty list returns no items and no error', async () => {
		const org = await organization();
		const { items, error } = await runNode({ type: 'listLeads', parameters: all, credential: org.credential });
		expect(error).toBeUndefined();
		expect(items).toEqual([]);
	});

	test.each([
		['A, A', ['A'], 2],
		['A, B, A, B', ['A', 'B'], 4],
		['A, B, C, A', ['A', 'B', 'C'], 7],
	])(
		'a page that the service returns again (%s) is an error, not an endless loop',
		async (_name, cursors, requests) => {
			const org = await organization({ leads: 1_000 });
			await control.addFaults(org.id, [{ action: 'repeat_cursor', cursors, times: -1 }]);
			const { items, error } = await runNode({ type: 'listLeads', parameters: all, credential: org.credential });
			expect(items).toEqual([]);
			expect(error?.message).toContain('a page that was already read');
			expect(error?.message).toContain(`after ${(requests - 1) * 100} records had been read`);
			expect(await org.journal()).toHaveLength(requests);
		},
	);

	test('a scroll that moved on without its response arriving is an error: a page would be missing', async () => {
		const org = await organization({ leads: 450, switches: { cursors: 'scroll' } });
		for (const page of [2, 3, 5]) {
			await control.addFaults(org.id, [{ action: 'reset', when: 'after', match: { page } }]);
			const { items, error } = await runNode({ type: 'listLeads', parameters: all, credential: org.credential });
			expect(items).toEqual([]);
			expect(error?.message).toContain(`(page ${page}, after ${(page - 1) * 100} records had been read)`);
		}
	});

	test('a scroll under a rate limit is complete', async () => {
		const org = await organization({ leads: 450, switches: { cursors: 'scroll' } });
		await control.addFaults(org.id, [
			{ action: 'status', status: 429, headers: { 'retry-after': '0' }, skip: 2, times: 2 },
		]);
		const { items, error } = await runNode({ type: 'listLeads', parameters: all, credential: org.credential });
		expect(error).toBeUndefined();
		expect(new Set(ids(items)).size).toBe(450);
	});

	test.each(['400', '404', '409'] as const)(
		'an expired cursor, rejected with %s, stops paging and says how far it came',
		async (status) => {
			const org = await organization({ leads: 300, switches: { 'cursor-rejection': status } });
			await control.addFaults(org.id, [{ action: 'expire_cursor', match: { page: 3 } }]);
			const { items, error } = await runNode({ type: 'listLeads', parameters: all, credential: org.credential });
			expect(items).toEqual([]);
			expect(error?.message).toContain('(page 3, after 200 records had been read)');
			expect(error?.description).toContain('may no longer accept the cursor');
			expect(error?.description).toContain('Nothing was output');
			expect(error?.httpCode).toBe(status);
			// It never starts over by itself.
			expect((await org.journal()).filter(({ query }) => query.cursor === undefined)).toHaveLength(1);
		},
	);

	test('an altered cursor is rejected by the service and reported', async () => {
		const org = await organization({ leads: 300 });
		await control.addFaults(org.id, [{ action: 'next_cursor', value: 'altered' }]);
		const { error } = await runNode({ type: 'listLeads', parameters: all, credential: org.credential });
		expect(error?.message).toContain('(page 2, after 100 records had been read)');
	});

	test.each([
		['no next_cursor', { action: 'next_cursor', omit: true }, /no "next_cursor"/],
		['a next_cursor that is a number', { action: 'next_cursor', value: 7 }, /neither text nor null/],
		['no data', { action: 'drop_field', path: 'data' }, /no "data" array/],
	] as const)('a page with %s breaks the walk', async (_name, fault, problem) => {
		const org = await organization({ leads: 150 });
		await control.addFaults(org.id, [{ ...fault, match: { page: 2 } }]);
		const { items, error } = await runNode({ type: 'listLeads', parameters: all, credential: org.credential });
		expect(items).toEqual([]);
		expect(error?.message).toMatch(problem);
		expect(error?.message).toContain('(page 2, after 100 records had been read)');
		expect(await org.journal()).toHaveLength(2);
	});

	test.each([
		['[]'],
		['"text"'],
		['null'],
		['{"data":[1],"next_cursor":null}'],
		['{"data":[null],"next_cursor":null}'],
		['{"data":{},"next_cursor":null}'],
	])('%s is no page', async (body) => {
		const org = await organization({ leads: 1 });
		await control.addFaults(org.id, [{ action: 'replace', body, content_type: 'application/json' }]);
		const { items, error } = await runNode({ type: 'listLeads', parameters: all, credential: org.credential });
		expect(items).toEqual([]);
		expect(error?.message).toContain('not as documented');
	});
});

describe.each([
	['listLeads', {}],
	['getRevenue', { operation: 'getTransactions' }],
])('%s, whatever is behind a cursor', (type, operation) => {
	const AMOUNT = 1_050;

	test.each(SWITCHES.cursors.values)('%s: Limit n returns exactly the first n records', async (cursors) => {
		const org = await organization({ leads: AMOUNT, transactions: AMOUNT });
		const first = async (parameters: INodeParameters) => {
			const { items, error } = await runNode({
				type,
				parameters: { ...operation, ...parameters },
				credential: org.credential,
			});
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
		'leads %s and %s are complete',
		async (order, shape) => {
			const org = await organization({ leads: 250, switches: { order: order, 'lead-shape': shape } });
			const { items } = await runNode({ type: 'listLeads', parameters: all, credential: org.credential });
			expect(new Set(items.map(({ json }) => JSON.stringify(json))).size).toBe(250);
		},
	);
});

test('one run returns 250,000 leads', async () => {
	const org = await organization({ leads: 250_000 });
	const { items, error } = await runNode({ type: 'listLeads', parameters: all, credential: org.credential });
	expect(error).toBeUndefined();
	expect(items).toHaveLength(250_000);
	expect(new Set(ids(items)).size).toBe(250_000);
});
