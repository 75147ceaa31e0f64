import type { Condition } from '../storage/keyset.ts';
import { allOf } from '../storage/keyset.ts';
import { moneySql } from '../storage/money.ts';
import { withinSpan } from '../storage/timeConditions.ts';
import type { Span } from '../timestamps.ts';
import { formatDate, formatTimestamp, spanOf } from '../timestamps.ts';
import type { Call, Operation } from './operation.ts';
import { visible } from './storedRecords.ts';

interface Totals {
	amount: number;
	fee: number;
	net: number;
	count: number;
}

/** Sums up the revenue of a period: GET /v1/revenue/summary/ (API document, Operations). */
export const revenueSummary: Operation = {
	id: 'get_public_revenue_summary',
	kind: 'read',
	scope: () => 'revenue:read',
	perform: (call) => ({ status: 200, headers: {}, body: summarize(call) }),
};

function summarize(call: Call) {
	const { switches, number } = call.organization;
	const span = spanOf(call.query, switches, call.now);
	const { member_id: memberId } = call.query;
	const where = allOf([
		{ sql: 'organization = ?', values: [number] },
		visible(call),
		...withinSpan(switches['date-compares'], span),
		...(memberId === undefined ? [] : [{ sql: 'member_id = ?', values: [memberId] }]),
	]);
	const products = totalsBy(call, 'product_name', where);
	const providers = totalsBy(call, 'provider', where);
	const sum = (field: keyof Totals) => products.reduce((total, product) => total + product[field], 0);
	return {
		computed_at: formatTimestamp(call.now, switches['timestamp-format']),
		period: periodOf(call, span, where),
		metrics: {
			amount: sum('amount'),
			fee: sum('fee'),
			net: sum('net'),
			by_product: products.map(({ name, ...totals }) => ({ product_name: name, ...totals })),
			by_provider: providers.map(({ name, ...totals }) => ({ provider: name, ...totals })),
		},
	};
}

function totalsBy(call: Call, column: 'product_name' | 'provider', where: Condition) {
	const { switches, number } = call.organization;
	const amount = `coalesce(sum(${moneySql('amount', switches['amount-unit'])}), 0)`;
	const fee = `coalesce(sum(${moneySql('fee', switches['amount-unit'])}), 0)`;
	const found = call.database.all<Totals & { name: string }>(
		`SELECT ${column} AS name, ${amount} AS amount, count(*) AS count, ${fee} AS fee, ${amount} - ${fee} AS net
		FROM transactions WHERE ${where.sql} GROUP BY ${column} ORDER BY ${column}`,
		...where.values,
	);
	if (found.length > 0 || switches['summary-when-empty'] === 'empty-arrays') return found;
	const known = call.database.all<{ name: string }>(
		`SELECT DISTINCT ${column} AS name FROM transactions WHERE organization = ? ORDER BY ${column}`,
		number,
	);
	return known.map(({ name }) => ({ name, amount: 0, count: 0, fee: 0, net: 0 }));
}

/** Returns the first and last day of the period. An open start is the day of the first transaction, an open end is today. */
function periodOf(call: Call, { from }: Span, where: Condition): { start: string; end: string } {
	const column = call.organization.switches['date-compares'];
	const first = call.database.get<{ moment: number | null }>(
		`SELECT min(${column}) AS moment FROM transactions WHERE ${where.sql}`,
		...where.values,
	);
	const end = String(call.query['date_to'] ?? formatDate(call.now));
	return { start: formatDate(from ?? first?.moment ?? Date.parse(end)), end };
}
