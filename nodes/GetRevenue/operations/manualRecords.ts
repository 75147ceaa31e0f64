import type { INodePropertyOptions } from 'n8n-workflow';
import type { Schemas, ServicePath } from '../../shared/service/schemas';
import { listOf } from '../pagination';

/** Source: API document, Resources; in its order. */
export const COLUMNS = [
	'id',
	'lead_id',
	'amount',
	'status',
	'payment_type',
	'installment_counter',
	'due_at',
	'paid_at',
] as const satisfies Array<keyof Schemas['ManualRecord']>;

/** GET /v1/revenue/manual/ (API document, Operations): one item per record, as the service returns it. */
export const getManualRecords: INodePropertyOptions = {
	name: 'Get Many Manual Records',
	value: 'getManualRecords',
	action: 'Get many manual revenue records',
	description: 'Get a list of revenue that was entered by hand, such as deposits and installments',
	routing: {
		request: { method: 'GET', url: '/v1/revenue/manual/' satisfies ServicePath },
		send: { paginate: true },
		operations: listOf('list manual revenue records', { name: 'manual-records', columns: COLUMNS }),
	},
};
