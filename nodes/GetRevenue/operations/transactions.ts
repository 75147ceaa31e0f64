import type { INodePropertyOptions } from 'n8n-workflow';
import type { Schemas, ServicePath } from '../../shared/service/schemas';
import { listOf } from '../pagination';

/** Source: API document, Resources; in its order. */
export const COLUMNS = [
	'id',
	'lead_id',
	'kind',
	'status',
	'provider',
	'product_name',
	'currency',
	'amount',
	'fee',
	'net',
	'occurred_at',
] as const satisfies Array<keyof Schemas['Transaction']>;

/** GET /v1/revenue/transactions/ (API document, Operations): one item per transaction, as the service returns it. */
export const getTransactions: INodePropertyOptions = {
	name: 'Get Many Transactions',
	value: 'getTransactions',
	action: 'Get many transactions',
	description: 'Get a list of payment transactions',
	routing: {
		request: { method: 'GET', url: '/v1/revenue/transactions/' satisfies ServicePath },
		send: { paginate: true },
		operations: listOf('list transactions', { name: 'transactions', columns: COLUMNS }),
	},
};
