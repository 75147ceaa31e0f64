import type { Call } from './call';
import type { Schemas, ServicePath } from './schemas';

const READ_REVENUE = { method: 'GET', needs: 'the scope revenue:read' } as const;

/** GET /v1/revenue/manual/ (API document, Operations). */
export const LIST_MANUAL_RECORDS: Call = {
	...READ_REVENUE,
	path: '/v1/revenue/manual/' satisfies ServicePath,
	purpose: 'list manual revenue records',
};

/** GET /v1/revenue/transactions/ (API document, Operations). */
export const LIST_TRANSACTIONS: Call = {
	...READ_REVENUE,
	path: '/v1/revenue/transactions/' satisfies ServicePath,
	purpose: 'list transactions',
};

/** GET /v1/revenue/summary/ (API document, Operations). */
export const GET_SUMMARY: Call = {
	...READ_REVENUE,
	path: '/v1/revenue/summary/' satisfies ServicePath,
	purpose: 'get the revenue summary',
};

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
