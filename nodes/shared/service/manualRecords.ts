import type { Schemas } from './schemas';

/** The documented payment types of a manual record, and their names in the editor (API document, Resources). */
export const PAYMENT_TYPES: Record<Schemas['PaymentType'], string> = {
	DEPOSIT: 'Deposit',
	FULL: 'Full',
	INSTALLMENT: 'Installment',
};

/** The same for its statuses. */
export const MANUAL_STATUSES: Record<Schemas['ManualStatus'], string> = {
	CANCELLED: 'Cancelled',
	COMPLETE: 'Complete',
	PENDING: 'Pending',
	PROCESSING: 'Processing',
};
