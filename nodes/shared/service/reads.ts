import type { Call } from './call';
import type { Schemas, ServicePath } from './schemas';

/** The scope is a gap (API document, Authentication, Gaps), but the document lists leads:read. */
export const LIST_LEADS: Call = {
	method: 'GET',
	path: '/v1/leads/' satisfies ServicePath,
	purpose: 'list leads',
	needs: 'most likely the scope leads:read',
};

/** Makes a read of revenue (API document, Operations). @param purpose names the operation in messages. */
export function revenueCall(path: ServicePath, purpose: string): Call {
	return { method: 'GET', path, purpose, needs: 'the scope revenue:read' };
}

export const LIST_MANUAL_RECORDS = revenueCall('/v1/revenue/manual/', 'list manual revenue records');
export const LIST_TRANSACTIONS = revenueCall('/v1/revenue/transactions/', 'list transactions');

/** The documented payment types of a manual record, and their names in the editor (API document, Resources). */
export const PAYMENT_TYPES: Record<Schemas['PaymentType'], string> = {
	FULL: 'Full',
	DEPOSIT: 'Deposit',
	INSTALLMENT: 'Installment',
};

/** The documented statuses of a manual record, and their names in the editor (API document, Resources). */
export const MANUAL_STATUSES: Record<Schemas['ManualStatus'], string> = {
	PENDING: 'Pending',
	PROCESSING: 'Processing',
	COMPLETE: 'Complete',
	CANCELLED: 'Cancelled',
};

/** API document, Resources. Simplified has the true fields: `kind` and `status` say whether the amount is money received. */
export const TRANSACTION_FIELDS: Readonly<Record<keyof Schemas['Transaction'], boolean>> = {
	id: true,
	lead_id: true,
	kind: true,
	status: true,
	provider: false,
	product_name: true,
	currency: true,
	amount: true,
	fee: false,
	net: true,
	occurred_at: true,
};

/** The fields of a manual record (API document, Resources), and whether Simplified has them. */
export const MANUAL_RECORD_FIELDS: Readonly<Record<keyof Schemas['ManualRecord'], boolean>> = {
	id: true,
	lead_id: true,
	amount: true,
	status: true,
	payment_type: false,
	installment_counter: false,
	due_at: true,
	paid_at: true,
};

/** Returns the fields except the id, which never changes, in the order of the saved details. */
export function watchableFields(fields: Readonly<Record<string, boolean>>): string[] {
	return Object.keys(fields)
		.filter((name) => name !== 'id')
		.sort();
}
