import { randomUUID } from 'node:crypto';
import axios from 'axios';
import type { WrittenManualRecord, WrittenTransaction } from '../../sandbox/src/client.ts';
import { AUTOMATION, useSandbox } from './support/sandbox.ts';

const sandbox = useSandbox({ journalLimit: 50 });
const LIST = '/v1/revenue/transactions/';

const RECORDS = [
	{
		name: 'transaction',
		list: LIST,
		add: (id: string, records: Written[]) => sandbox.control.addTransactions(id, records),
		change: (id: string, record: string, changes: Written) => sandbox.control.changeTransaction(id, record, changes),
		rejected: [
			[{ amount: 10, fee: 1, net: 8 }, /net must be amount - fee/],
			[{ occurred_at: 'yesterday' }, /neither a date-time nor a duration/],
		],
	},
	{
		name: 'manual record',
		list: '/v1/revenue/manual/',
		add: (id: string, records: Written[]) => sandbox.control.addManualRecords(id, records),
		change: (id: string, record: string, changes: Written) => sandbox.control.changeManualRecord(id, record, changes),
		rejected: [
			[{ status: 'PAID' }, /status must be equal to one of the allowed values/],
			[{ payment_type: 'RATE' }, /payment_type must be equal to one of the allowed values/],
			[{ due_at: null }, /due_at must be string/],
		],
	},
] satisfies Array<{ rejected: Array<[object, RegExp]>; [other: string]: unknown }>;

type Written = Pick<
	WrittenTransaction & WrittenManualRecord,
	'id' | 'lead_id' | 'amount' | 'created_at' | 'updated_at' | 'visible_at'
>;

describe.each(RECORDS)('$name: what a test writes', ({ name, list, add, change, rejected }) => {
	const tenantOf = (more: object = {}) => sandbox.tenant({ transactions: 0, manual_records: 0, ...more });

	test('has any lead id, or none', async () => {
		const tenant = await tenantOf({ switches: { order: 'ascending' } });
		const lead = await tenant.firstLead();
		await add(tenant.id, [{ lead_id: 'somebody' }, { lead_id: null }, { lead_id: lead }]);
		const [named, guest, known] = await tenant.walk(list);
		expect([named.lead_id, 'lead_id' in guest, known.lead_id]).toEqual(['somebody', false, lead]);
	});

	test('appears when it is visible', async () => {
		const tenant = await tenantOf();
		await add(tenant.id, [{ id: 'late', updated_at: '-1h', visible_at: '1h' }, { id: 'now' }]);
		const shown = async () => (await tenant.walk(list)).map(({ id }) => id);
		expect(await shown()).toEqual(['now']);
		await tenant.change({ switches: { 'clock-skew': '61m' } });
		expect((await shown()).sort()).toEqual(['late', 'now']);
	});

	test('is made up where nothing is said, and stamped by the organization’s clock', async () => {
		const tenant = await tenantOf({ switches: { 'clock-skew': '2h', 'compared-timestamp': 'created_at' } });
		const { ids } = await add(tenant.id, [{}, {}]);
		expect(new Set(ids).size).toBe(2);
		const since = (ms: number) => ({ updated_since: new Date(Date.now() + 7_200_000 + ms).toISOString() });
		expect(await tenant.walk(list, since(-60_000))).toHaveLength(2);
		expect(await tenant.walk(list, since(60_000))).toEqual([]);
	});

	test('has an id of its own', async () => {
		const { id } = await tenantOf();
		await expect(add(id, [{ id: 'same' }, { id: 'same' }])).rejects.toThrow(/400: There is already a .* "same"/);
	});

	test('can be changed, which updated_since sees', async () => {
		const tenant = await tenantOf({ switches: { 'clock-skew': '2h' } });
		await add(tenant.id, [
			{ id: 'one', created_at: '-2d' },
			{ id: 'two', created_at: '-90m' },
		]);
		const since = { updated_since: new Date(Date.now() + 3_600_000).toISOString() };
		expect(await tenant.walk(list, since)).toEqual([]);
		expect(await change(tenant.id, 'one', { id: 'other', amount: 1_000 })).toEqual({ id: 'other' });
		await change(tenant.id, 'two', { updated_at: '-1d', amount: 7 });
		expect(await tenant.walk(list, since)).toMatchObject([{ id: 'other', amount: 1_000 }]);
		expect(await tenant.walk(list)).toHaveLength(2);
		await add(tenant.id, [{ created_at: '-30m' }]);
		expect(await tenant.walk(list, since)).toHaveLength(2);
		await expect(change(tenant.id, 'one', {})).rejects.toThrow(`The organization has no ${name} "one"`);
	});

	test.each<[object, RegExp]>([
		[{ amount: 1.5 }, /amount must be integer/],
		[{ created_at: 'yesterday' }, /neither a date-time nor a duration/],
		[{ price: 1 }, /additional properties/],
		[{ id: 'taken' }, /already a (transaction|manual record) with the id "taken"/],
		...rejected,
	])('is rejected: %j', async (written, message) => {
		const tenant = await tenantOf();
		await add(tenant.id, [{ id: 'taken' }]);
		await expect(add(tenant.id, [{}, written as Written])).rejects.toThrow(message);
		expect(await tenant.walk(list)).toHaveLength(1);
	});
});

describe('manual records', () => {
	test('go from any status to any other, and are paid and unpaid again', async () => {
		const tenant = await sandbox.tenant({ manual_records: 0 });
		const { id } = tenant;
		const statuses = ['PENDING', 'COMPLETE', 'CANCELLED', 'PROCESSING', 'PENDING'] as const;
		await sandbox.control.addManualRecords(id, [
			{
				id: 'm',
				status: 'CANCELLED',
				payment_type: 'INSTALLMENT',
				installment_counter: '1/3',
				due_at: '-1d',
				paid_at: null,
			},
		]);
		const record = async () => (await tenant.walk('/v1/revenue/manual/'))[0];
		expect(await record()).toMatchObject({ payment_type: 'INSTALLMENT', installment_counter: '1/3' });
		expect(Date.parse((await record()).due_at)).toBeLessThan(Date.now() - 80_000_000);
		for (const status of statuses) {
			const paid_at = status === 'COMPLETE' ? '-1m' : null;
			await sandbox.control.changeManualRecord(id, 'm', { status, paid_at });
			expect([(await record()).status, 'paid_at' in (await record())]).toEqual([status, status === 'COMPLETE']);
		}
		await sandbox.control.changeManualRecord(id, 'm', { installment_counter: null });
		expect('installment_counter' in (await record())).toBe(false);
	});
});

describe('journal', () => {
	test('notes what arrived and what became of it, without the credential', async () => {
		const tenant = await sandbox.tenant({ leads: 1 });
		const idempotencyKey = randomUUID();
		const [lead, tagId] = [await tenant.firstLead(), await tenant.tagId()];
		await tenant.tag({ lead, tagId, idempotencyKey });
		const replayed = await tenant.tag({ lead, tagId, idempotencyKey });
		const entries = await sandbox.control.journal(tenant.id);
		expect(entries.map(({ seq, method, status, replay }) => [seq, method, status, replay])).toEqual([
			[1, 'GET', 200, false],
			[2, 'POST', 200, false],
			[3, 'POST', 200, true],
		]);
		expect(entries[0]).toMatchObject({
			path: '/v1/leads/',
			query: { page_size: '1' },
			body: null,
			idempotency_key: null,
			in_flight: 0,
		});
		expect(entries[2]).toMatchObject({
			path: `/v1/leads/${lead}/tags/`,
			body: { tag_id: tagId },
			idempotency_key: idempotencyKey,
			request_id: replayed.headers['x-request-id'],
			key_id: expect.stringMatching(/_full$/),
		});
		expect(entries[2]!.headers['authorization']).toBe('Bearer ***');
		expect(JSON.stringify(entries)).not.toContain(tenant.keys.full);
		expect((await sandbox.control.journal(tenant.id, 2)).map(({ seq }) => seq)).toEqual([3]);
		await sandbox.control.clearJournal(tenant.id);
		await tenant.firstLead();
		expect((await sandbox.control.journal(tenant.id)).map(({ seq }) => seq)).toEqual([4]);
	});

	test('has rejected requests, wrong paths and bodies that are not JSON', async () => {
		const tenant = await sandbox.tenant();
		await tenant.get('/v1/leads/', {}, { key: tenant.keys.revoked });
		await tenant.get('/v1/nothing');
		await tenant.post('/v1/automations/keyword/', 'hello', { headers: { 'Content-Type': 'text/plain' } });
		const entries = await sandbox.control.journal(tenant.id);
		expect(entries.map(({ status, body }) => [status, body])).toEqual([
			[401, null],
			[404, null],
			[400, 'hello'],
		]);
	});

	test('keeps requests without an organization apart', async () => {
		const tenant = await sandbox.tenant();
		await sandbox.control.clearUnattributedJournal();
		await tenant.get('/v1/leads/', {}, { key: 'sk_unknown' });
		const [entry] = await sandbox.control.unattributedJournal();
		expect(entry).toMatchObject({ path: '/v1/leads/', status: 401, key_id: null });
		expect(JSON.stringify(entry)).not.toContain('sk_unknown');
		expect(await sandbox.control.unattributedJournal(entry!.seq)).toEqual([]);
	});

	test('keeps the latest entries only', async () => {
		const tenant = await sandbox.tenant();
		for (let i = 0; i < 120; i++) await tenant.get('/v1/leads/', { page_size: 1 });
		const entries = await sandbox.control.journal(tenant.id);
		expect(entries.map(({ seq }) => seq)).toEqual(Array.from({ length: 50 }, (_, index) => 71 + index));
	});

	test('counts the requests that are running', async () => {
		const tenant = await sandbox.tenant();
		await sandbox.control.addFaults(tenant.id, [{ action: 'stall', ms: 2_000, then: 'respond', times: 3 }]);
		const inFlight = async () => (await sandbox.control.journal(tenant.id)).map(({ in_flight: n }) => n);
		const running: Array<Promise<unknown>> = [];
		for (const arrived of [1, 2, 3]) {
			running.push(tenant.get('/v1/leads/'));
			while ((await inFlight()).length < arrived) await new Promise(setImmediate);
		}
		await Promise.all(running);
		await tenant.get('/v1/leads/');
		expect(await inFlight()).toEqual([0, 1, 2, 0]);
	});
});

describe('leads', () => {
	test('that are added are the newest, and have ids that the organization has not had', async () => {
		const tenant = await sandbox.tenant({ leads: 120, switches: { order: 'ascending' } });
		const before = (await tenant.walk('/v1/leads/')).map(({ id }) => id);
		const { ids } = await sandbox.control.addLeads(tenant.id, 3);
		const after = await tenant.walk('/v1/leads/');
		expect(after.map(({ id }) => id)).toEqual([...before, ...ids]);
		expect(Math.abs(Date.parse(after.at(-1).created_at) - Date.now())).toBeLessThan(60_000);
		expect(new Set([...before, ...ids]).size).toBe(123);
	});

	test.each([0, 1.5])('cannot be %d', async (count) => {
		const tenant = await sandbox.tenant({ leads: 0 });
		await expect(sandbox.control.addLeads(tenant.id, count)).rejects.toThrow(/count must be/);
	});
});

describe('transactions', () => {
	test('are made up where nothing is said, and stamped by the organization’s clock', async () => {
		const tenant = await sandbox.tenant({ transactions: 2, switches: { 'clock-skew': '2h', order: 'ascending' } });
		const lead_id = await tenant.firstLead();
		const { ids } = await sandbox.control.addTransactions(tenant.id, [{}, { provider: 'stripe', lead_id }]);
		const added = (await tenant.walk(LIST)).slice(2);
		expect(added.map(({ id }) => id)).toEqual(ids);
		expect(added[1]).toMatchObject({ provider: 'stripe', lead_id, currency: expect.any(String) });
		expect(Math.abs(Date.parse(added[0].occurred_at) - Date.now() - 2 * 3_600_000)).toBeLessThan(60_000);
	});

	test('count in the summary when they are visible', async () => {
		const tenant = await sandbox.tenant({ transactions: 0 });
		await sandbox.control.addTransactions(tenant.id, [{ updated_at: '-1h', visible_at: '1h' }, {}]);
		expect((await tenant.get('/v1/revenue/summary/')).data.metrics.by_provider[0].count).toBe(1);
	});

	test('have a net amount that follows', async () => {
		const tenant = await sandbox.tenant({ transactions: 0 });
		await sandbox.control.addTransactions(tenant.id, [{ id: 'one' }, { id: 'two' }]);
		await sandbox.control.changeTransaction(tenant.id, 'one', { status: 'succeeded', amount: 1_000, fee: 10 });
		await sandbox.control.changeTransaction(tenant.id, 'two', { net: 5, amount: 7 });
		const [one, two] = (await tenant.walk(LIST)).sort((a, b) => (a.id < b.id ? -1 : 1));
		expect([one.status, one.net, two.fee]).toEqual(['succeeded', 990, 2]);
	});
});

describe('organizations', () => {
	test('are described, and end with everything they have', async () => {
		const tenant = await sandbox.tenant({ name: 'Short lived', leads: 3, transactions: 2, manual_records: 1 });
		await tenant.tag();
		expect(await sandbox.control.organization(tenant.id)).toEqual({
			id: tenant.id,
			name: 'Short lived',
			leads: 3,
			transactions: 2,
			manual_records: 1,
			automations: 0,
			tag_applications: 1,
			tags: expect.arrayContaining([{ id: expect.any(Number), name: 'VIP', manual: true }]),
		});
		const described = await sandbox.control.describe();
		expect(described).toMatchObject({ url: sandbox.url, switches: { order: { default: expect.any(String) } } });
		expect(described.organizations).toContainEqual({ id: tenant.id, name: 'Short lived' });
		await sandbox.control.deleteOrganization(tenant.id);
		await expect(sandbox.control.organization(tenant.id)).rejects.toThrow(/404: There is no organization/);
		expect((await tenant.get('/v1/leads/')).status).toBe(401);
	});

	test.each([
		[{ leads: -1 }, /leads must be >= 0/],
		[{ lead: 1 }, /additional properties/],
		[{ budgets: { minute: '21m' } }, /budgets.minute takes a duration from 1ms to 20m/],
		[{ budgets: { read: 0 } }, /read must be >= 1/],
		[{ features: { flows: true } }, /additional properties/],
	])('reject %j', async (options, message) => {
		await expect(sandbox.control.createOrganization(options as object)).rejects.toThrow(message);
	});

	test('show their own writes, and the lead ids of the service', async () => {
		const mine = await sandbox.tenant({ leads: 1, switches: { 'lead-id-kind': 'numeric-text' } });
		const { key } = await sandbox.control.createKey(mine.id);
		for (const tenant of [mine, await sandbox.tenant()]) await tenant.tag();
		for (const tenant of [mine, await sandbox.tenant()]) {
			const options = tenant === mine ? { key } : {};
			expect((await tenant.post('/v1/automations/keyword/', AUTOMATION, options)).status).toBe(201);
		}
		const lead_id = await mine.firstLead();
		expect(await sandbox.control.tagApplications(mine.id)).toMatchObject([{ lead_id }]);
		expect(await sandbox.control.automations(mine.id)).toMatchObject([{ definition: AUTOMATION }]);
		const { ids } = await sandbox.control.addLeads(mine.id, 1);
		expect((await mine.walk('/v1/leads/')).map(({ id }) => id).sort()).toEqual([lead_id, ...ids].sort());
	});

	test('keep the settings that a change does not name', async () => {
		const { id } = await sandbox.tenant({ switches: { order: 'ascending' }, budgets: { enabled: true, read: 7 } });
		await sandbox.control.changeOrganization(id, { features: { keyword_automations: false } });
		const changed = await sandbox.control.changeOrganization(id, {
			switches: { 'clock-skew': '1h' },
			budgets: { write: 5, minute: '1s' },
		});
		expect(changed).toMatchObject({
			switches: { order: 'ascending', 'clock-skew': '1h' },
			budgets: { enabled: true, read: 7, write: 5, minute: 1_000 },
			features: { keyword_automations: false },
		});
	});

	test('reject wrong keys', async () => {
		const tenant = await sandbox.tenant();
		await expect(sandbox.control.createKey(tenant.id, { role: 'Owner' as never })).rejects.toThrow(/role must be/);
		const { full: others } = (await sandbox.tenant()).keys;
		for (const key of ['sk_unknown', others]) {
			await expect(sandbox.control.revokeKey(tenant.id, key)).rejects.toThrow(/no such key/);
		}
		expect((await tenant.get('/v1/leads/', {}, { key: others })).status).toBe(200);
	});
});

test('moves the clock of every organization', async () => {
	const tenant = await sandbox.tenant();
	const ahead = async () => Date.parse((await tenant.get('/v1/leads/')).headers['date']) - Date.now();
	try {
		await sandbox.control.setClock('-90m');
		expect(Math.abs((await ahead()) + 90 * 60_000)).toBeLessThan(60_000);
		await expect(sandbox.control.setClock('soon')).rejects.toThrow(/offset takes a number with a unit/);
	} finally {
		await sandbox.control.setClock('0s');
	}
	expect(Math.abs(await ahead())).toBeLessThan(60_000);
});

test('rejects unknown routes and broken JSON with a clear message', async () => {
	const request = (method: string, path: string, data?: string) =>
		axios.request({
			method,
			url: `${sandbox.url}/_sandbox${path}`,
			validateStatus: () => true,
			proxy: false,
			...(data === undefined ? {} : { data, headers: { 'Content-Type': 'application/json' } }),
		});
	const unknown = await request('GET', '/nothing');
	expect([unknown.status, unknown.data.error]).toEqual([404, expect.stringContaining('GET /_sandbox/nothing')]);
	expect((await request('POST', '/organizations', '{')).status).toBe(400);
	expect((await request('GET', '')).data.version).toBe('1.0.0');
});
