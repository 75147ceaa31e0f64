import { LIST_TRANSACTIONS, TRANSACTION_FIELDS } from '../../shared/service/reads';
import type { RevenueOperation } from './operation';
import { listOf } from './operation';

export const getTransactions: RevenueOperation = {
	name: 'Get Many Transactions',
	value: 'getTransactions',
	action: 'Get many transactions',
	description: 'Get a list of payment transactions',
	filters: ['updatedSince'],
	call: LIST_TRANSACTIONS,
	returns: { list: listOf('transactions', TRANSACTION_FIELDS) },
};
