import type { Tenant } from './support/sandbox.ts';
import { AUTOMATION, useSandbox } from './support/sandbox.ts';

const sandbox = useSandbox();
const READS = ['/v1/leads/', '/v1/revenue/transactions/', '/v1/revenue/manual/', '/v1/revenue/summary/'];

describe('401', () => {
	test.each([
		['a missing credential', {}],
		['another scheme', { Authorization: 'Basic c2stdGVzdA==' }],
		['a bare token', { Authorization: 'sk_demo_full_aurora' }],
		['an empty token', { Authorization: 'Bearer ' }],
		['an unknown token', { Authorization: 'Bearer sk_unknown' }],
	])('rejects %s', async (_case, headers) => {
		const tenant = await sandbox.tenant();
		for (const path of READS) {
			const { status, data, headers: sent } = await tenant.get(path, {}, { key: null, headers });
			expect(status).toBe(401);
			expect(data.error.type).toBe('unauthenticated');
			expect(sent['www-authenticate']).toBe('Bearer');
		}
	});

	test('rejects a revoked and an expired key, and says which it is', async () => {
		const tenant = await sandbox.tenant();
		const revoked = await tenant.get('/v1/leads/', {}, { key: tenant.keys.revoked });
		const expired = await tenant.get('/v1/leads/', {}, { key: tenant.keys.expired });
		expect([revoked.status, revoked.data.error.message]).toEqual([401, 'The API key is revoked']);
		expect([expired.status, expired.data.error.message]).toEqual([401, 'The API key is expired']);
	});

	test('rejects a key as soon as it is revoked', async () => {
		const tenant = await sandbox.tenant();
		const { key } = await sandbox.control.createKey(tenant.id, { scopes: ['leads:read'], role: 'Member' });
		expect((await tenant.get('/v1/leads/', {}, { key })).status).toBe(200);
		await sandbox.control.revokeKey(tenant.id, key);
		expect((await tenant.get('/v1/leads/', {}, { key })).status).toBe(401);
	});

	test('comes before everything that is wrong with the request', async () => {
		const tenant = await sandbox.tenant();
		const options = { key: null, idempotencyKey: null, headers: { 'Content-Type': 'application/json' } };
		expect((await tenant.post('/v1/automations/keyword/', '{', options)).status).toBe(401);
	});
});

describe('403', () => {
	test.each(READS)('rejects a key without the scope of %s', async (path) => {
		const tenant = await sandbox.tenant();
		const { status, data } = await tenant.get(path, {}, { key: tenant.keys.noscope });
		expect(status).toBe(403);
		expect(data.error.message).toMatch(path.includes('revenue') ? /revenue:read/ : /leads:read/);
	});

	test('rejects writes of a read-only key, and names the scope', async () => {
		const tenant = await sandbox.tenant();
		const key = tenant.keys.readonly;
		expect((await tenant.tag({ key })).data.error.message).toContain('leads:write');
		const created = await tenant.post('/v1/automations/keyword/', AUTOMATION, { key });
		expect([created.status, created.data.error.message]).toEqual([403, expect.stringContaining('automations:write')]);
	});

	test('rejects a Member who creates an automation, and names the roles', async () => {
		const tenant = await sandbox.tenant();
		const { status, data } = await tenant.post('/v1/automations/keyword/', AUTOMATION, { key: tenant.keys.viewer });
		expect([status, data.error.message]).toEqual([403, expect.stringContaining('Creator or Manager')]);
		expect((await tenant.tag({ key: tenant.keys.viewer })).status).toBe(200);
	});

	test.each(['Creator', 'Manager'] as const)('does not reject a %s', async (role) => {
		const tenant = await sandbox.tenant();
		const { key } = await sandbox.control.createKey(tenant.id, { role });
		expect((await tenant.post('/v1/automations/keyword/', AUTOMATION, { key })).status).toBe(201);
	});
});

describe('organizations', () => {
	const identical = async (tenant: Tenant, one: string, other: string) => {
		const [first, second] = [await tenant.tag({ lead: one }), await tenant.tag({ lead: other })];
		const shown = ({ status, data }: typeof first) => ({ status, ...data.error, request_id: '' });
		expect(shown(first)).toEqual(shown(second));
		return first.status;
	};

	test('cannot tell another’s lead from a missing one', async () => {
		const [mine, theirs] = [await sandbox.tenant(), await sandbox.tenant()];
		expect(await identical(mine, await theirs.firstLead(), 'lead_0000000')).toBe(404);
	});

	test('cannot use another’s tag', async () => {
		const [mine, theirs] = [await sandbox.tenant(), await sandbox.tenant()];
		expect((await mine.tag({ tagId: await theirs.tagId() })).status).toBe(404);
	});

	test('see their own records only, even with the same seed', async () => {
		const [mine, theirs] = [await sandbox.tenant({ seed: 5 }), await sandbox.tenant({ seed: 5 })];
		for (const path of READS.slice(0, 3)) {
			const known = new Set((await theirs.walk(path)).map(({ id }) => id));
			expect((await mine.walk(path)).filter(({ id }) => known.has(id))).toEqual([]);
		}
		const names = async (tenant: Tenant) => (await tenant.walk('/v1/leads/')).map(({ name }) => name);
		expect(await names(mine)).toEqual(await names(theirs));
		expect(await names(mine)).not.toEqual(await names(await sandbox.tenant({ seed: 6 })));
	});

	test('are without keyword automations when the feature is off', async () => {
		const tenant = await sandbox.tenant({ features: { keyword_automations: false } });
		expect((await tenant.post('/v1/automations/keyword/', AUTOMATION)).status).toBe(404);
		await tenant.change({ features: { keyword_automations: true } });
		expect((await tenant.post('/v1/automations/keyword/', AUTOMATION)).status).toBe(201);
	});
});

test('knows the published demo keys', async () => {
	const tenant = await sandbox.tenant();
	const status = async (key: string) => (await tenant.get('/v1/leads/', {}, { key })).status;
	for (const owner of ['aurora', 'borealis']) {
		expect(await status(`sk_demo_full_${owner}`)).toBe(200);
		expect(await status(`sk_demo_readonly_${owner}`)).toBe(200);
		expect(await status(`sk_demo_noscope_${owner}`)).toBe(403);
		expect(await status(`sk_demo_viewer_${owner}`)).toBe(200);
		expect(await status(`sk_demo_revoked_${owner}`)).toBe(401);
		expect(await status(`sk_demo_expired_${owner}`)).toBe(401);
	}
});
