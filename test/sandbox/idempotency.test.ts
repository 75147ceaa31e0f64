import { randomUUID } from 'node:crypto';
import { AUTOMATION, useSandbox } from './support/sandbox.ts';

const sandbox = useSandbox();

test.each([
	null,
	'',
	'abc',
	'00000000-0000-0000-0000-000000000000',
	// version 1, version 7, and version 4 with another variant
	'2c5ea4c0-4067-11e9-8bad-9b1deb4d3b7d',
	'0190d2a5-7b3c-7c3e-9f1a-2b3c4d5e6f70',
	'3f2b8c1e-6d4a-4b7e-1c55-0123456789ab',
])('rejects the key %p', async (idempotencyKey) => {
	const tenant = await sandbox.tenant();
	const { status, data } = await tenant.tag({ idempotencyKey });
	expect(status).toBe(400);
	expect(Object.keys(data.error.fields)).toEqual(['Idempotency-Key']);
	expect(await sandbox.control.tagApplications(tenant.id)).toEqual([]);
});

test('responds to a retried write with the stored response and applies it once', async () => {
	const tenant = await sandbox.tenant();
	const idempotencyKey = randomUUID();
	const first = await tenant.tag({ idempotencyKey });
	const again = await tenant.tag({ idempotencyKey: idempotencyKey.toUpperCase() });
	expect(first.headers['idempotent-replay']).toBeUndefined();
	expect(again.headers['idempotent-replay']).toBe('true');
	expect([again.status, again.data]).toEqual([first.status, first.data]);
	expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
	expect(await sandbox.control.tagApplications(tenant.id)).toHaveLength(1);
});

test('replays the first response even when the service would now respond otherwise', async () => {
	const tenant = await sandbox.tenant();
	const idempotencyKey = randomUUID();
	const first = await tenant.post('/v1/automations/keyword/', AUTOMATION, { idempotencyKey });
	await tenant.change({ switches: { 'automation-status': '200', 'automation-extra': 'fields' } });
	const reordered = Object.fromEntries(Object.entries(AUTOMATION).reverse());
	const again = await tenant.post('/v1/automations/keyword/', reordered, { idempotencyKey });
	expect([again.status, again.data]).toEqual([first.status, first.data]);
});

test('rejects a key that was used for another body or path', async () => {
	const tenant = await sandbox.tenant({ leads: 2 });
	const [one, two] = (await tenant.walk('/v1/leads/')).map(({ id }) => id);
	const idempotencyKey = randomUUID();
	expect((await tenant.tag({ lead: one, idempotencyKey })).status).toBe(200);
	expect((await tenant.tag({ lead: two, idempotencyKey })).status).toBe(409);
	expect((await tenant.tag({ lead: one, tagId: await tenant.tagId(2), idempotencyKey })).status).toBe(409);
	expect((await tenant.post('/v1/automations/keyword/', AUTOMATION, { idempotencyKey })).status).toBe(409);
	expect(await sandbox.control.tagApplications(tenant.id)).toHaveLength(1);
});

test('stores no response of a rejected write, so that the key can be used again', async () => {
	const tenant = await sandbox.tenant();
	const idempotencyKey = randomUUID();
	expect((await tenant.tag({ tagId: 999_999, idempotencyKey })).status).toBe(404);
	expect((await tenant.tag({ idempotencyKey })).status).toBe(200);
});

test('keeps the keys of two organizations apart', async () => {
	const [one, two] = [await sandbox.tenant(), await sandbox.tenant()];
	const [lead, tagId, idempotencyKey] = [await one.firstLead(), await one.tagId(), randomUUID()];
	await sandbox.control.addFaults(one.id, [{ action: 'stall', ms: 2_000, then: 'respond' }]);
	const running = one.tag({ lead, tagId, idempotencyKey });
	while ((await sandbox.control.journal(one.id)).length < 2) await new Promise(setImmediate);
	const written = [await two.tag({ idempotencyKey }), await running];
	for (const { status, headers } of written) {
		expect([status, headers['idempotent-replay']]).toEqual([200, undefined]);
	}
});

test('responds with 409 while a write with the same key is running, and lets other keys through', async () => {
	const tenant = await sandbox.tenant({ leads: 1 });
	const [lead, tagId, idempotencyKey] = [await tenant.firstLead(), await tenant.tagId(), randomUUID()];
	await sandbox.control.addFaults(tenant.id, [{ action: 'stall', ms: 2_000, then: 'respond' }]);
	const running = tenant.tag({ lead, tagId, idempotencyKey });
	while ((await sandbox.control.journal(tenant.id)).length < 2) await new Promise(setImmediate);
	const meanwhile = await tenant.tag({ lead, tagId, idempotencyKey });
	expect([meanwhile.status, meanwhile.data.error.message]).toEqual([409, expect.stringContaining('still running')]);
	expect((await tenant.tag({ lead, tagId })).status).toBe(200);
	expect((await running).status).toBe(200);
	const after = await tenant.tag({ lead, tagId, idempotencyKey });
	expect(after.headers['idempotent-replay']).toBe('true');
	expect(await sandbox.control.tagApplications(tenant.id)).toHaveLength(2);
});

test('replays a write that is done, though its first response is still on its way', async () => {
	const tenant = await sandbox.tenant({ leads: 1 });
	const write = { lead: await tenant.firstLead(), tagId: await tenant.tagId(), idempotencyKey: randomUUID() };
	await sandbox.control.addFaults(tenant.id, [{ action: 'stall', ms: 2_000, then: 'respond', when: 'after' }]);
	const slow = tenant.tag(write);
	while ((await sandbox.control.tagApplications(tenant.id)).length < 1) await new Promise(setImmediate);
	expect((await tenant.tag(write)).headers['idempotent-replay']).toBe('true');
	expect((await slow).headers['idempotent-replay']).toBeUndefined();
	expect(await sandbox.control.tagApplications(tenant.id)).toHaveLength(1);
});

test('forgets a key after the retention', async () => {
	const tenant = await sandbox.tenant({ switches: { 'key-retention': '1h' } });
	const idempotencyKey = randomUUID();
	const replayed = async () => (await tenant.tag({ idempotencyKey })).headers['idempotent-replay'];
	expect(await replayed()).toBeUndefined();
	await tenant.change({ switches: { 'clock-skew': '59m' } });
	expect(await replayed()).toBe('true');
	await tenant.change({ switches: { 'clock-skew': '61m' } });
	expect(await replayed()).toBeUndefined();
	expect(await sandbox.control.tagApplications(tenant.id)).toHaveLength(2);
});
