import { LIST_TRANSACTIONS } from '../shared/service/reads';
import type { Schemas } from '../shared/service/schemas';
import type { Source } from '../shared/trigger/source';

/** The fields of a transaction (API document, Resources). */
const FIELD_NAMES: Record<Exclude<keyof Schemas['Transaction'], 'id'>, string> = {
	amount: 'Amount',
	currency: 'Currency',
	fee: 'Fee',
	kind: 'Kind',
	lead_id: 'Lead ID',
	net: 'Net',
	occurred_at: 'Occurred At',
	product_name: 'Product Name',
	provider: 'Provider',
	status: 'Status',
};

export const transactions: Source = {
	kind: { plural: 'transactions', fields: Object.keys(FIELD_NAMES), occurredAt: 'occurred_at' },
	singular: 'transaction',
	list: LIST_TRANSACTIONS,
	stateKeyPrefix: 'leadRevenueTransactionTrigger:',
	events: { new: 'newTransaction', newOrUpdated: 'newOrUpdatedTransaction' },
	maxName: 'maxTransactions',
	fieldNames: FIELD_NAMES,
	// The API document does not list the values of these fields (Resources, Gaps), so the user chooses from existing values.
	filters: [
		{ displayName: 'Currencies', name: 'currency' },
		{ displayName: 'Kinds', name: 'kind' },
		{ displayName: 'Products', name: 'product_name' },
		{ displayName: 'Providers', name: 'provider' },
		{ displayName: 'Statuses', name: 'status' },
	],
	sinceDate: 'transactions since a date',
	getOne: 'Make a test payment',
	whereItWas: 'the date of the last transaction that arrived',
};
