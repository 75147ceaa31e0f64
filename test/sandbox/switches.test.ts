import { randomUUID } from 'node:crypto';
import type { Switches } from '../../sandbox/src/client.ts';
import { AUTOMATION, Tenant, useSandbox } from './support/sandbox.ts';

const sandbox = useSandbox();
const TRANSACTIONS = '/v1/revenue/transactions/';
const DAY = 86_400_000;

/** Three transactions whose three timestamps order them in three ways. */
const THREE = [
	{ id: 'a', occurred_at: '2026-01-01T00:00:00Z', created_at: '2026-02-03T00:00:00Z', updated_at: '2026-03-02T00:00:00Z' },
	{ id: 'b', occurred_at: '2026-01-02T00:00:00Z', created_at: '2026-02-01T00:00:00Z', updated_at: '2026-03-03T00:00:00Z' },
	{ id: 'c', occurred_at: '2026-01-03T00:00:00Z', created_at: '2026-02-02T00:00:00Z', updated_at: '2026-03-01T00:00:00Z' },
];

async function withThree(switches: Switches): Promise<Tenant> {
	const tenant = await sandbox.tenant({ transactions: 0, manual_records: 0, switches });
	await sandbox.control.addTransactions(tenant.id, THREE);
	return tenant;
}
const ids = async (tenant: Tenant, query = {}) =>
	(await tenant.walk(TRANSACTIONS, { page_size: 1, ...query })).map(({ id }) => id).join('');
const exhausted = async (switches: Switches) => {
	const tenant = await sandbox.tenant({ switches, budgets: { enabled: true, read: 1, minute: '10m' } });
	await tenant.get('/v1/leads/');
	return tenant.get('/v1/leads/');
};
const failing = async (status: number, switches: Switches) => {
	const tenant = await sandbox.tenant({ switches });
	await sandbox.control.addFaults(tenant.id, [{ action: 'status', status }]);
	return tenant.get('/v1/leads/');
};
const conflict = async (switches: Switches) => {
	const tenant = await sandbox.tenant({ switches });
	await sandbox.control.addFaults(tenant.id, [{ action: 'still_running', applied: false, match: { method: 'POST' } }]);
	return tenant.tag();
};
const lead = async (switches: Switches) => {
	const tenant = await sandbox.tenant({ leads: 3, switches });
	const { data } = await tenant.get('/v1/leads/');
	return { tenant, record: data.data[0] };
};

/** For every value of every switch, what is different. */
const CASES: { [Name in keyof Required<Switches>]: Record<string, () => Promise<void>> } = {
	'order': {
		ascending: async () => expect(await ids(await withThree({ order: 'ascending' }))).toBe('bca'),
		descending: async () => expect(await ids(await withThree({ order: 'descending' }))).toBe('acb'),
		async shuffled() {
			const tenant = await sandbox.tenant({ leads: 40, switches: { order: 'shuffled' } });
			const shuffled = (await tenant.walk('/v1/leads/', { page_size: 7 })).map(({ created_at: at }) => at);
			expect((await tenant.walk('/v1/leads/', { page_size: 9 })).map(({ created_at: at }) => at)).toEqual(shuffled);
			const sorted = [...shuffled].sort();
			expect(new Set(shuffled).size).toBe(40);
			expect([sorted, sorted.toReversed()]).not.toContainEqual(shuffled);
		},
	},
	'order-by': {
		created_at: async () => expect(await ids(await withThree({ order: 'ascending', 'order-by': 'created_at' }))).toBe('bca'),
		updated_at: async () => expect(await ids(await withThree({ order: 'ascending', 'order-by': 'updated_at' }))).toBe('cab'),
		occurred_at: async () => expect(await ids(await withThree({ order: 'ascending', 'order-by': 'occurred_at' }))).toBe('abc'),
	},
	'updated-since-bound': {
		async inclusive() {
			const tenant = await withThree({ 'updated-since-bound': 'inclusive' });
			expect((await ids(tenant, { updated_since: '2026-03-02T00:00:00Z' })).split('').sort()).toEqual(['a', 'b']);
		},
		async exclusive() {
			const tenant = await withThree({ 'updated-since-bound': 'exclusive' });
			expect(await ids(tenant, { updated_since: '2026-03-02T00:00:00Z' })).toBe('b');
		},
	},
	'compared-timestamp': {
		async updated_at() {
			const tenant = await withThree({ 'compared-timestamp': 'updated_at' });
			expect(await ids(tenant, { updated_since: '2026-03-03T02:00:00+02:00' })).toBe('b');
		},
		async created_at() {
			const tenant = await withThree({ 'compared-timestamp': 'created_at' });
			expect(await ids(tenant, { updated_since: '2026-02-03T00:00:00Z' })).toBe('a');
		},
		async occurred_at() {
			const tenant = await withThree({ 'compared-timestamp': 'occurred_at' });
			expect(await ids(tenant, { updated_since: '2026-01-03T00:00:00Z' })).toBe('c');
		},
	},
	'date-bound': {
		async inclusive() {
			const tenant = await withThree({ 'date-bound': 'inclusive', order: 'ascending', 'order-by': 'occurred_at' });
			expect(await ids(tenant, { date_from: '2026-01-01', date_to: '2026-01-02' })).toBe('ab');
		},
		async exclusive() {
			const tenant = await withThree({ 'date-bound': 'exclusive' });
			expect(await ids(tenant, { date_from: '2026-01-01', date_to: '2026-01-02' })).toBe('a');
		},
	},
	'date-compares': {
		async occurred_at() {
			const tenant = await withThree({ 'date-compares': 'occurred_at' });
			expect(await ids(tenant, { date_from: '2026-01-03', date_to: '2026-01-31' })).toBe('c');
		},
		async created_at() {
			const tenant = await withThree({ 'date-compares': 'created_at' });
			expect(await ids(tenant, { date_from: '2026-02-03', date_to: '2026-02-28' })).toBe('a');
			expect((await tenant.get('/v1/revenue/summary/', { date_from: '2026-02-02' })).data.metrics.by_provider
				.reduce((total: number, { count }: { count: number }) => total + count, 0)).toBe(2);
		},
	},
	'default-period': {
		async all() {
			const tenant = await sandbox.tenant({ transactions: 0 });
			await sandbox.control.addTransactions(tenant.id, [{ id: 'old', occurred_at: '-40d' }, { id: 'new', occurred_at: '-20d' }]);
			expect(await tenant.walk(TRANSACTIONS)).toHaveLength(2);
		},
		async '30d'() {
			const tenant = await sandbox.tenant({ transactions: 0, switches: { 'default-period': '30d' } });
			await sandbox.control.addTransactions(tenant.id, [{ id: 'old', occurred_at: '-40d' }, { id: 'new', occurred_at: '-20d' }]);
			expect(await ids(tenant)).toBe('new');
			expect(await tenant.walk(TRANSACTIONS, { date_from: '2000-01-01' })).toHaveLength(2);
		},
	},
	'date-header': {
		present: async () => expect(Date.parse((await (await sandbox.tenant()).get('/v1/leads/')).headers['date'])).not.toBeNaN(),
		async absent() {
			const tenant = await sandbox.tenant({ switches: { 'date-header': 'absent' } });
			expect((await tenant.get('/v1/leads/')).headers['date']).toBeUndefined();
			expect((await tenant.get('/v1/leads/', { page_size: 0 })).headers['date']).toBeUndefined();
		},
	},
	'clock-skew': {
		async duration() {
			for (const [skew, milliseconds] of [['-3h', -3 * 3_600_000], ['2d', 2 * DAY]] as const) {
				const tenant = await sandbox.tenant({ switches: { 'clock-skew': skew } });
				const { headers, data } = await tenant.get('/v1/revenue/summary/');
				for (const shown of [headers['date'], data.computed_at]) {
					expect(Math.abs(Date.parse(shown) - Date.now() - milliseconds)).toBeLessThan(10_000);
				}
			}
		},
	},
	'timestamp-format': {
		milliseconds: async () => expect(await occurredAt('milliseconds')).toBe('2026-01-01T00:00:00.000Z'),
		seconds: async () => expect(await occurredAt('seconds')).toBe('2026-01-01T00:00:00Z'),
		offset: async () => expect(await occurredAt('offset')).toBe('2026-01-01T02:00:00.000+02:00'),
	},
	'lead-shape': {
		flat: async () => expect((await lead({ 'lead-shape': 'flat' })).record).toMatchObject({ id: expect.any(String), name: expect.any(String) }),
		nested: async () => expect((await lead({ 'lead-shape': 'nested' })).record).toMatchObject({
			id: expect.any(String), profile: { first_name: expect.any(String) }, contact: { email: expect.any(String) },
		}),
		handle: async () => expect((await lead({ 'lead-shape': 'handle' })).record).toEqual({
			lead_id: expect.any(String), username: expect.any(String), platform: expect.any(String),
		}),
		bare: async () => expect((await lead({ 'lead-shape': 'bare' })).record).toEqual({ id: expect.any(String) }),
	},
	'lead-id-kind': {
		text: () => leadIdKind('text', /^lead_[0-9a-v]{7}$/),
		'numeric-text': () => leadIdKind('numeric-text', /^\d+$/),
		unicode: () => leadIdKind('unicode', /^[0-9a-v]{7} é\/ß\?#&\+%$/),
	},
	'lead-list-scope': {
		'leads:read': () => leadListScope('leads:read', ['leads:read'], ['leads:write']),
		'leads:write': () => leadListScope('leads:write', ['leads:write'], ['leads:read']),
		none: () => leadListScope('none', [], undefined),
	},
	'amount-unit': {
		minor: async () => expect(await moneyOf('minor')).toEqual({ amount: 12_345, fee: 388, net: 11_957, total: 12_345 }),
		major: async () => expect(await moneyOf('major')).toEqual({ amount: 123, fee: 4, net: 119, total: 123 }),
	},
	'summary-when-empty': {
		zeros: async () => {
			const metrics = await emptySummary('zeros');
			expect(metrics.by_provider.length).toBeGreaterThan(0);
			for (const entry of [...metrics.by_provider, ...metrics.by_product]) {
				expect(entry).toMatchObject({ amount: 0, count: 0, fee: 0, net: 0 });
			}
		},
		'empty-arrays': async () => expect(await emptySummary('empty-arrays')).toEqual({
			amount: 0, fee: 0, net: 0, by_product: [], by_provider: [],
		}),
	},
	'tag-response': {
		'200-object': () => tagResponse('200-object', 200, expect.objectContaining({ tag_id: expect.any(Number) })),
		'200-empty': () => tagResponse('200-empty', 200, ''),
		'201-object': () => tagResponse('201-object', 201, expect.objectContaining({ tag_id: expect.any(Number) })),
		'204': () => tagResponse('204', 204, ''),
	},
	'automation-status': {
		'201': async () => expect((await automation({ 'automation-status': '201' })).status).toBe(201),
		'200': async () => expect((await automation({ 'automation-status': '200' })).status).toBe(200),
	},
	'automation-extra': {
		none: async () => expect(Object.keys((await automation({ 'automation-extra': 'none' })).data).sort()).toEqual(['id', 'is_active']),
		fields: async () => expect((await automation({ 'automation-extra': 'fields' })).data).toMatchObject(AUTOMATION),
	},
	'automation-required': {
		async all() {
			const { status, data } = await automation({ 'automation-required': 'all' }, { name: 'x' });
			expect(status).toBe(400);
			expect(Object.keys(data.error.fields)).toEqual(['is_active', 'keywords', 'comment_type', 'replies']);
		},
		async name() {
			expect((await automation({ 'automation-required': 'name' }, { name: 'x' })).data.is_active).toBe(false);
			expect((await automation({ 'automation-required': 'name' }, {})).status).toBe(400);
		},
		none: async () => expect((await automation({ 'automation-required': 'none' }, {})).status).toBe(201),
	},
	'automation-comment-type': {
		any: async () => expect((await automation({}, { ...AUTOMATION, comment_type: 'STORY' })).status).toBe(201),
		async ANY_POST() {
			const { status, data } = await automation({ 'automation-comment-type': 'ANY_POST' }, { ...AUTOMATION, comment_type: 'STORY' });
			expect([status, Object.keys(data.error.fields)]).toEqual([400, ['comment_type']]);
			expect((await automation({ 'automation-comment-type': 'ANY_POST' })).status).toBe(201);
		},
	},
	'automation-same-name': {
		allowed: async () => expect(await twice('allowed')).toEqual([201, 201]),
		conflict: async () => expect(await twice('conflict')).toEqual([201, 409]),
	},
	'cursor-lifetime': {
		async duration() {
			const tenant = await sandbox.tenant({ switches: { 'cursor-lifetime': '0ms' } });
			const { data } = await tenant.get('/v1/leads/', { page_size: 1 });
			expect((await tenant.get('/v1/leads/', { cursor: data.next_cursor })).status).toBe(400);
		},
	},
	'cursor-rejection': {
		'400': () => cursorRejection('400'),
		'404': () => cursorRejection('404'),
		'409': () => cursorRejection('409'),
	},
	'cursor-filters': {
		async bound() {
			const { tenant, cursor } = await filtered('bound');
			expect((await tenant.get(TRANSACTIONS, { cursor })).status).toBe(400);
		},
		async carried() {
			const { tenant, cursor } = await filtered('carried');
			const { data } = await tenant.get(TRANSACTIONS, { cursor, date_from: '2030-01-01' });
			expect(data.data.map(({ id }: { id: string }) => id)).toEqual(['b']);
		},
	},
	'key-retention': {
		async duration() {
			const tenant = await sandbox.tenant({ switches: { 'key-retention': '0ms' } });
			const idempotencyKey = randomUUID();
			await tenant.tag({ idempotencyKey });
			expect((await tenant.tag({ idempotencyKey })).headers['idempotent-replay']).toBeUndefined();
		},
	},
	'unknown-query': {
		async ignore() {
			expect((await (await sandbox.tenant()).get('/v1/leads/', { status: 'x', foo: 1 })).status).toBe(200);
		},
		async reject() {
			const tenant = await sandbox.tenant({ switches: { 'unknown-query': 'reject' } });
			const { status, data } = await tenant.get('/v1/leads/', { foo: 1 });
			expect([status, data.error.fields]).toEqual([400, { foo: ['is not known'] }]);
			expect((await tenant.get('/v1/leads/', { page_size: 1 })).status).toBe(200);
		},
	},
	'conflict-status-body': {
		envelope: async () => expect((await conflict({})).data.error.type).toBe('conflict'),
		async empty() {
			const { status, data, headers } = await conflict({ 'conflict-status-body': 'empty' });
			expect([status, data]).toEqual([409, '']);
			expect(headers['x-request-id']).toMatch(/^req_/);
		},
	},
	'server-error-body': {
		envelope: async () => expect((await failing(503, {})).data.error.type).toBe('server_error'),
		async html() {
			const { data, headers } = await failing(503, { 'server-error-body': 'html' });
			expect(headers['content-type']).toMatch(/^text\/html/);
			expect(data).toContain('<h1>');
		},
		empty: async () => expect((await failing(503, { 'server-error-body': 'empty' })).data).toBe(''),
	},
	'error-type-style': {
		snake: async () => expect((await failing(400, {})).data.error.type).toBe('invalid_request'),
		code: async () => expect((await failing(400, { 'error-type-style': 'code' })).data.error.type).toBe('E400'),
	},
	'error-fields-shape': {
		'object-of-arrays': async () => expect(await fields('object-of-arrays')).toEqual({ page_size: [expect.any(String)] }),
		'object-of-strings': async () => expect(await fields('object-of-strings')).toEqual({ page_size: expect.any(String) }),
		absent: async () => expect(await fields('absent')).toBeUndefined(),
	},
	'retry-after-style': {
		seconds: async () => expect((await exhausted({})).headers['retry-after']).toMatch(/^\d+$/),
		async 'http-date'() {
			const { headers, data } = await exhausted({ 'retry-after-style': 'http-date', 'clock-skew': '5h' });
			const wait = (Date.parse(headers['retry-after']) - Date.parse(headers['date'])) / 1_000;
			expect(Math.abs(wait - data.error.retry_after)).toBeLessThanOrEqual(1);
		},
		malformed: async () => expect((await exhausted({ 'retry-after-style': 'malformed' })).headers['retry-after']).toBe('soon'),
		async absent() {
			const { status, headers, data } = await exhausted({ 'retry-after-style': 'absent' });
			expect([status, headers['retry-after'], typeof data.error.retry_after]).toEqual([429, undefined, 'number']);
		},
	},
	'retry-after-body': {
		present: async () => expect((await exhausted({})).data.error.retry_after).toBeGreaterThan(1),
		absent: async () => expect((await exhausted({ 'retry-after-body': 'absent' })).data.error).not.toHaveProperty('retry_after'),
	},
};

async function occurredAt(format: Switches['timestamp-format']): Promise<string> {
	const tenant = await withThree({ 'timestamp-format': format!, order: 'ascending', 'order-by': 'occurred_at' });
	return (await tenant.get(TRANSACTIONS)).data.data[0].occurred_at;
}

async function leadIdKind(kind: Switches['lead-id-kind'], form: RegExp): Promise<void> {
	const { tenant, record } = await lead({ 'lead-id-kind': kind! });
	expect(record.id).toMatch(form);
	expect((await tenant.tag({ lead: record.id })).data.lead_id).toBe(record.id);
	expect((await tenant.tag({ lead: `${record.id}1` })).status).toBe(404);
	expect(await sandbox.control.tagApplications(tenant.id)).toEqual([expect.objectContaining({ lead_id: record.id })]);
}

async function leadListScope(scope: Switches['lead-list-scope'], enough: any[], lacking: any[] | undefined): Promise<void> {
	const tenant = await sandbox.tenant({ switches: { 'lead-list-scope': scope! } });
	const status = async (scopes: any[]) =>
		(await tenant.get('/v1/leads/', {}, { key: (await sandbox.control.createKey(tenant.id, { scopes })).key })).status;
	expect(await status(enough)).toBe(200);
	if (lacking) expect(await status(lacking)).toBe(403);
}

async function moneyOf(unit: Switches['amount-unit']) {
	const tenant = await sandbox.tenant({ transactions: 0, switches: { 'amount-unit': unit! } });
	await sandbox.control.addTransactions(tenant.id, [{ amount: 12_345, fee: 388 }]);
	const { amount, fee, net } = (await tenant.get(TRANSACTIONS)).data.data[0];
	return { amount, fee, net, total: (await tenant.get('/v1/revenue/summary/')).data.metrics.amount };
}

async function emptySummary(empty: Switches['summary-when-empty']) {
	const tenant = await sandbox.tenant({ switches: { 'summary-when-empty': empty! } });
	return (await tenant.get('/v1/revenue/summary/', { date_from: '1990-01-01', date_to: '1990-01-31' })).data.metrics;
}

async function tagResponse(response: Switches['tag-response'], status: number, body: unknown): Promise<void> {
	const tenant = await sandbox.tenant({ switches: { 'tag-response': response! } });
	const idempotencyKey = randomUUID();
	for (const replay of [undefined, 'true']) {
		const answer = await tenant.tag({ idempotencyKey });
		expect([answer.status, answer.data, answer.headers['idempotent-replay']]).toEqual([status, body, replay]);
	}
}

async function automation(switches: Switches, body: object = AUTOMATION) {
	return (await sandbox.tenant({ switches })).post('/v1/automations/keyword/', body);
}

async function twice(same: Switches['automation-same-name']): Promise<number[]> {
	const tenant = await sandbox.tenant({ switches: { 'automation-same-name': same! } });
	const create = async () => (await tenant.post('/v1/automations/keyword/', AUTOMATION)).status;
	return [await create(), await create()];
}

async function cursorRejection(rejection: Switches['cursor-rejection']): Promise<void> {
	const tenant = await sandbox.tenant({ switches: { 'cursor-rejection': rejection! } });
	expect((await tenant.get('/v1/leads/', { cursor: 'old' })).status).toBe(Number(rejection));
}

async function filtered(mode: Switches['cursor-filters']) {
	const tenant = await withThree({ 'cursor-filters': mode!, 'order-by': 'occurred_at' });
	const { data } = await tenant.get(TRANSACTIONS, { page_size: 1, date_from: '2026-01-02' });
	return { tenant, cursor: data.next_cursor as string };
}

async function fields(shape: Switches['error-fields-shape']) {
	const tenant = await sandbox.tenant({ switches: { 'error-fields-shape': shape! } });
	return (await tenant.get('/v1/leads/', { page_size: 0 })).data.error.fields;
}

describe.each(Object.entries(CASES))('%s', (_name, values) => {
	it.each(Object.entries(values))('%s', (_value, check) => check());
});

it('has a case for every value of every switch', async () => {
	const { switches } = await sandbox.control.describe();
	const values = Object.entries(switches).map(([name, { values }]) => [name, typeof values === 'string' ? [values] : [...values].sort()]);
	expect(Object.entries(CASES).map(([name, cases]) => [name, Object.keys(cases).sort()]).sort()).toEqual(values.sort());
});

it('sets a switch of every organization from the command line, which an organization can set otherwise', async () => {
	const { startSandbox } = await import('../../sandbox/src/client.ts');
	const other = await startSandbox({ leads: 5, transactions: 5, manualRecords: 5, switches: { 'lead-shape': 'bare' } });
	try {
		const aurora = new Tenant(other.url, other.control, { id: 'org_aurora', keys: { full: 'sk_demo_full_aurora' } as Tenant['keys'] });
		expect(Object.keys((await aurora.get('/v1/leads/')).data.data[0])).toEqual(['id']);
		await aurora.change({ switches: { 'lead-shape': 'handle' } });
		expect(Object.keys((await aurora.get('/v1/leads/')).data.data[0])).toContain('username');
	} finally {
		await other.stop();
	}
});

it('refuses unknown switches and values, and names what is accepted', async () => {
	const tenant = await sandbox.tenant();
	const change = (switches: object) => tenant.change({ switches: switches as Switches });
	await expect(change({ ordering: 'x' })).rejects.toThrow(/no switch "ordering".*order, order-by/);
	await expect(change({ order: 'random' })).rejects.toThrow(/does not take "random".*ascending, descending, shuffled/);
	await expect(change({ 'clock-skew': '5' })).rejects.toThrow(/does not take "5".*500ms/);
});

it('leaves manual records to due_at where transactions occur', async () => {
	const tenant = await sandbox.tenant({ manual_records: 30, switches: { order: 'ascending', 'order-by': 'occurred_at' } });
	const due = (await tenant.walk('/v1/revenue/manual/', { page_size: 7 })).map(({ due_at: at }) => at);
	expect(due).toEqual([...due].sort());
	await tenant.change({ switches: { 'compared-timestamp': 'occurred_at' } });
	const since = due[20]!;
	expect((await tenant.walk('/v1/revenue/manual/', { updated_since: since })).map(({ due_at: at }) => at))
		.toEqual(due.filter((at) => at >= since));
});
