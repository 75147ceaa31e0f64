import type { INodePropertyOptions } from 'n8n-workflow';
import type { ServicePath } from '../../shared/service/schemas';
import { listOf } from '../pagination';
import { TRANSACTION_FIELDS } from '../recordFields';

/** GET /v1/revenue/transactions/ (API document, Operations): one item per transaction, as the service returns it. */
export const getTransactions: INodePropertyOptions = {
	name: 'Get Many Transactions',
	value: 'getTransactions',
	action: 'Get many transactions',
	description: 'Get a list of payment transactions',
	routing: {
		request: { method: 'GET', url: '/v1/revenue/transactions/' satisfies ServicePath },
		send: { paginate: true },
		operations: listOf('list transactions', 'transactions', TRANSACTION_FIELDS),
	},
};
