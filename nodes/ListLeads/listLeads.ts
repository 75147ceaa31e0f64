import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { readLimit } from '../shared/fields/limit';
import { readRetryOptions } from '../shared/fields/retryOptions';
import { readFileSettings } from '../shared/file/fields';
import { listFile } from '../shared/file/listFile';
import { linkedItems } from '../shared/items';
import type { Connections } from '../shared/service/connections';
import { LIST_LEADS } from '../shared/service/leads';
import { pages } from '../shared/service/pages';
import { requestContext } from '../shared/service/request';

const LEADS = { name: 'leads' };

/**
 * The leads for one input item, as the service returns them, or one item with a file of them: the fields of a lead are a gap of the API document.
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

	const file = readFileSettings(place, (name, preset) => functions.getNodeParameter(name, itemIndex, preset), LEADS);

	const ctx = requestContext(functions, await connectionFor(itemIndex), retry, itemIndex);
	const leads = pages(ctx, LIST_LEADS, { limit });
	if (file !== undefined) return [await listFile(functions, place, file, leads)];
	const items: INodeExecutionData[] = [];
	for await (const page of leads) {
		for (const item of linkedItems(page, itemIndex)) items.push(item);
	}
	return items;
}
