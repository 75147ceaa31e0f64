import type { INodePropertyOptions } from 'n8n-workflow';
import type { ServicePath } from '../../shared/service/schemas';
import { objectOf } from '../pagination';

/** GET /v1/revenue/summary/ (API document, Operations): one item, the summary as the service returns it. */
export const getSummary: INodePropertyOptions = {
	name: 'Get Summary',
	value: 'getSummary',
	action: 'Get revenue summary',
	description: 'Get totals by product and by payment provider for a period',
	routing: {
		request: { method: 'GET', url: '/v1/revenue/summary/' satisfies ServicePath },
		send: { paginate: true },
		operations: objectOf('get the revenue summary', 'metrics'),
	},
};
