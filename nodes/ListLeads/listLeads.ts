import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { readLimit } from '../shared/fields/limit';
import { readRetryOptions } from '../shared/fields/retryOptions';
import { linkedItems } from '../shared/items';
import type { Connections } from '../shared/service/connections';
import { LIST_LEADS } from '../shared/service/leads';
import { pages } from '../shared/service/pages';
import { requestContext } from '../shared/service/request';
import { boundedPages } from '../shared/toolAnswer';

/**
 * The leads for one input item, as the service returns them: the fields of a lead are a gap of the API document.
 * @throws NodeOperationError for an unusable parameter, NodeApiError when a page cannot be read.
 */
export async function listLeads(
	functions: IExecuteFunctions,
	connectionFor: Connections,
	itemIndex: number,
): Promise<INodeExecutionData[]> {
	const place = { node: functions.getNode(), itemIndex };
	const options = functions.getNodeParameter('options', itemIndex, {}) as IDataObject;
	const retry = readRetryOptions(place, options);
	const limit = readLimit(place, (name) => functions.getNodeParameter(name, itemIndex));

	const ctx = requestContext(functions, await connectionFor(itemIndex), retry, itemIndex);
	const items: INodeExecutionData[] = [];
	for await (const page of boundedPages(place, limit, (most) => pages(ctx, LIST_LEADS, { limit: most }))) {
		for (const item of linkedItems(page, itemIndex)) items.push(item);
	}
	return items;
}
