import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { limitFields } from '../../shared/fields/limit';
import type { ServicePath } from '../../shared/service/schemas';
import { listOf } from '../send';
import { dateFrom, dateTo, filtersField, updatedSince } from './filters';

/** GET /v1/revenue/transactions/ (API document, Operations): one item per transaction, as the service gives it. */
export const getTransactions: INodePropertyOptions = {
	name: 'Get Many Transactions',
	value: 'getTransactions',
	action: 'Get many transactions',
	description: 'Get a list of payment transactions',
	routing: {
		request: { method: 'GET', url: '/v1/revenue/transactions/' satisfies ServicePath },
		send: { paginate: true },
		operations: listOf('list transactions'),
	},
};

export const getTransactionsFields: INodeProperties[] = [
	...limitFields('transaction', { show: { operation: ['getTransactions'] } }),
	filtersField('getTransactions', [dateFrom, dateTo, updatedSince]),
];
