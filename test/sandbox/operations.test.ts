import { AUTOMATION, LISTS, useSandbox } from './support/sandbox.ts';

const sandbox = useSandbox();

describe('lists', () => {
	test.each(LISTS)('%s pages through every record once', async (path) => {
		const tenant = await sandbox.tenant({ leads: 23, transactions: 23, manual_records: 23 });
		const records = await tenant.walk(path, { page_size: 5 });
		expect(new Set(records.map(({ id }) => id)).size).toBe(23);
		expect(records).toHaveLength(23);
	});

	test.each(LISTS)('%s returns 50 records without page_size, and the envelope of an empty list', async (path) => {
		const full = await sandbox.tenant({ leads: 60, transactions: 60, manual_records: 60 });
		const { data } = await full.get(path);
		expect(data.data).toHaveLength(50);
		expect(typeof data.next_cursor).toBe('string');
		const empty = await sandbox.tenant({ leads: 0, transactions: 0, manual_records: 0 });
		expect((await empty.get(path)).data).toEqual({ data: [], next_cursor: null });
	});

	test.each(LISTS)('%s ends with null when the last page is exactly full', async (path) => {
		const tenant = await sandbox.tenant({ leads: 10, transactions: 10, manual_records: 10 });
		expect((await tenant.get(path, { page_size: 10 })).data.next_cursor).toBeNull();
	});

	test.each([0, 101, -1, 'many', '', 1.5])('rejects page_size %p', async (pageSize) => {
		const tenant = await sandbox.tenant();
		const { status, data } = await tenant.get('/v1/leads/', { page_size: pageSize });
		expect(status).toBe(400);
		expect(data.error.fields.page_size).toHaveLength(1);
	});

	test('takes page sizes that change on the way', async () => {
		const tenant = await sandbox.tenant({ leads: 10 });
		const first = await tenant.get('/v1/leads/', { page_size: 3 });
		const second = await tenant.get('/v1/leads/', { page_size: 7, cursor: first.data.next_cursor });
		expect(second.data.data).toHaveLength(7);
		expect(second.data.next_cursor).toBeNull();
	});
});

describe('transactions', () => {
	test('carry every documented field, and net is amount minus fee', async () => {
		const tenant = await sandbox.tenant({ transactions: 60 });
		for (const record of await tenant.walk('/v1/revenue/transactions/')) {
			const { lead_id: leadId = '', ...others } = record;
			expect(Object.keys(others).sort().join(' ')).toBe(
				'amount currency fee id kind net occurred_at product_name provider status',
			);
			expect(typeof leadId).toBe('string');
			expect(record.net).toBe(record.amount - record.fee);
		}
	});

	test('name leads that the lead list has', async () => {
		const tenant = await sandbox.tenant({ leads: 5, transactions: 20 });
		const leads = new Set((await tenant.walk('/v1/leads/')).map(({ id }) => id));
		const named = (await tenant.walk('/v1/revenue/transactions/')).flatMap(({ lead_id: id }) => (id ? [id] : []));
		expect(named.length).toBeGreaterThan(0);
		expect(named.filter((id) => !leads.has(id))).toEqual([]);
	});

	test.each([
		['date_from', '2026-02-30'],
		['date_to', '01/02/2026'],
		['updated_since', '2026-01-01'],
		['updated_since', 'yesterday'],
	])('reject %s=%s', async (name, value) => {
		const tenant = await sandbox.tenant();
		const { status, data } = await tenant.get('/v1/revenue/transactions/', { [name]: value });
		expect(status).toBe(400);
		expect(Object.keys(data.error.fields)).toEqual([name]);
	});

	test('reject a period that ends before it begins', async () => {
		const tenant = await sandbox.tenant();
		const query = { date_from: '2026-02-01', date_to: '2026-01-31' };
		expect((await tenant.get('/v1/revenue/transactions/', query)).status).toBe(400);
		expect((await tenant.get('/v1/revenue/summary/', query)).status).toBe(400);
	});
});

describe('manual records', () => {
	test('are narrowed by status and payment type', async () => {
		const tenant = await sandbox.tenant({ manual_records: 80 });
		const all = await tenant.walk('/v1/revenue/manual/');
		const query = { status: 'COMPLETE', payment_type: 'INSTALLMENT', page_size: 3 };
		const some = await tenant.walk('/v1/revenue/manual/', query);
		const wanted = all.filter((r) => r.status === 'COMPLETE' && r.payment_type === 'INSTALLMENT');
		expect(wanted.length).toBeGreaterThan(0);
		expect(some).toEqual(wanted);
		for (const record of some) {
			expect(record).toMatchObject({ paid_at: expect.any(String), installment_counter: expect.any(String) });
		}
	});

	test('reject other statuses', async () => {
		const tenant = await sandbox.tenant();
		const { status, data } = await tenant.get('/v1/revenue/manual/', { status: 'complete' });
		expect(status).toBe(400);
		expect(data.error.fields.status[0]).toContain('PENDING, PROCESSING, COMPLETE, CANCELLED');
	});
});

describe('summary', () => {
	test('adds up the transactions of the period', async () => {
		const tenant = await sandbox.tenant({ transactions: 60 });
		const transactions = await tenant.walk('/v1/revenue/transactions/');
		const { data } = await tenant.get('/v1/revenue/summary/');
		const sum = (list: any[], field: string) => list.reduce((total, record) => total + record[field], 0);
		for (const field of ['amount', 'fee', 'net']) {
			expect(data.metrics[field]).toBe(sum(transactions, field));
			expect(sum(data.metrics.by_product, field)).toBe(data.metrics[field]);
			expect(sum(data.metrics.by_provider, field)).toBe(data.metrics[field]);
		}
		expect(sum(data.metrics.by_provider, 'count')).toBe(60);
		expect(data.period.start <= transactions.map((t) => t.occurred_at.slice(0, 10)).sort()[0]).toBe(true);
	});

	test('covers the days asked for', async () => {
		const tenant = await sandbox.tenant({ transactions: 0 });
		await tenant.control.addTransactions(tenant.id, [
			{ amount: 100, fee: 1, occurred_at: '2026-01-01T00:00:00Z' },
			{ amount: 200, fee: 2, occurred_at: '2026-01-02T23:59:59.999Z' },
			{ amount: 400, fee: 4, occurred_at: '2026-01-03T00:00:00Z' },
		]);
		const { data } = await tenant.get('/v1/revenue/summary/', { date_from: '2026-01-01', date_to: '2026-01-02' });
		expect(data.metrics).toMatchObject({ amount: 300, fee: 3, net: 297 });
		expect(data.period).toEqual({ start: '2026-01-01', end: '2026-01-02' });
	});

	test('narrows by member', async () => {
		const tenant = await sandbox.tenant({ transactions: 0 });
		const paidTo = (member_id: number, amount: number) => ({ amount, fee: 0, member_id });
		await tenant.control.addTransactions(tenant.id, [paidTo(1, 100), paidTo(2, 200)]);
		expect((await tenant.get('/v1/revenue/summary/', { member_id: 2 })).data.metrics.amount).toBe(200);
		expect((await tenant.get('/v1/revenue/summary/', { member_id: 0 })).status).toBe(400);
	});
});

describe('tagging a lead', () => {
	test('is applied once for each write', async () => {
		const tenant = await sandbox.tenant({ leads: 1 });
		const lead = await tenant.firstLead();
		expect((await tenant.tag({ lead })).data).toMatchObject({ lead_id: lead, tag_id: await tenant.tagId() });
		expect((await tenant.tag({ lead })).status).toBe(200);
		expect(await tenant.control.tagApplications(tenant.id)).toHaveLength(2);
	});

	test('rejects an unknown lead, an unknown tag and a tag that is not manual', async () => {
		const tenant = await sandbox.tenant({ leads: 1 });
		expect((await tenant.tag({ lead: 'lead_0000000' })).status).toBe(404);
		expect((await tenant.tag({ tagId: 999_999 })).status).toBe(404);
		const notManual = await tenant.tag({ tagId: await tenant.tagId(5) });
		expect(notManual.status).toBe(400);
		expect(notManual.data.error.fields).toEqual({ tag_id: ['must be the id of a manual tag'] });
		expect(await tenant.control.tagApplications(tenant.id)).toEqual([]);
	});

	test.each([[{}], [{ tag_id: '1' }], [{ tag_id: 1.5 }], [[]], ['{'], [undefined]])('rejects %p', async (body) => {
		const tenant = await sandbox.tenant({ leads: 1 });
		const path = `/v1/leads/${await tenant.firstLead()}/tags/`;
		const { status, data } = await tenant.post(path, body, { headers: { 'Content-Type': 'application/json' } });
		expect(status).toBe(400);
		expect(data.error.type).toBe('invalid_request');
	});

	test('rejects a body that is not declared as JSON', async () => {
		const tenant = await sandbox.tenant({ leads: 1 });
		const path = `/v1/leads/${await tenant.firstLead()}/tags/`;
		const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
		const sent = await tenant.post(path, 'tag_id=1', { headers });
		expect(sent.status).toBe(400);
	});
});

describe('creating a keyword automation', () => {
	test('returns id and is_active, and keeps the definition', async () => {
		const tenant = await sandbox.tenant();
		const { status, data } = await tenant.post('/v1/automations/keyword/', AUTOMATION);
		expect(status).toBe(201);
		expect(data).toEqual({ id: expect.stringMatching(/^auto_/), is_active: false });
		const [kept] = await tenant.control.automations(tenant.id);
		expect(kept).toMatchObject({ id: data.id, definition: AUTOMATION });
	});

	test.each([
		['keywords', 'guide'],
		['is_active', 'no'],
		['replies', [{ text: 1 }]],
	])('rejects %s = %p', async (name, value) => {
		const tenant = await sandbox.tenant();
		const { status, data } = await tenant.post('/v1/automations/keyword/', { ...AUTOMATION, [name]: value });
		expect(status).toBe(400);
		expect(Object.keys(data.error.fields)[0]).toMatch(new RegExp(`^${name}`));
	});
});

test('every response carries its own X-Request-ID, which is also in the error', async () => {
	const tenant = await sandbox.tenant({ leads: 1 });
	const responses = [
		await tenant.get('/v1/leads/'),
		await tenant.get('/v1/leads/', { page_size: 0 }),
		await tenant.get('/v1/leads/', {}, { key: null }),
		await tenant.get('/v1/revenue/manual/', {}, { key: tenant.keys.noscope }),
		await tenant.get('/v2/leads/'),
		await tenant.get('/v1/leads/%zz/'),
		await tenant.get('/v1/leads'),
		await tenant.tag(),
		await tenant.tag({ idempotencyKey: null }),
	];
	expect(responses.map(({ status }) => status)).toEqual([200, 400, 401, 403, 404, 400, 404, 200, 400]);
	const ids = responses.map(({ headers }) => headers['x-request-id']);
	expect(new Set(ids).size).toBe(responses.length);
	responses
		.filter(({ status }) => status >= 400)
		.forEach(({ data, headers }) => {
			expect(Object.keys(data)).toEqual(['error']);
			expect(data.error.request_id).toBe(headers['x-request-id']);
			expect(data.error).toMatchObject({ type: expect.any(String), message: expect.any(String) });
		});
});
