import { createServer } from 'node:http';
import type { INodeParameters } from 'n8n-workflow';
import { systemClock } from '../../nodes/shared/service/clock.ts';
import type { Fault } from '../../sandbox/src/client.ts';
import { listen } from '../../scripts/lib/listen.ts';
import { runFor, runNode, succeeded } from '../support/engine/runNode.ts';
import { draft, rejectedInVain, tag, tagAll } from '../support/engine/writes.ts';
import type { TestOrganization } from '../support/service.ts';
import { jsonResponse, organization, sandboxUrl, withoutBackoff } from '../support/service.ts';

withoutBackoff();

const parameters = { returnAll: true };

async function leadsWith(faults: Fault[], options: { maxAttempts?: number; maxWait?: number; timeout?: number } = {}) {
	const org = await organization({ leads: 150 }, ...faults);
	const outcome = await runFor(org, 'listLeads', { ...parameters, options });
	return { ...outcome, journal: await org.journal() };
}

describe('a read with a transient fault', () => {
	const status = (code: number, more: object = {}): Fault => ({ action: 'status', status: code, ...more });
	const body = (text: string, type: string, more: object = {}): Fault =>
		({ action: 'replace', body: text, content_type: type, ...more }) as Fault;
	const cut = (length: 'full' | 'cut'): Fault => ({ action: 'truncate', bytes: 200, content_length: length });
	const LOST = /request to list leads failed after 5 attempts: the connection to the service was lost/;
	const SPENT = /rate limit is still exceeded after 5 attempts/;

	/** Each with what the error says of it, where it lasts. */
	const FAULTS: Array<[string, Fault, RegExp]> = [
		['500', status(500), /failed to list leads after 5 attempts \(HTTP 500\)/],
		['502 with HTML', body('<html>Bad gateway</html>', 'text/html', { status: 502 }), /5 attempts \(HTTP 502\)/],
		['503 without a body', body('', 'text/plain', { status: 503 }), /5 attempts \(HTTP 503\)/],
		['a reset connection', { action: 'reset', when: 'before' }, LOST],
		['a response cut off on the way', cut('full'), LOST],
		['truncated JSON', cut('cut'), /could not be read after 5 attempts \(HTTP 200, application\/json\)/],
		[
			'an HTML error page with status 200',
			body('<html>Sign in</html>', 'text/html; charset=utf-8'),
			/could not be read after 5 attempts \(HTTP 200, text\/html\)/,
		],
		['an empty response', body('', 'application/json'), /could not be read after 5 attempts \(HTTP 200/],
		['429 without a wait', status(429), SPENT],
		['429 with a malformed wait', status(429, { headers: { 'retry-after': 'soon' } }), SPENT],
		['429 with a wait of 0', status(429, { headers: { 'retry-after': '0' } }), SPENT],
	];

	test.each(FAULTS)('is retried until it succeeds: %s', async (_name, fault) => {
		const { items, journal } = await succeeded(leadsWith([{ ...fault, skip: 1, times: 4 }]));
		expect(items).toHaveLength(150);
		// The second page is the last: it is requested once more, unless the rate limit alone rejected it.
		expect(journal).toHaveLength(fault.action === 'status' && fault.status === 429 ? 6 : 7);
		expect(new Set(journal.slice(1).map(({ query }) => JSON.stringify(query))).size).toBe(1);
	});

	test.each(FAULTS)('fails after 5 attempts and says what was read: %s', async (_name, fault, message) => {
		const { items, error, journal } = await leadsWith([{ ...fault, skip: 1, times: -1 }]);
		expect(items).toEqual([]);
		expect(error?.message).toMatch(message);
		expect(error?.message).toContain('(page 2, after 100 records had been read)');
		expect(journal).toHaveLength(6);
	});

	test('fails when the records are not UTF-8: a wrong character in a name or an ID would look like data', async () => {
		const server = createServer((_request, response) => {
			response.setHeader('content-type', 'application/json; charset=iso-8859-1');
			response.end(Buffer.from('{"data":[{"id":"Zoë"}],"next_cursor":null}', 'latin1'));
		});
		const { url: baseUrl } = await listen(server);
		const credential = { baseUrl, apiKey: 'sk_live_secret_0123456789' };
		const { items, error } = await runNode({ type: 'listLeads', parameters: { returnAll: true }, credential });
		server.close();
		expect(items).toEqual([]);
		expect(error?.message).toMatch(/could not be read after 5 attempts \(HTTP 200, application\/json\)$/);
	});

	test('that times out is a network failure', async () => {
		const { items, journal } = await succeeded(
			leadsWith([{ action: 'stall', ms: 60_000, then: 'respond' }], { timeout: 1 }),
		);
		expect(items).toHaveLength(150);
		expect(journal).toHaveLength(3);
	});
});

describe('a 429 with a time', () => {
	test('in seconds makes the node wait as long, to the second', async () => {
		const wait = jest.spyOn(systemClock, 'wait');
		const { items, hints } = await leadsWith([{ action: 'status', status: 429, headers: { 'retry-after': '3' } }]);
		expect(items).toHaveLength(150);
		// The time since the response is not waited for again.
		expect(wait.mock.calls[0]?.[0]).toBeGreaterThan(1_000);
		expect(wait.mock.calls[0]?.[0]).toBeLessThanOrEqual(3_000);
		expect(hints).toEqual([
			{
				message: 'Waited 3 s for the rate limit (120 reads a minute, shared by everything that uses this credential)',
				location: 'outputPane',
			},
		]);
	});

	test('beyond Maximum Wait stops at once and says when the rate limit resets', async () => {
		const { items, error, journal } = await leadsWith([{ action: 'status', status: 429, retry_after: 7_200 }]);
		expect(items).toEqual([]);
		expect(error?.message).toMatch(/resets at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ \(in about 120 min\)/);
		expect(error?.description).toContain('"Maximum Wait"');
		expect(error?.httpCode).toBe('429');
		expect(journal).toHaveLength(1);
	});

	test('closes the lane for every node on the key, whatever its credential, as the service counts', async () => {
		const org = await organization({ leads: 10, transactions: 10 });
		await org.meets({ action: 'status', status: 429, retry_after: 7_200 });
		const run = { credential: org.credential, credentialId: 'shared', parameters };
		await runNode({ ...run, type: 'listLeads' });
		const second = await runNode({
			...run,
			credentialId: 'another',
			type: 'getRevenue',
			parameters: { operation: 'getTransactions', returnAll: true },
		});
		expect(second.error?.message).toContain('The rate limit is exceeded');
		expect(await org.journal()).toHaveLength(1);
		const credential = { ...org.credential, apiKey: org.keys.readonly };
		const other = await runNode({ ...run, credential, type: 'listLeads' });
		expect(other.items).toHaveLength(10);
	});

	test('under the documented rate limit a long list takes one rejected request a minute', async () => {
		const org = await organization({ leads: 2_000, budgets: { enabled: true, read: 8, minute: '2s' } });
		const { items } = await runFor(org, 'listLeads', parameters);
		expect(items).toHaveLength(2_000);
		const journal = await org.journal();
		expect(journal.filter(({ status }) => status !== 429)).toHaveLength(20);
		expect(rejectedInVain(journal, 8)).toBe(0);
	});
});

describe('a response that a retry cannot change', () => {
	test.each([
		[400, /invalid/],
		[401, /rejected the API key/],
		[403, /is not allowed to list leads/],
		[404, /did not find/],
		[409, /conflict/],
		[301, /redirected/],
		[418, /unexpected response/],
	])('%i stops at once', async (status, message) => {
		const { items, error, journal } = await leadsWith([{ action: 'status', status, message: 'the reason', times: -1 }]);
		expect(items).toEqual([]);
		expect(error?.message).toMatch(message);
		expect(error?.httpCode).toBe(String(status));
		expect(error?.context).toMatchObject({ itemIndex: 0, requestId: journal[0]?.request_id });
		expect(error?.description).toContain(`Request ID: ${journal[0]?.request_id}`);
		expect(journal).toHaveLength(1);
	});

	test('a redirect is not followed, so the key is not sent elsewhere', async () => {
		const other = await organization({ leads: 1 });
		const location = `${sandboxUrl}/v1/leads/?elsewhere=1`;
		const { error, journal } = await leadsWith([{ action: 'status', status: 302, headers: { location } }]);
		expect(error?.message).toContain('redirected');
		expect(journal).toHaveLength(1);
		expect(await other.journal()).toEqual([]);
	});

	test('the service’s message is shown, without the key', async () => {
		const org = await organization({ leads: 1 });
		const message = `the key ${org.keys.full} is on hold`;
		await org.meets({ action: 'status', status: 403, message });
		const { error, run } = await runFor(org, 'listLeads', parameters);
		expect(error?.message).toContain('the key *** is on hold');
		expect(JSON.stringify(run)).not.toContain(org.keys.full);
	});
});

describe('real rejections by the service', () => {
	test.each([
		['revoked', 401, /rejected the API key/],
		['expired', 401, /rejected the API key/],
		['noscope', 403, /most likely the scope leads:read/],
	] as const)('a key that is %s', async (kind, status, text) => {
		const org = await organization({ leads: 1 });
		const credential = { ...org.credential, apiKey: org.keys[kind] };
		const { error } = await runNode({ type: 'listLeads', parameters, credential });
		expect(`${error?.message} ${error?.description}`).toMatch(text);
		expect(error?.httpCode).toBe(String(status));
	});

	test('a host that does not exist', async () => {
		const credential = { baseUrl: 'http://127.0.0.1:9', apiKey: 'sk' };
		const { error } = await runNode({ type: 'listLeads', parameters, credential });
		expect(error?.message).toContain('request to list leads failed after 5 attempts: the service could not be reached');
		expect(error?.description).toContain('Base URL');
	});
});

describe('cancelling', () => {
	// Just below the default of Maximum Wait, and less: far more than a cancellation takes on any machine.
	const LONG_WAIT_S = 119;
	const SOONER_MS = 100_000;

	test.each([
		['a list', 'listLeads', parameters],
		['one of the lists that n8n collects the query of', 'getRevenue', { operation: 'getTransactions', ...parameters }],
	])(
		'ends the wait of %s at once and sends nothing more',
		async (_name, type, ownParameters) => {
			const org = await organization({ leads: 150, transactions: 150 });
			await org.meets({ action: 'status', status: 429, retry_after: LONG_WAIT_S, match: { page: 2 } });
			const { run, items } = await runFor(org, type, ownParameters, { cancelAfter: requests(org, 2) });
			expect(run.status).toBe('canceled');
			expect(items).toEqual([]);
			expect(await org.journal()).toHaveLength(2);
		},
		SOONER_MS,
	);

	test(
		'ends the waits of several writes at once',
		async () => {
			const org = await organization({ leads: 8 });
			await org.meets({ action: 'status', status: 429, retry_after: LONG_WAIT_S, match: { method: 'POST' } });
			const { run } = await tagAll(org, 8, { cancelAfter: requests(org, 4, 'POST') });
			expect(run.status).toBe('canceled');
			expect((await org.journal()).length).toBeLessThan(8);
		},
		SOONER_MS,
	);
});

// n8n offers no Retry of an execution that was stopped, and tells by this word.
test.each<[string, string, INodeParameters]>([
	['the service', 'tagLead', {}],
	['the service, in a list', 'listLeads', parameters],
	['the service, in a list of Get Revenue', 'getRevenue', { operation: 'getTransactions', ...parameters }],
	['a parameter', 'createKeywordAutomation', { ...draft, keywords: ['canceled', 'canceled'] }],
])('an error in which %s says "canceled" leaves a failed execution', async (_who, type, ownParameters) => {
	const org = await organization({ leads: 1 });
	const error = { type: 'x', message: 'The subscription was canceled', request_id: 'r' };
	await org.meets(jsonResponse({ error }, { status: 422 }));
	const failed = await runFor(org, type, type === 'tagLead' ? tag(org, 'lead') : ownParameters);
	expect(failed.run.status).toBe('error');
	expect(failed.error?.message).toMatch(/cancelled/);
});

/** Resolves when the service has had this many requests. */
async function requests(org: TestOrganization, count: number, method = 'GET'): Promise<void> {
	while ((await org.journal()).filter((entry) => entry.method === method).length < count) {
		await new Promise((resolve) => setImmediate(resolve));
	}
}
