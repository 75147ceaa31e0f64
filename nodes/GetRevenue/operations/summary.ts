import type { RevenueOperation } from './operation';

/** GET /v1/revenue/summary/ (API document, Operations): one item, the summary as the service returns it. */
export const getSummary: RevenueOperation = {
	name: 'Get Summary',
	value: 'getSummary',
	action: 'Get revenue summary',
	description: 'Get totals by product and by payment provider for a period',
	path: '/v1/revenue/summary/',
	purpose: 'get the revenue summary',
	returns: { object: { required: 'metrics' } },
};
