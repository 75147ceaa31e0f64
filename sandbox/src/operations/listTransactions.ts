import type { TransactionRow } from '../data/transactions.ts';
import { money } from '../storage/money.ts';
import { updatedSince, withinSpan } from '../storage/timeConditions.ts';
import { formatTimestamp, spanOf } from '../timestamps.ts';
import type { Call } from './operation.ts';
import { pagedList } from './pagedList.ts';
import { leadIdOf, visible } from './storedRecords.ts';

/** Lists transactions: GET /v1/revenue/transactions/ (API document, Operations). */
export const listTransactions = pagedList<TransactionRow>({
	id: 'get_public_revenue_transactions',
	scope: () => 'revenue:read',
	table: 'transactions',
	orderColumn: (call) => call.organization.switches['order-by'],
	filters: ['date_from', 'date_to', 'updated_since'],
	conditions(call, filters) {
		const { switches } = call.organization;
		return [
			visible(call),
			...withinSpan(switches['date-compares'], spanOf(filters, switches, call.now)),
			...updatedSince(switches['compared-timestamp'], filters['updated_since'], switches),
		];
	},
	present,
});

function present(call: Call, row: TransactionRow): unknown {
	const { switches } = call.organization;
	const amount = money(row.amount, switches['amount-unit']);
	const fee = money(row.fee, switches['amount-unit']);
	return {
		id: row.id,
		...leadIdOf(call, row),
		kind: row.kind,
		status: row.status,
		provider: row.provider,
		product_name: row.product_name,
		currency: row.currency,
		amount,
		fee,
		net: amount - fee,
		occurred_at: formatTimestamp(row.occurred_at, switches['timestamp-format']),
	};
}
