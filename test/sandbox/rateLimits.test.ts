import type { AxiosResponse } from 'axios';
import type { Tenant } from './support/sandbox.ts';
import { useSandbox } from './support/sandbox.ts';

const sandbox = useSandbox();
const LONG = { enabled: true, minute: '10m' } as const;

const statuses = async (count: number, request: () => Promise<AxiosResponse>): Promise<number[]> => {
	const seen: number[] = [];
	for (let i = 0; i < count; i++) seen.push((await request()).status);
	return seen;
};
const read = (tenant: Tenant, key?: string) => () => tenant.get('/v1/leads/', { page_size: 1 }, key ? { key } : {});

test('rejects reads beyond the rate limit and says when to retry', async () => {
	const tenant = await sandbox.tenant({ budgets: { ...LONG, read: 2 } });
	expect(await statuses(3, read(tenant))).toEqual([200, 200, 429]);
	const { data, headers } = await read(tenant)();
	expect(headers['retry-after']).toMatch(/^\d+$/);
	expect(Number(headers['retry-after'])).toBeGreaterThan(590);
	expect(Number(headers['retry-after'])).toBeLessThanOrEqual(600);
	expect(data.error.retry_after).toBe(Number(headers['retry-after']));
});

test('counts each key separately', async () => {
	const tenant = await sandbox.tenant({ budgets: { ...LONG, read: 1 } });
	expect(await statuses(2, read(tenant))).toEqual([200, 429]);
	expect(await statuses(2, read(tenant, tenant.keys.readonly))).toEqual([200, 429]);
});

test('counts reads and writes separately', async () => {
	const tenant = await sandbox.tenant({ leads: 1, budgets: { ...LONG, read: 2, write: 1 } });
	const lead = await tenant.firstLead();
	const tagId = await tenant.tagId();
	expect(await statuses(2, () => tenant.tag({ lead, tagId }))).toEqual([200, 429]);
	expect(await statuses(2, read(tenant))).toEqual([200, 429]);
});

test('shares the daily limit between the keys, and takes nothing from it for rejected requests', async () => {
	const tenant = await sandbox.tenant({ budgets: { ...LONG, read: 2, day: 3 } });
	expect(await statuses(4, read(tenant))).toEqual([200, 200, 429, 429]);
	expect(await statuses(2, read(tenant, tenant.keys.readonly))).toEqual([200, 429]);
	const { headers } = await read(tenant, tenant.keys.viewer)();
	expect(Number(headers['retry-after'])).toBeGreaterThan(600 * 1_430);
});

test('accepts requests after the rate minute, which rejected requests do not extend, and never names less than a second', async () => {
	const tenant = await sandbox.tenant({ budgets: { enabled: true, minute: '3s', read: 1 } });
	const begun = Date.now();
	let last = await read(tenant)();
	expect(last.status).toBe(200);
	const waits: number[] = [];
	for (last = await read(tenant)(); last.status === 429; last = await read(tenant)()) {
		waits.push(Number(last.headers['retry-after']));
	}
	expect(waits.length).toBeGreaterThan(0);
	expect(waits.filter((wait) => wait !== 1 && wait !== 2 && wait !== 3)).toEqual([]);
	expect(waits).toEqual(waits.toSorted((a, b) => b - a));
	expect(waits.at(-1)).toBe(1);
	expect(Date.now() - begun).toBeGreaterThanOrEqual(2_950);
});

test('takes nothing for a request that is not authenticated', async () => {
	const tenant = await sandbox.tenant({ budgets: { ...LONG, read: 1, day: 1 } });
	expect(await statuses(3, () => tenant.get('/v1/leads/', {}, { key: tenant.keys.revoked }))).toEqual([401, 401, 401]);
	expect(await statuses(2, read(tenant))).toEqual([200, 429]);
});

test('counts nothing when it is off, and starts over when it is changed', async () => {
	const tenant = await sandbox.tenant({ budgets: { ...LONG, read: 1 } });
	expect(await statuses(2, read(tenant))).toEqual([200, 429]);
	await tenant.change({ switches: { order: 'ascending' } });
	expect(await statuses(1, read(tenant))).toEqual([429]);
	await tenant.change({ budgets: { enabled: false } });
	expect(await statuses(3, read(tenant))).toEqual([200, 200, 200]);
	await tenant.change({ budgets: { enabled: true } });
	expect(await statuses(2, read(tenant))).toEqual([200, 429]);
});

test('leaves the control plane alone', async () => {
	const tenant = await sandbox.tenant({ budgets: { ...LONG, day: 1 } });
	expect(await statuses(2, read(tenant))).toEqual([200, 429]);
	expect((await sandbox.control.organization(tenant.id)).leads).toBe(100);
});
