import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { readLimit } from '../shared/fields/limit';
import { readRetryOptions } from '../shared/fields/retryOptions';
import { readFileSettings } from '../shared/file/fields';
import { listFile } from '../shared/file/listFile';
import { linkedItems } from '../shared/items';
import type { FieldPresence } from '../shared/output/readOutput';
import { readOutput } from '../shared/output/readOutput';
import type { Connections } from '../shared/service/connections';
import { LIST_LEADS } from '../shared/service/leads';
import { pages } from '../shared/service/pages';
import { requestContext } from '../shared/service/request';

/**
 * The leads for one input item, as the service returns them or thinned out, or one item with a file of them: the fields
 * of a lead are a gap of the API document. `presence` learns which of the selected fields the leads have.
 * @throws NodeOperationError for an unusable parameter, NodeApiError when a page cannot be read.
 */
export async function listLeads(
	functions: IExecuteFunctions,
	connectionFor: Connections,
	itemIndex: number,
	presence: FieldPresence,
): Promise<INodeExecutionData[]> {
	const place = { node: functions.getNode(), itemIndex };
	const options = functions.getNodeParameter('options', itemIndex, {}) as IDataObject;
	const retry = readRetryOptions(place, options);
	const limit = readLimit(place, (name) => functions.getNodeParameter(name, itemIndex));
	const get = (name: string) => functions.getNodeParameter(name, itemIndex, '');
	const thin = readOutput(place, { get, presence });
	const file = readFileSettings(place, get, { name: 'leads' });

	const ctx = requestContext(functions, await connectionFor(itemIndex), retry, itemIndex);
	const leads = pages(ctx, LIST_LEADS, { limit });
	if (file !== undefined) return [await listFile(functions, place, file, leads)];
	const items: INodeExecutionData[] = [];
	for await (const page of leads) {
		for (const item of linkedItems(page.map(thin), itemIndex)) items.push(item);
	}
	return items;
}
