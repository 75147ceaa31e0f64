import type { IDataObject, IExecutePaginationFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { isObject } from '../shared/isObject';
import { linkedItems } from '../shared/items';
import { listRecords, readListSettings } from '../shared/list/listRecords';
import { Notices } from '../shared/list/notices';
import type { RecordList } from '../shared/list/recordList';
import type { ItemParameters } from '../shared/parameters/itemParameters';
import type { Place } from '../shared/parameters/read';
import type { Call } from '../shared/service/call';
import { request } from '../shared/service/request';
import type { RequestContext } from '../shared/service/context';
import { boundedObject } from '../shared/tool/result';

/**
 * n8n's declarative engine spreads one input item's output into a call: about 120,000 items overflow the call stack
 * (measured on 1.123 and 2.41). Only a node that stops before can tell the user what to do.
 */
export const MAX_ITEMS_PER_INPUT = 100_000;

/** How a tool's caller gets less. */
export const NARROW_DATES = 'narrow "Date From" and "Date To" under Filters';

/**
 * An item per record of a list, or one with a file of them.
 * @param connected connects, once the parameters that only a list has are read.
 */
export async function returnRecords(
	functions: IExecutePaginationFunctions,
	parameters: ItemParameters,
	list: RecordList,
	call: Call,
	connected: () => Promise<RequestContext>,
): Promise<INodeExecutionData[]> {
	const notices = new Notices('record', ', or narrow the dates under Filters');
	const settings = readListSettings(parameters, list, notices);
	const ctx = await connected();
	const items = await listRecords(functions, ctx, call, settings, MAX_ITEMS_PER_INPUT);
	if (items.length > MAX_ITEMS_PER_INPUT) throw tooManyItems(parameters);
	// n8n has no hints for declarative nodes (measured on 2.41.1 and 1.123.81).
	for (const message of notices.messages())
		functions.logger.warn(ctx.connection.redact(`${ctx.node.name}: ${message}`));
	return items;
}

/** One item for one object. @throws NodeApiError for a response without this field. */
export async function returnObject(ctx: RequestContext, call: Call, field: string): Promise<INodeExecutionData[]> {
	const result = await request(ctx, call);
	if (!isObject(result.body) || !(field in result.body)) throw result.contractError(`it has no "${field}"`);
	return linkedItems([boundedObject(ctx, result.body as IDataObject, NARROW_DATES)], ctx.itemIndex);
}

function tooManyItems({ node, itemIndex }: Place): NodeOperationError {
	const most = MAX_ITEMS_PER_INPUT.toLocaleString('en');
	return new NodeOperationError(
		node,
		`There are more than ${most} records, which is more than n8n can take from this node at once`,
		{
			itemIndex,
			description:
				'Set "Output" to File, which takes any number, or narrow "Date From" and "Date To" under Filters and run the node once for each period. Nothing was output.',
		},
	);
}
