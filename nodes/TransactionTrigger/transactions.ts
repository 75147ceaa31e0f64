import { LIST_TRANSACTIONS, TRANSACTION_FIELDS, watchableFields } from '../shared/service/reads';
import type { Source } from '../shared/trigger/source';

export const transactions: Source = {
	kind: { plural: 'transactions', fields: watchableFields(TRANSACTION_FIELDS), occurredAt: 'occurred_at' },
	singular: 'transaction',
	list: LIST_TRANSACTIONS,
	stateKeyPrefix: 'leadRevenueTransactionTrigger:',
	events: { new: 'newTransaction', newOrUpdated: 'newOrUpdatedTransaction' },
	maxName: 'maxTransactions',
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
