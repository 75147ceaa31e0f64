import type { Call } from './call';
import type { Schemas, ServicePath } from './schemas';

/** A read of revenue (API document, Operations). @param purpose names it in messages. */
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

/** The same for its statuses. */
export const MANUAL_STATUSES: Record<Schemas['ManualStatus'], string> = {
	PENDING: 'Pending',
	PROCESSING: 'Processing',
	COMPLETE: 'Complete',
	CANCELLED: 'Cancelled',
};
