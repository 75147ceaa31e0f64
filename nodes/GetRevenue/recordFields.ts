import type { Schemas } from '../shared/service/schemas';

/** The documented fields of a record (API document, Resources), and whether Simplified has them. */
export type RecordFields = Readonly<Record<string, boolean>>;

/** Without `provider` and `fee`. `kind` and `status` say whether the amount is money received. */
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
