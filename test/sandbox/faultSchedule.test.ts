import { randomUUID } from 'node:crypto';
import type { Fault } from '../../sandbox/src/client.ts';
import type { Tenant } from './support/sandbox.ts';
import { page, tagged, useSandbox, withFaults } from './support/sandbox.ts';

const sandbox = useSandbox();

describe('which requests', () => {
	const statuses = async (tenant: Tenant, count: number) => {
		const seen: number[] = [];
		for (let i = 0; i < count; i++) seen.push((await page(tenant)).status);
		return seen;
	};

	test('meets as often as told, after as many as told', async () => {
		const tenant = await withFaults(sandbox, { action: 'status', status: 500, skip: 1, times: 2 });
		expect(await statuses(tenant, 4)).toEqual([200, 500, 500, 200]);
	});

	test('meets for ever, until it is cleared', async () => {
		const tenant = await withFaults(sandbox, { action: 'status', status: 500, times: -1 });
		expect(await statuses(tenant, 3)).toEqual([500, 500, 500]);
		expect(await sandbox.control.faults(tenant.id)).toEqual([{ action: 'status', status: 500, times: -1, skip: 0 }]);
		await sandbox.control.clearFaults(tenant.id);
		expect(await statuses(tenant, 1)).toEqual([200]);
	});

	test('takes several in their order, and shows what remains', async () => {
		const faults = [{ status: 500 }, { status: 502, times: 2 }];
		const tenant = await withFaults(sandbox, ...faults.map((one): Fault => ({ action: 'status', ...one })));
		expect(await statuses(tenant, 2)).toEqual([500, 502]);
		expect(await sandbox.control.faults(tenant.id)).toEqual([{ action: 'status', status: 502, times: 1, skip: 0 }]);
	});

	test('matches method, path, template and key', async () => {
		const idempotencyKey = randomUUID();
		const { tenant, tag } = await tagged(
			sandbox,
			{ action: 'status', status: 500, match: { method: 'POST', idempotency_key: randomUUID() } },
			{ action: 'status', status: 501, match: { path: '/v1/leads/{lead_id}/tags/', idempotency_key: idempotencyKey } },
			{ action: 'status', status: 500, match: { path: '/v1/{other}/' } },
			{ action: 'status', status: 502, match: { path: '/v1/revenue/' } },
			{ action: 'status', status: 503, match: { method: 'GET', path: '/v1/leads/' } },
		);
		expect((await tag()).status).toBe(200);
		expect((await tag({ idempotencyKey })).status).toBe(501);
		expect((await tenant.get('/v1/revenue/summary/')).status).toBe(502);
		expect((await page(tenant)).status).toBe(503);
		expect(await sandbox.control.faults(tenant.id)).toHaveLength(2);
	});

	test('meets by chance, in the same way for the same seed', async () => {
		const run = async (seed: number) => {
			const tenant = await sandbox.tenant({ seed });
			await sandbox.control.addFaults(tenant.id, [{ action: 'status', status: 500, times: -1, probability: 0.2 }]);
			return statuses(tenant, 30);
		};
		const [one, same, other] = [await run(3), await run(3), await run(4)];
		expect(new Set(one)).toEqual(new Set([200, 500]));
		expect(one.filter((status) => status === 500).length).toBeLessThan(15);
		expect(same).toEqual(one);
		expect(other).not.toEqual(one);
	});

	test('never meets another organization, nor a request that is rejected before', async () => {
		const tenant = await withFaults(sandbox, { action: 'status', status: 500 });
		expect((await (await sandbox.tenant()).get('/v1/leads/')).status).toBe(200);
		expect((await tenant.get('/v1/leads/', {}, { key: tenant.keys.revoked })).status).toBe(401);
		expect(await statuses(tenant, 2)).toEqual([500, 200]);
	});

	test('notes the fault in the journal', async () => {
		const tenant = await withFaults(sandbox, { action: 'reset', when: 'before' });
		await expect(page(tenant)).rejects.toThrow();
		await page(tenant);
		const [met, free] = await sandbox.control.journal(tenant.id);
		expect([met!.fault, met!.status]).toEqual(['reset', null]);
		expect([free!.fault, free!.status]).toEqual([undefined, 200]);
	});
});

test.each([
	[{ action: 'explode' }, /no fault action "explode".*status, reset, stall/],
	[{ action: 'reset' }, /"reset" is not valid.*'when'/],
	[{ action: 'status', status: 99 }, /status must be >= 200/],
	[{ action: 'status', status: 500, times: 0 }, /times/],
	[{ action: 'status', status: 500, bytes: 1 }, /additional properties/],
	[{ action: 'stall', ms: 1, then: 'respond', match: { url: '/' } }, /additional properties/],
])('rejects the fault %j', async (fault, message) => {
	const tenant = await sandbox.tenant();
	const adding = sandbox.control.addFaults(tenant.id, [fault as unknown as Fault]);
	await expect(adding).rejects.toThrow('failed with 400');
	await expect(adding).rejects.toThrow(message);
	expect(await sandbox.control.faults(tenant.id)).toEqual([]);
});
