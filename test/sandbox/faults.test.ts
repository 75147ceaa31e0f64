import { connect } from 'node:net';
import type { Fault } from '../../sandbox/src/client.ts';
import type { Tenant } from './support/sandbox.ts';
import { page, tagged, useSandbox, withFaults } from './support/sandbox.ts';

const sandbox = useSandbox();

const idsOf = (response: { data: any }) => response.data.data.map(({ id }: { id: string }) => id);
const applied = async (tenant: Tenant) => (await sandbox.control.tagApplications(tenant.id)).length;

describe('status', () => {
	test('responds once, before the request is carried out', async () => {
		const busy: Fault = { action: 'status', status: 503, message: 'Try later', type: 'busy' };
		const { tenant, tag } = await tagged(sandbox, busy);
		const failed = await tag();
		expect([failed.status, failed.headers['retry-after'], failed.data.error]).toEqual([
			503,
			undefined,
			expect.objectContaining({ type: 'busy', message: 'Try later' }),
		]);
		expect(await applied(tenant)).toBe(0);
		expect((await tag()).headers['idempotent-replay']).toBeUndefined();
	});

	test('can come after the request is carried out', async () => {
		const { tenant, tag } = await tagged(sandbox, { action: 'status', status: 500, when: 'after' });
		expect((await tag()).status).toBe(500);
		expect(await applied(tenant)).toBe(1);
		expect((await tag()).headers['idempotent-replay']).toBe('true');
	});

	test('can name a wait, headers and any body', async () => {
		const tenant = await withFaults(
			sandbox,
			{ action: 'status', status: 429, retry_after: 7 },
			{ action: 'status', status: 429, retry_after: 0 },
			{ action: 'status', status: 502, body: ['down'], headers: { 'X-Cache': 'miss' } },
			{ action: 'status', status: 200 },
		);
		const limited = await page(tenant);
		expect([limited.status, limited.headers['retry-after'], limited.data.error.retry_after]).toEqual([429, '7', 7]);
		const { data, headers } = await page(tenant);
		expect([headers['retry-after'], data.error.retry_after]).toEqual(['0', 0]);
		const down = await page(tenant);
		expect([down.status, down.data, down.headers['x-cache']]).toEqual([502, ['down'], 'miss']);
		const empty = await page(tenant);
		expect([empty.status, empty.data, empty.headers['content-type']]).toEqual([200, '', undefined]);
	});
});

test.each<[fault: Fault, outcome: string | number, changes: number]>([
	[{ action: 'reset', when: 'before' }, 'ECONNRESET', 0],
	[{ action: 'reset', when: 'after' }, 'ECONNRESET', 1],
	[{ action: 'stall', ms: 100, then: 'reset', when: 'before' }, 'ECONNRESET', 0],
	[{ action: 'stall', ms: 100, then: 'reset', when: 'after' }, 'ECONNRESET', 1],
	[{ action: 'still_running', applied: false }, 409, 0],
	[{ action: 'still_running', applied: true }, 409, 1],
])('%j ends a write in %j, with %i changes made, and its retry makes no other', async (fault, outcome, count) => {
	const { tenant, tag } = await tagged(sandbox, fault);
	const ended = tag().then(
		({ status }) => status,
		({ code }) => code,
	);
	expect(await ended).toBe(outcome);
	expect(await applied(tenant)).toBe(count);
	expect((await tag()).headers['idempotent-replay']).toBe(count ? 'true' : undefined);
	expect(await applied(tenant)).toBe(1);
});

describe('stall', () => {
	test('responds late', async () => {
		const tenant = await withFaults(sandbox, { action: 'stall', ms: 300, then: 'respond' });
		const begun = Date.now();
		expect((await page(tenant)).status).toBe(200);
		expect(Date.now() - begun).toBeGreaterThanOrEqual(290);
	});

	test('ends when the client goes away, and lets go of the key', async () => {
		const { tenant, tag } = await tagged(sandbox, { action: 'stall', ms: 600_000, then: 'respond' });
		await expect(tag({ timeout: 2_000 })).rejects.toMatchObject({ code: 'ECONNABORTED' });
		let again = await tag();
		while (again.status === 409) again = await tag();
		expect(again.status).toBe(200);
		expect(await applied(tenant)).toBe(1);
	});
});

describe('truncate', () => {
	test('ends the connection early', async () => {
		const tenant = await withFaults(sandbox, { action: 'truncate', bytes: 40 });
		await expect(page(tenant)).rejects.toThrow(/aborted/);
		expect((await page(tenant)).status).toBe(200);
	});

	test('sends less than the announced length', async () => {
		const tenant = await withFaults(sandbox, { action: 'truncate', bytes: 40 });
		const raw = await rawResponse(tenant);
		const [head = '', body = ''] = raw.split('\r\n\r\n');
		expect(body).toHaveLength(40);
		expect(Number(/content-length: (\d+)/i.exec(head)?.[1])).toBeGreaterThan(100);
		expect(head).toMatch(/x-request-id: req_/i);
	});

	test('can announce just what it sends, so that the JSON is broken', async () => {
		const tenant = await withFaults(sandbox, { action: 'truncate', bytes: 40, content_length: 'cut' });
		const { status, data, headers } = await page(tenant);
		expect([status, headers['content-length']]).toEqual([200, '40']);
		expect(() => JSON.parse(data)).toThrow(SyntaxError);
	});
});

describe('replace', () => {
	test('replaces the body of the response, after the request is carried out', async () => {
		const page: Fault = { action: 'replace', body: '<p>Sign in</p>', content_type: 'text/html' };
		const { tenant, tag } = await tagged(sandbox, page);
		const { status, data, headers } = await tag();
		expect([status, data, headers['content-type']]).toEqual([200, '<p>Sign in</p>', 'text/html']);
		expect(await applied(tenant)).toBe(1);
	});

	test('can come before, with a status and headers', async () => {
		const { tenant, tag } = await tagged(sandbox, {
			action: 'replace',
			body: '',
			content_type: 'text/plain',
			status: 502,
			headers: { Via: 'proxy' },
			when: 'before',
		});
		const { status, headers } = await tag();
		expect([status, headers['via']]).toEqual([502, 'proxy']);
		expect(await applied(tenant)).toBe(0);
	});
});

describe('cursors and pages', () => {
	test('repeats a cycle of real cursors', async () => {
		const tenant = await withFaults(sandbox, { action: 'repeat_cursor', cycle: 2, times: -1 });
		const seen: string[] = [];
		let cursor: string | undefined;
		for (let i = 0; i < 6; i++) {
			const { status, data } = await page(tenant, cursor ? { cursor } : {});
			expect(status).toBe(200);
			seen.push((cursor = data.next_cursor as string));
		}
		expect(new Set(seen).size).toBe(2);
		expect(seen.slice(2)).toEqual([...seen.slice(0, 2), ...seen.slice(0, 2)]);
	});

	test('repeats literal cursors, which it then accepts', async () => {
		const tenant = await withFaults(sandbox, { action: 'repeat_cursor', cursors: ['A', 'B'], times: 3 });
		const first = await page(tenant);
		const second = await page(tenant, { cursor: 'A' });
		const third = await page(tenant, { cursor: 'B' });
		expect([first, second, third].map(({ data }) => data.next_cursor)).toEqual(['A', 'B', 'A']);
		expect(idsOf(second)).toEqual(idsOf(first));
		expect((await page(tenant, { cursor: 'A' })).status).toBe(400);
	});

	test.each([[5], [{ page: 2 }], [''], [null]])('returns %p as next_cursor', async (value) => {
		const tenant = await withFaults(sandbox, { action: 'next_cursor', value });
		expect((await page(tenant)).data.next_cursor).toEqual(value);
	});

	test('leaves next_cursor out', async () => {
		const tenant = await withFaults(sandbox, { action: 'next_cursor', omit: true });
		expect(Object.keys((await page(tenant)).data)).toEqual(['data']);
	});

	test('drops a member anywhere in the response', async () => {
		const dropped = ['data', 'data.1.id'].map((path): Fault => ({ action: 'drop_field', path }));
		const tenant = await withFaults(sandbox, ...dropped);
		expect(Object.keys((await page(tenant)).data)).toEqual(['next_cursor']);
		expect((await page(tenant)).data.data.map((record: object) => 'id' in record)).toEqual([true, false, true]);
	});

	test('returns a page twice, under different cursors, and then continues', async () => {
		const tenant = await withFaults(sandbox, { action: 'duplicate_page', match: { page: 2 } });
		const responses = [await page(tenant)];
		while (responses.at(-1)!.data.next_cursor) {
			responses.push(await page(tenant, { cursor: responses.at(-1)!.data.next_cursor }));
		}
		expect(responses).toHaveLength(5);
		expect(idsOf(responses[2]!)).toEqual(idsOf(responses[1]!));
		const cursors = responses.slice(0, -1).map(({ data }) => data.next_cursor);
		expect(new Set(cursors).size).toBe(4);
		expect(new Set(responses.flatMap(idsOf)).size).toBe(10);
	});

	test('can return the first page twice', async () => {
		const tenant = await withFaults(sandbox, { action: 'duplicate_page', match: { page: 1 } });
		const first = await page(tenant);
		expect(idsOf(await page(tenant, { cursor: first.data.next_cursor }))).toEqual(idsOf(first));
	});

	test('reverses a page', async () => {
		const tenant = await withFaults(sandbox, { action: 'reorder_page' });
		const reversed = idsOf(await page(tenant));
		expect(reversed).toEqual(idsOf(await page(tenant)).reverse());
	});

	test('takes a cursor for expired', async () => {
		const tenant = await withFaults(sandbox, { action: 'expire_cursor', match: { page: 2 } });
		const { data } = await page(tenant);
		expect((await page(tenant, { cursor: data.next_cursor })).status).toBe(400);
		expect((await page(tenant, { cursor: data.next_cursor })).status).toBe(200);
	});
});

function rawResponse(tenant: Tenant): Promise<string> {
	const { hostname, port } = new URL(sandbox.url);
	return new Promise((resolve) => {
		let text = '';
		const socket = connect(Number(port), hostname, () => {
			socket.write(`GET /v1/leads/ HTTP/1.1\r\nHost: sandbox\r\nAuthorization: Bearer ${tenant.keys.full}\r\n\r\n`);
		});
		socket
			.setEncoding('latin1')
			.on('data', (chunk: string) => (text += chunk))
			.on('error', () => undefined);
		socket.on('close', () => resolve(text));
	});
}
