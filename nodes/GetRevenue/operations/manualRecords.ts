import type { INodePropertyOptions } from 'n8n-workflow';
import type { ServicePath } from '../../shared/service/schemas';
import { listOf } from '../pagination';
import { MANUAL_RECORD_FIELDS } from '../recordFields';

/** GET /v1/revenue/manual/ (API document, Operations): one item per record, as the service returns it. */
export const getManualRecords: INodePropertyOptions = {
	name: 'Get Many Manual Records',
	value: 'getManualRecords',
	action: 'Get many manual revenue records',
	description: 'Get a list of revenue that was entered by hand, such as deposits and installments',
	routing: {
		request: { method: 'GET', url: '/v1/revenue/manual/' satisfies ServicePath },
		send: { paginate: true },
		operations: listOf('list manual revenue records', 'manual-records', MANUAL_RECORD_FIELDS),
	},
};
