import type { Switches } from '../../../sandbox/src/client.ts';
import type { SandboxHandle, Tenant } from '../support/sandbox.ts';
import type { Cases } from './cases.ts';

const TRANSACTIONS = '/v1/revenue/transactions/';

const DAY = 86_400_000;

const transaction = (id: string, occurred: string, created: string, updated: string) => {
	const at = (day: string) => `2026-${day}T00:00:00Z`;
	return { id, occurred_at: at(occurred), created_at: at(created), updated_at: at(updated) };
};

/** Three transactions whose three timestamps order them in three ways. */
const THREE = [
	transaction('a', '01-01', '02-03', '03-02'),
	transaction('b', '01-02', '02-01', '03-03'),
	transaction('c', '01-03', '02-02', '03-01'),
];

const BY_DATE = { order: 'ascending', 'order-by': 'occurred_at' } as const;
const since = (moment: string) => ({ updated_since: moment });
const days = (from: string, to: string) => ({ date_from: from, date_to: to });

/** Order, filters, clock and cursors. */
export function listCases(sandbox: SandboxHandle): Cases {
	async function withThree(switches: Switches): Promise<Tenant> {
		const tenant = await sandbox.tenant({ transactions: 0, manual_records: 0, switches });
		await sandbox.control.addTransactions(tenant.id, THREE);
		return tenant;
	}

	const ids = async (tenant: Tenant, query = {}) =>
		(await tenant.walk(TRANSACTIONS, { page_size: 1, ...query })).map(({ id }) => id).join('');

	/** A check that the list of the three has these ids, in this order. */
	const returns = (expected: string, switches: Switches, query = {}) => {
		return async () => expect(await ids(await withThree(switches), query)).toBe(expected);
	};

	async function oldAndNew(switches: Switches): Promise<Tenant> {
		const tenant = await sandbox.tenant({ transactions: 0, switches });
		await sandbox.control.addTransactions(tenant.id, [
			{ id: 'old', occurred_at: '-40d' },
			{ id: 'new', occurred_at: '-20d' },
		]);
		return tenant;
	}

	const cursorRejection = (rejection: NonNullable<Switches['cursor-rejection']>) => async () => {
		const tenant = await sandbox.tenant({ switches: { 'cursor-rejection': rejection } });
		expect((await tenant.get('/v1/leads/', { cursor: 'old' })).status).toBe(Number(rejection));
	};

	async function filtered(mode: Switches['cursor-filters']) {
		const tenant = await withThree({ 'cursor-filters': mode!, 'order-by': 'occurred_at' });
		const { data } = await tenant.get(TRANSACTIONS, { page_size: 1, date_from: '2026-01-02' });
		return { tenant, cursor: data.next_cursor as string };
	}

	/** One at a time in the order of the last change, while the first one changes after it was read. */
	async function afterMove(cursors: Switches['cursors']): Promise<string> {
		const tenant = await withThree({ cursors: cursors!, order: 'ascending', 'order-by': 'updated_at' });
		let query: Record<string, unknown> = { page_size: 1 };
		let seen = '';
		for (;;) {
			const { data } = await tenant.get(TRANSACTIONS, query);
			seen += data.data[0].id;
			if (seen === 'c') await sandbox.control.changeTransaction(tenant.id, 'c', { updated_at: '2026-03-04T00:00:00Z' });
			if (data.next_cursor === null) return seen;
			query = { page_size: 1, cursor: data.next_cursor };
		}
	}

	/** Returns the first 100 of 120 leads, and what another page_size then returns: 50, or 15 of a scroll. */
	async function withOtherSize(cursors: Switches['cursors']) {
		const tenant = await sandbox.tenant({ leads: 120, switches: { cursors: cursors! } });
		const { data } = await tenant.get('/v1/leads/', { page_size: 100 });
		const cursor = data.next_cursor as string;
		const rest = await tenant.get('/v1/leads/', { page_size: cursors === 'scroll' ? 15 : 50, cursor });
		return { tenant, first: data.data as Array<{ id: string }>, cursor, rest };
	}

	return {
		order: {
			ascending: returns('bca', { order: 'ascending' }),
			descending: returns('acb', { order: 'descending' }),
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
			created_at: returns('bca', { order: 'ascending', 'order-by': 'created_at' }),
			updated_at: returns('cab', { order: 'ascending', 'order-by': 'updated_at' }),
			occurred_at: returns('abc', { order: 'ascending', 'order-by': 'occurred_at' }),
		},
		'updated-since-bound': {
			inclusive: returns('ab', { ...BY_DATE, 'updated-since-bound': 'inclusive' }, since('2026-03-02T00:00:00Z')),
			exclusive: returns('b', { ...BY_DATE, 'updated-since-bound': 'exclusive' }, since('2026-03-02T00:00:00Z')),
		},
		'compared-timestamp': {
			updated_at: returns('b', { 'compared-timestamp': 'updated_at' }, since('2026-03-03T02:00:00+02:00')),
			created_at: returns('a', { 'compared-timestamp': 'created_at' }, since('2026-02-03T00:00:00Z')),
			occurred_at: returns('c', { 'compared-timestamp': 'occurred_at' }, since('2026-01-03T00:00:00Z')),
		},
		'date-bound': {
			inclusive: returns('ab', { ...BY_DATE, 'date-bound': 'inclusive' }, days('2026-01-01', '2026-01-02')),
			exclusive: returns('a', { ...BY_DATE, 'date-bound': 'exclusive' }, days('2026-01-01', '2026-01-02')),
		},
		'date-compares': {
			occurred_at: returns('c', { 'date-compares': 'occurred_at' }, days('2026-01-03', '2026-01-31')),
			async created_at() {
				const tenant = await withThree({ 'date-compares': 'created_at' });
				expect(await ids(tenant, days('2026-02-03', '2026-02-28'))).toBe('a');
				const { data } = await tenant.get('/v1/revenue/summary/', { date_from: '2026-02-02' });
				const counts = data.metrics.by_provider.map(({ count }: { count: number }) => count);
				expect(counts.reduce((total: number, count: number) => total + count, 0)).toBe(2);
			},
		},
		'default-period': {
			all: async () => expect(await (await oldAndNew({})).walk(TRANSACTIONS)).toHaveLength(2),
			async '30d'() {
				const tenant = await oldAndNew({ 'default-period': '30d' });
				expect(await ids(tenant)).toBe('new');
				expect(await tenant.walk(TRANSACTIONS, { date_from: '2000-01-01' })).toHaveLength(2);
			},
		},
		'date-header': {
			present: async () =>
				expect(Date.parse((await (await sandbox.tenant()).get('/v1/leads/')).headers['date'])).not.toBeNaN(),
			async absent() {
				const tenant = await sandbox.tenant({ switches: { 'date-header': 'absent' } });
				expect((await tenant.get('/v1/leads/')).headers['date']).toBeUndefined();
				expect((await tenant.get('/v1/leads/', { page_size: 0 })).headers['date']).toBeUndefined();
			},
		},
		'clock-skew': {
			async duration() {
				for (const [skew, milliseconds] of [
					['-3h', -3 * 3_600_000],
					['2d', 2 * DAY],
				] as const) {
					const tenant = await sandbox.tenant({ switches: { 'clock-skew': skew } });
					const { headers, data } = await tenant.get('/v1/revenue/summary/');
					for (const shown of [headers['date'], data.computed_at]) {
						expect(Math.abs(Date.parse(shown) - Date.now() - milliseconds)).toBeLessThan(60_000);
					}
				}
			},
		},
		cursors: {
			position: async () => expect(await afterMove('position')).toBe('cabc'),
			offset: async () => expect(await afterMove('offset')).toBe('cbc'),
			async 'page-number'() {
				const { first, rest } = await withOtherSize('page-number');
				expect([first.length, rest.data.data]).toEqual([100, first.slice(50)]);
			},
			async 'page-size'() {
				const { tenant, cursor, rest } = await withOtherSize('page-size');
				expect(rest.status).toBe(400);
				expect((await tenant.get('/v1/leads/', { page_size: 100, cursor })).data.data).toHaveLength(20);
			},
			async scroll() {
				const { tenant, first, cursor, rest } = await withOtherSize('scroll');
				expect(rest.data.next_cursor).toBe(cursor);
				const last = await tenant.get('/v1/leads/', { page_size: 5, cursor });
				const leads = [...first, ...rest.data.data, ...last.data.data];
				expect(new Set(leads.map(({ id }) => id)).size).toBe(120);
				expect(last.data.next_cursor).toBeNull();
				// The same request again: it has moved on.
				const { data } = await tenant.get('/v1/leads/', { page_size: 5, cursor });
				expect(data).toEqual({ data: [], next_cursor: null });
			},
		},
		'cursor-lifetime': {
			async duration() {
				const tenant = await sandbox.tenant({ switches: { 'cursor-lifetime': '0ms' } });
				const { data } = await tenant.get('/v1/leads/', { page_size: 1 });
				expect((await tenant.get('/v1/leads/', { cursor: data.next_cursor })).status).toBe(400);
			},
		},
		'cursor-rejection': {
			'400': cursorRejection('400'),
			'404': cursorRejection('404'),
			'409': cursorRejection('409'),
			'500': cursorRejection('500'),
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
		'unknown-query': {
			ignore: async () =>
				expect((await (await sandbox.tenant()).get('/v1/leads/', { status: 'x', foo: 1 })).status).toBe(200),
			async reject() {
				const tenant = await sandbox.tenant({ switches: { 'unknown-query': 'reject' } });
				const { status, data } = await tenant.get('/v1/leads/', { foo: 1 });
				expect([status, data.error.fields]).toEqual([400, { foo: ['is not known'] }]);
				expect((await tenant.get('/v1/leads/', { page_size: 1 })).status).toBe(200);
			},
		},
	};
}
