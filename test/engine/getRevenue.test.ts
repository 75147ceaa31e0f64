import { createServer } from 'node:http';
import type { INodeParameters } from 'n8n-workflow';
import { transportOf } from '../../nodes/GetRevenue/getRevenue.ts';
import { OPERATIONS } from '../../nodes/GetRevenue/operations/index.ts';
import { listen } from '../../scripts/lib/listen.ts';
import { LEAD_LIST, TRANSACTION_LIST } from '../support/engine/lists.ts';
import type { NodeRun } from '../support/engine/runNode.ts';
import { runFor, runNode, succeeded } from '../support/engine/runNode.ts';
import { rejectedInVain } from '../support/engine/writes.ts';
import type { TestOrganization } from '../support/service.ts';
import { jsonResponse, organization, withoutBackoff } from '../support/service.ts';
import { WATCHED } from '../support/watched.ts';

withoutBackoff();

const run = async (org: TestOrganization, parameters: INodeParameters, more: Partial<NodeRun> = {}) =>
	await runFor(org, 'getRevenue', parameters, more);

const LISTS = [
	['getTransactions', '/v1/revenue/transactions/'],
	['getManualRecords', '/v1/revenue/manual/'],
] as const;

const ALL = { operation: 'getTransactions', returnAll: true };

describe('the operations', () => {
	test('the summary is one item, as the service returns it', async () => {
		const org = await organization({ transactions: 50 });
		const { items } = await succeeded(
			run(org, { operation: 'getSummary', filters: { dateFrom: '2020-01-01', dateTo: '2030-12-31', memberId: 7 } }),
		);
		expect(items).toHaveLength(1);
		expect(items[0]?.json).toMatchObject({
			period: expect.any(Object),
			metrics: { amount: expect.any(Number), by_product: expect.any(Array) },
		});
		const [entry] = await org.journal();
		expect(`${entry?.method} ${entry?.path}`).toBe('GET /v1/revenue/summary/');
		expect(entry?.query).toEqual({ date_from: '2020-01-01', date_to: '2030-12-31', member_id: '7' });
	});

	test.each(LISTS)('%s returns all pages, or up to the limit', async (operation, path) => {
		const org = await organization({ transactions: 230, manual_records: 230 });
		const all = await run(org, { operation, returnAll: true });
		expect(new Set(all.items.map(({ json }) => json.id)).size).toBe(230);
		expect((await run(org, { operation })).items).toHaveLength(50);
		expect((await run(org, { operation, returnAll: false, limit: 120 })).items).toHaveLength(120);
		const journal = await org.journal();
		expect(new Set(journal.map((entry) => entry.path))).toEqual(new Set([path]));
		expect(journal.map(({ query }) => query.page_size)).toEqual(['100', '100', '100', '50', '100', '100']);
	});

	test.each(LISTS)(
		'%s: without dates the service decides how far back it goes, and Date From goes further',
		async (operation) => {
			const org = await organization({ switches: { 'default-period': '30d' } });
			for (const watched of WATCHED) await watched.make(org, 1, watched.at('-60d'));
			for (const watched of WATCHED) await watched.make(org, 1, watched.at('-20d'));
			const listed = async (filters: INodeParameters) =>
				(await run(org, { operation, returnAll: true, filters })).items.length;
			expect([await listed({}), await listed({ dateFrom: '2020-01-01' })]).toEqual([1, 2]);
		},
	);

	test.each([
		['getSummary', { member_id: '7' }],
		['getTransactions', { updated_since: '2026-02-01T08:00:00.000Z', page_size: '50' }],
		[
			'getManualRecords',
			{ updated_since: '2026-02-01T08:00:00.000Z', status: 'PENDING', payment_type: 'FULL', page_size: '50' },
		],
	])('%s sends only its own filters, even with some left from another operation', async (operation, query) => {
		const org = await organization();
		const filters = { memberId: 7, updatedSince: '2026-02-01T09:00', status: 'PENDING', paymentType: 'FULL' };
		await run(org, { operation, filters });
		expect((await org.journal()).map((entry) => entry.query)).toEqual([query]);
	});

	const UNKNOWN = ['getAll', '', '={{ "getTransactions" }}', "={{ $fromAI('operation') }}"];
	test.each(UNKNOWN)('an unknown operation (%j) is an error, and n8n requests nothing by itself', async (operation) => {
		const requests: string[] = [];
		const server = createServer(({ url }, response) => {
			requests.push(url as string);
			response.end('{"stolen":1}');
		});
		const { url: baseUrl } = await listen(server);
		const credential = { baseUrl, apiKey: 'sk_live_secret_0123456789' };
		const { items, error } = await runNode({ type: 'getRevenue', parameters: { operation }, credential });
		server.close();
		expect(requests).toEqual([]);
		expect(items).toEqual([]);
		expect(error?.message).toBe('"Operation" has a value that this node does not know');
		const values = OPERATIONS.map(({ value }) => value).join(', ');
		expect(error?.description).toMatch(new RegExp(`Choose one of ${values}\\.$`));
	});

	test('every filter is sent as the service documents it, in the time zone of the workflow', async () => {
		const org = await organization();
		const filters = {
			dateFrom: '={{ DateTime.fromISO("2026-01-31T23:30:00Z") }}',
			dateTo: '2026-02-28',
			updatedSince: '2026-02-01T09:00',
			status: 'PENDING',
			paymentType: 'DEPOSIT',
		};
		await run(org, { operation: 'getManualRecords', filters }, { timezone: 'Europe/Berlin' });
		const [entry] = await org.journal();
		expect(entry?.query).toEqual({
			date_from: '2026-02-01',
			date_to: '2026-02-28',
			updated_since: '2026-02-01T08:00:00.000Z',
			status: 'PENDING',
			payment_type: 'DEPOSIT',
			page_size: '50',
		});
	});

	test('the period follows each item, and a summary cannot be the body of an error page', async () => {
		const org = await organization({ transactions: 10 }, jsonResponse('[]'));
		const input = [{ day: '2026-01-01' }, { day: '2026-02-01' }];
		const parameters = { operation: 'getSummary', filters: { dateFrom: '={{ $json.day }}' } };
		const { error } = await run(org, parameters, { input });
		expect(error?.message).toContain('not as documented: it has no "metrics"');
		const days = (await org.journal()).map(({ query }) => query.date_from);
		expect(new Set(days)).toEqual(new Set(['2026-01-01', '2026-02-01']));
	});

	test('n8n’s own Request Options apply: a timeout, and a proxy', async () => {
		const org = await organization({ transactions: 1 });
		await org.meets({ action: 'stall', ms: 60_000, then: 'respond', times: -1 });
		const options = { maxAttempts: 1 };
		const slow = await run(org, { operation: 'getTransactions', options, requestOptions: { timeout: 50 } });
		expect(slow.error?.message).toContain('did not respond in time');
		expect(slow.error?.description).toContain('"Timeout" under Options (under Request Options if it is set there)');
		const wrong = await run(org, { operation: 'getTransactions', options, requestOptions: { timeout: -1 } });
		expect(wrong.error?.message).toContain('"Timeout" must be a number');

		const proxied: string[] = [];
		const proxy = createServer(({ url }, response) => {
			proxied.push(url as string);
			response.end('{"data":[{"id":"from the proxy"}],"next_cursor":null}');
		});
		const { url } = await listen(proxy);
		const through = await run(org, { operation: 'getTransactions', requestOptions: { proxy: url } });
		proxy.close();
		expect(through.items.map(({ json }) => json.id)).toEqual(['from the proxy']);
		expect(proxied[0]).toContain(`${org.credential.baseUrl}/v1/revenue/transactions/`);
	});

	const TOO_LONG = [2 ** 31, 9_999_999_999, Number.MAX_VALUE];
	test.each(TOO_LONG)('a timeout that no timer holds (%s ms) is none', async (timeout) => {
		const org = await organization({ transactions: 1 });
		const options = { maxAttempts: 1 };
		const outcome = await run(org, { operation: 'getTransactions', options, requestOptions: { timeout } });
		expect(outcome.error).toBeUndefined();
		expect(outcome.items).toHaveLength(1);
	});

	test('their other connection settings are passed on', () => {
		const proxy = { host: 'proxy', port: 8080 };
		expect(
			transportOf({ proxy, allowedDomains: 'example.com', skipSslCertificateValidation: true, qs: {}, url: '/v1/' }),
		).toEqual({ proxy, allowedDomains: 'example.com', skipSslCertificateValidation: true });
		expect(transportOf({ skipSslCertificateValidation: false })).toEqual({});
	});
});

describe('bad input is rejected before any request, by its name and item', () => {
	test.each<[INodeParameters, RegExp]>([
		[
			{ operation: 'getSummary', filters: { dateFrom: '={{ $now.plus({ years: 9000 }) }}' } },
			/"Date From" is not a date/,
		],
		[
			{ operation: 'getTransactions', filters: { updatedSince: "={{ new Date('+012026-01-01T00:00:00Z') }}" } },
			/"Updated Since" is not a date/,
		],
		[{ operation: 'getTransactions', limit: 'many' }, /"Limit"/],
		[{ operation: 'getTransactions', limit: '={{ "many" }}' }, /"Limit" must be a whole number, 1 or more/],
		[{ operation: 'getManualRecords', filters: { status: '={{ "DONE" }}' } }, /"Status" has a value/],
		[{ operation: 'getTransactions', options: { maxAttempts: 0 } }, /"Maximum Attempts"/],
	])('%j', async (parameters, message) => {
		const org = await organization({ transactions: 1 });
		const { error, items } = await run(org, parameters);
		expect(error?.message).toMatch(message);
		expect(error?.context.itemIndex).toBe(0);
		expect(items).toEqual([]);
		expect(await org.journal()).toEqual([]);
	});
});

describe('many input items', () => {
	const parameters = { operation: 'getTransactions', returnAll: true, filters: { dateFrom: '={{ $json.from }}' } };

	test('each output item is linked to the input item it came from', async () => {
		const org = await organization({ transactions: 120 });
		const input = [{ from: '2000-01-01' }, { from: '2100-01-01' }, { from: '2000-01-01' }];
		const { items } = await run(org, parameters, { input });
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual([
			...Array.from({ length: 120 }, () => ({ item: 0 })),
			...Array.from({ length: 120 }, () => ({ item: 2 })),
		]);
	});

	const HUNDRED = Array.from({ length: 100 }, () => ({}));

	test('100 items send a few requests at a time', async () => {
		const org = await organization({ transactions: 1 }, { action: 'stall', ms: 20, then: 'respond', times: -1 });
		const { items } = await run(org, { operation: 'getTransactions' }, { input: HUNDRED });
		expect(items).toHaveLength(100);
		const journal = await org.journal();
		expect(journal).toHaveLength(100);
		expect(Math.max(...journal.map((entry) => entry.in_flight))).toBe(3); // besides the arriving one
	});

	test('under a rate limit, a 429 makes 100 items go one at a time', async () => {
		const org = await organization({ transactions: 1, budgets: { enabled: true, read: 30, minute: '1s' } });
		const { items } = await run(org, { operation: 'getTransactions' }, { input: HUNDRED });
		expect(items).toHaveLength(100);
		const journal = await org.journal();
		expect(journal.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
		expect(rejectedInVain(journal, 30)).toBe(0);
	});

	test('an item that fails stops the others, and the error names it', async () => {
		const org = await organization({ transactions: 1_000 });
		const input = [{ from: '2000-01-01' }, { from: 'soon' }, { from: '2000-01-01' }];
		const { error, items } = await run(org, parameters, { input });
		expect(error?.message).toContain('"Date From" is not a date');
		expect(error?.context.itemIndex).toBe(1);
		expect(items).toEqual([]);
		expect((await org.journal()).length).toBeLessThanOrEqual(2);
	});

	test('Retry On Fail runs all items again after such a stop', async () => {
		const org = await organization({ transactions: 10 }, { action: 'status', status: 403 });
		const settings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
		const { items } = await succeeded(run(org, ALL, { input: [{}, {}, {}], settings }));
		expect(items).toHaveLength(30);
	});

	test('with Continue, the others continue and the error item is linked', async () => {
		const org = await organization({ transactions: 10 });
		const input = [{ from: '2000-01-01' }, { from: 'soon' }, { from: '2000-01-01' }];
		const { items } = await run(org, parameters, { input, onError: 'continueRegularOutput' });
		expect(items).toHaveLength(21);
		expect(items[10]).toMatchObject({
			json: { error: '"Date From" is not a date', message: expect.stringContaining('soon') },
			pairedItem: { item: 1 },
		});
	});

	test.each([TRANSACTION_LIST, LEAD_LIST])(
		'with an error output, $type sends each error there beside its input',
		async ({ type, operation }) => {
			const org = await organization({ transactions: 3, leads: 3 });
			const input = [{ limit: 2 }, { limit: 0, order: 'A7' }, { limit: 1 }];
			const parameters = { operation, limit: '={{ $json.limit }}' };
			const { outputs } = await runFor(org, type, parameters, { input, onError: 'continueErrorOutput' });
			const [success, failure] = outputs;
			expect(success?.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 0 }, { item: 2 }]);
			expect(failure).toHaveLength(1);
			expect(failure?.[0]?.json).toMatchObject({ order: 'A7', error: expect.stringContaining('"Limit" must be') });
		},
	);

	test('a page that fails half way outputs nothing of that item', async () => {
		const org = await organization({ transactions: 250 }, { action: 'status', status: 403, match: { page: 3 } });
		const { items } = await run(org, ALL, { onError: 'continueRegularOutput' });
		expect(items).toHaveLength(1);
		expect(items[0]?.json).toMatchObject({
			error: expect.stringContaining('(page 3, after 200 records had been read)'),
			message: expect.stringContaining('Request ID: '),
		});
	});
});
