import { startSandbox } from '../../sandbox/src/client.ts';
import type { Tenant } from './support/sandbox.ts';
import { aurora, useSandbox, withData } from './support/sandbox.ts';

const sandbox = useSandbox();
const LIST = '/v1/revenue/transactions/';

const firstCursor = async (tenant: Tenant, query = {}) =>
	(await tenant.get(LIST, { page_size: 2, ...query })).data.next_cursor as string;
const status = async (tenant: Tenant, cursor: string, query = {}) =>
	(await tenant.get(LIST, { cursor, ...query })).status;

test('rejects a cursor with any character altered, cut or added', async () => {
	const tenant = await sandbox.tenant();
	const cursor = await firstCursor(tenant);
	expect(await status(tenant, cursor)).toBe(200);
	for (let at = 0; at < cursor.length; at += 7) {
		const altered = cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1);
		expect([at, await status(tenant, altered)]).toEqual([at, 400]);
	}
	for (const wrong of [`${cursor}A`, cursor.slice(0, -1), ` ${cursor}`, '', 'null', '%00']) {
		expect([wrong, await status(tenant, wrong)]).toEqual([wrong, 400]);
	}
});

test('rejects the cursor of another organization, operation or filter', async () => {
	const [mine, theirs] = [await sandbox.tenant(), await sandbox.tenant()];
	expect(await status(mine, await firstCursor(theirs))).toBe(400);
	const filtered = await firstCursor(mine, { date_from: '2020-01-01' });
	expect(await status(mine, filtered, { date_from: '2020-01-01' })).toBe(200);
	expect(await status(mine, filtered)).toBe(400);
	expect(await status(mine, filtered, { date_from: '2020-01-02' })).toBe(400);
	const { data } = await mine.get('/v1/revenue/manual/', { cursor: await firstCursor(mine) });
	expect(data.error.fields.cursor).toHaveLength(1);
});

test('rejects the cursor of another service, even with the same data', async () => {
	const other = await startSandbox({ leads: 120, transactions: 60, manualRecords: 30 });
	try {
		expect(await status(aurora(sandbox), await firstCursor(aurora(other)))).toBe(400);
	} finally {
		await other.stop();
	}
});

test.each(['created_at', 'updated_at', 'occurred_at'] as const)('returns records of equal %s once', async (column) => {
	for (const order of ['ascending', 'descending'] as const) {
		const tenant = await sandbox.tenant({ transactions: 0, switches: { order, 'order-by': column } });
		const moment = '2026-01-01T00:00:00Z';
		const same = { occurred_at: moment, created_at: moment, updated_at: moment };
		const nine = Array.from({ length: 9 }, () => same);
		const { ids } = await sandbox.control.addTransactions(tenant.id, nine);
		const seen = (await tenant.walk(LIST, { page_size: 2 })).map(({ id }) => id);
		expect(seen).toEqual(order === 'ascending' ? ids : [...ids].reverse());
	}
});

test('rejects an expired cursor', async () => {
	const tenant = await sandbox.tenant({ switches: { 'cursor-lifetime': '10m' } });
	const cursor = await firstCursor(tenant);
	await tenant.change({ switches: { 'clock-skew': '9m' } });
	expect(await status(tenant, cursor)).toBe(200);
	await tenant.change({ switches: { 'clock-skew': '11m' } });
	expect(await status(tenant, cursor)).toBe(400);
});

test('accepts a cursor more than once', async () => {
	const tenant = await sandbox.tenant();
	const cursor = await firstCursor(tenant);
	const [one, two] = [await tenant.get(LIST, { cursor }), await tenant.get(LIST, { cursor })];
	expect(one.data.data).toEqual(two.data.data);
});

test('returns every existing record while others are added', async () => {
	const tenant = await sandbox.tenant({ transactions: 20 });
	const before = (await tenant.walk(LIST)).map(({ id }) => id);
	const first = await tenant.get(LIST, { page_size: 8 });
	await sandbox.control.addTransactions(tenant.id, [{}, {}, {}]);
	const rest = await tenant.get(LIST, { page_size: 100, cursor: first.data.next_cursor });
	expect([...first.data.data, ...rest.data.data].map(({ id }) => id)).toEqual(before);
});

test('survives a restart on the same file', async () => {
	await withData(async (data) => {
		const options = { data, leads: 20, transactions: 20, manualRecords: 0 };
		const before = await startSandbox(options);
		const cursor = await firstCursor(aurora(before));
		await before.stop();
		const after = await startSandbox(options);
		expect(await status(aurora(after), cursor)).toBe(200);
		await after.stop();
	});
});
