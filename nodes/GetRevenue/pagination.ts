import type {
	DeclarativeRestApiSettings,
	IExecutePaginationFunctions,
	INodeExecutionData,
	INodeProperties,
} from 'n8n-workflow';
import { orErrorItem } from '../shared/items';
import { operationField } from '../shared/parameters/nodeFields';
import { dropsResults } from '../shared/tool/toolCall';
import { getRevenue } from './getRevenue';
import { OPERATIONS } from './operations';
import { stopSiblingsOnFailure } from './siblings';

/** Runs the chosen operation. n8n's own pagination ignores the limit, the rate limit and item linking. */
async function pagination(
	this: IExecutePaginationFunctions,
	{ options }: DeclarativeRestApiSettings.ResultOptions,
): Promise<INodeExecutionData[]> {
	const itemIndex = this.getItemIndex();
	return await stopSiblingsOnFailure(
		this.getExecuteData(),
		itemIndex,
		async (stop, secrets) =>
			await orErrorItem(this, itemIndex, async () => await getRevenue(this, options, stop, secrets)),
	).catch((error: unknown) => {
		if (dropsResults(this)) return throwingWhenRead(error);
		throw error;
	});
}

/**
 * n8n collects the query from the filters' `routing`, and `pagination` sends it. `pagination` belongs to the parameter, not to
 * its options: for a value that is no option, n8n would send a request of its own to the base URL, and follow a redirect with the
 * key (measured on 2.41.1 and 1.123.81).
 */
export const revenueOperationField: INodeProperties = {
	...operationField(
		'getSummary',
		...OPERATIONS.map(({ name, value, action, description, call }) => ({
			...{ name, value, action, description },
			routing: { request: { method: call.method, url: call.path } },
		})),
	),
	routing: { send: { paginate: true }, operations: { pagination } },
};

/** Returns items that throw when n8n reads them. n8n makes an item of what a pagination throws, and drops that item, too. */
function throwingWhenRead(error: unknown): INodeExecutionData[] {
	const items: INodeExecutionData[] = [];
	items[Symbol.iterator] = () => {
		throw error;
	};
	return items;
}
