import { revenueCall } from '../../shared/service/reads';
import type { RevenueOperation } from './operation';

export const getSummary: RevenueOperation = {
	name: 'Get Summary',
	value: 'getSummary',
	action: 'Get revenue summary',
	description: 'Get totals by product and by payment provider for a period',
	filters: ['memberId'],
	call: revenueCall('/v1/revenue/summary/', 'get the revenue summary'),
	returns: { objectWith: 'metrics' },
};
