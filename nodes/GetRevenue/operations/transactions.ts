import { LIST_TRANSACTIONS } from '../../shared/service/reads';
import type { Schemas } from '../../shared/service/schemas';
import type { RevenueOperation } from './operation';
import { listOf } from './operation';

/** The fields of a transaction, and whether Simplified has them. `kind` and `status` say whether the amount is money received. */
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

export const getTransactions: RevenueOperation = {
	name: 'Get Many Transactions',
	value: 'getTransactions',
	action: 'Get many transactions',
	description: 'Get a list of payment transactions',
	filters: ['updatedSince'],
	call: LIST_TRANSACTIONS,
	returns: { list: listOf('transactions', TRANSACTION_FIELDS) },
};
