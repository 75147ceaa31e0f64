import type { Schemas } from './schemas';

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
