import type { Switches } from '../../../sandbox/src/client.ts';
import type { SandboxHandle } from '../support/sandbox.ts';
import type { Cases } from './cases.ts';

const TRANSACTIONS = '/v1/revenue/transactions/';
const text = expect.any(String);
const NESTED = { profile: { first_name: text }, contact: { email: text } };

export function recordCases(sandbox: SandboxHandle): Cases {
	const lead = async (switches: Switches) => {
		const tenant = await sandbox.tenant({ leads: 3, switches });
		const { data } = await tenant.get('/v1/leads/');
		return { tenant, record: data.data[0] };
	};

	const leadOf = async (shape: NonNullable<Switches['lead-shape']>) => (await lead({ 'lead-shape': shape })).record;

	async function occurredAt(format: Switches['timestamp-format']): Promise<string> {
		const tenant = await sandbox.tenant({ transactions: 0, switches: { 'timestamp-format': format! } });
		await sandbox.control.addTransactions(tenant.id, [{ occurred_at: '2026-01-01T00:00:00Z' }]);
		return (await tenant.get(TRANSACTIONS)).data.data[0].occurred_at;
	}

	async function leadIdKind(kind: Switches['lead-id-kind'], form: RegExp): Promise<void> {
		const { tenant, record } = await lead({ 'lead-id-kind': kind! });
		const id = String(record.id);
		expect([typeof record.id, id]).toEqual([kind === 'number' ? 'number' : 'string', expect.stringMatching(form)]);
		expect((await tenant.tag({ lead: id })).data.lead_id).toBe(id);
		expect((await tenant.tag({ lead: `${id}1` })).status).toBe(404);
		expect(await sandbox.control.tagApplications(tenant.id)).toEqual([expect.objectContaining({ lead_id: id })]);
	}

	async function leadListScope(
		scope: Switches['lead-list-scope'],
		enough: any[],
		lacking: any[] | undefined,
	): Promise<void> {
		const tenant = await sandbox.tenant({ switches: { 'lead-list-scope': scope! } });
		const status = async (scopes: any[]) =>
			(await tenant.get('/v1/leads/', {}, { key: (await sandbox.control.createKey(tenant.id, { scopes })).key }))
				.status;
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

	return {
		'timestamp-format': {
			milliseconds: async () => expect(await occurredAt('milliseconds')).toBe('2026-01-01T00:00:00.000Z'),
			seconds: async () => expect(await occurredAt('seconds')).toBe('2026-01-01T00:00:00Z'),
			offset: async () => expect(await occurredAt('offset')).toBe('2026-01-01T02:00:00.000+02:00'),
		},
		'lead-shape': {
			flat: async () => expect(await leadOf('flat')).toMatchObject({ id: text, name: text }),
			nested: async () => expect(await leadOf('nested')).toMatchObject({ id: text, ...NESTED }),
			handle: async () => expect(await leadOf('handle')).toEqual({ lead_id: text, username: text, platform: text }),
			bare: async () => expect(await leadOf('bare')).toEqual({ id: text }),
		},
		'lead-id-kind': {
			text: () => leadIdKind('text', /^lead_[0-9a-v]{7}$/),
			'numeric-text': () => leadIdKind('numeric-text', /^\d+$/),
			number: () => leadIdKind('number', /^\d+$/),
			unicode: () => leadIdKind('unicode', /^[0-9a-v]{7} é\/ß\?#&\+%$/),
		},
		'lead-list-scope': {
			'leads:read': () => leadListScope('leads:read', ['leads:read'], ['leads:write']),
			'leads:write': () => leadListScope('leads:write', ['leads:write'], ['leads:read']),
			none: () => leadListScope('none', [], undefined),
		},
		'amount-unit': {
			minor: async () =>
				expect(await moneyOf('minor')).toEqual({ amount: 12_345, fee: 388, net: 11_957, total: 12_345 }),
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
			'empty-arrays': async () =>
				expect(await emptySummary('empty-arrays')).toEqual({
					amount: 0,
					fee: 0,
					net: 0,
					by_product: [],
					by_provider: [],
				}),
		},
	};
}
