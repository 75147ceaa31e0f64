import type { ManualRecordRow } from '../data/manualRecords.ts';
import type { Condition } from '../storage/keyset.ts';
import { money } from '../storage/money.ts';
import { updatedSince, withinSpan } from '../storage/timeConditions.ts';
import { formatTimestamp, spanOf } from '../timestamps.ts';
import type { Call } from './operation.ts';
import { pagedList } from './pagedList.ts';
import { leadIdOf, visible } from './storedRecords.ts';

/** Lists manual revenue records: GET /v1/revenue/manual/ (API document, Operations). */
export const listManualRecords = pagedList<ManualRecordRow>({
	id: 'get_public_revenue_manual',
	scope: () => 'revenue:read',
	table: 'manual_records',
	orderColumn: (call) => columnOf(call.organization.switches['order-by']),
	filters: ['date_from', 'date_to', 'updated_since', 'status', 'payment_type'],
	conditions(call, filters) {
		const { switches } = call.organization;
		return [
			visible(call),
			...withinSpan(columnOf(switches['date-compares']), spanOf(filters, switches, call.now)),
			...updatedSince(columnOf(switches['compared-timestamp']), filters['updated_since'], switches),
			...equals('status', filters['status']),
			...equals('payment_type', filters['payment_type']),
		];
	},
	present,
});

function present(call: Call, row: ManualRecordRow): unknown {
	const { switches } = call.organization;
	const format = switches['timestamp-format'];
	return {
		id: row.id,
		...leadIdOf(call, row),
		amount: money(row.amount, switches['amount-unit']),
		status: row.status,
		payment_type: row.payment_type,
		...(row.installment_counter === null ? {} : { installment_counter: row.installment_counter }),
		due_at: formatTimestamp(row.due_at, format),
		...(row.paid_at === null ? {} : { paid_at: formatTimestamp(row.paid_at, format) }),
	};
}

/** Returns the column of a timestamp: for manual records, occurred_at means due_at. */
function columnOf(timestamp: string): string {
	return timestamp === 'occurred_at' ? 'due_at' : timestamp;
}

function equals(column: string, value: string | undefined): Condition[] {
	return value === undefined ? [] : [{ sql: `${column} = ?`, values: [value] }];
}
