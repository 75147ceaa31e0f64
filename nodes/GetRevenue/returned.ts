import type { IDataObject, IExecutePaginationFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { linkedItems } from '../shared/items';
import { listRecords, readListSettings } from '../shared/list/listRecords';
import { Notices } from '../shared/list/notices';
import type { RecordList } from '../shared/list/recordList';
import { Repeats } from '../shared/list/repeats';
import type { ItemParameters, Place } from '../shared/parameters/read';
import type { Call } from '../shared/service/call';
import { isObject } from '../shared/service/call';
import { request } from '../shared/service/request';
import type { RequestContext } from '../shared/service/context';
import { boundedObject } from '../shared/tool/result';

/**
 * n8n's declarative engine spreads one input item's output into a call: about 120,000 items overflow the call stack
 * (measured on 1.123 and 2.41). Only a node that stops before can tell the user what to do.
 */
export const MAX_ITEMS_PER_INPUT = 100_000;

const NARROW_DATES = 'narrow "Date From" and "Date To" under Filters';

/** What an operation returns for an input item. */
export interface Returned {
	/** For a list: the node shows the fields of a list for the operation. */
	list?: RecordList;
	/**
	 * Reads the parameters that only this needs, connects, and sends the call.
	 * @throws NodeOperationError for an unusable parameter, NodeApiError when the service does not return what it documents.
	 */
	read(
		functions: IExecutePaginationFunctions,
		parameters: ItemParameters,
		call: Call,
		connected: () => Promise<RequestContext>,
	): Promise<INodeExecutionData[]>;
}

/**
 * One item per record of a list, or one file of them.
 * @param name of the file.
 * @param fields the documented fields of a record (API document, Resources), and whether Simplified has them.
 */
export function records(name: string, fields: Readonly<Record<string, boolean>>): Returned {
	const list: RecordList = {
		name,
		columns: Object.keys(fields),
		simplified: Object.keys(fields).filter((field) => fields[field]),
		repeats: () => new Repeats(idsIn, MAX_ITEMS_PER_INPUT),
		narrower: NARROW_DATES,
	};
	return {
		list,
		async read(functions, parameters, call, connected) {
			const notices = new Notices('record', ', or narrow the dates under Filters');
			const settings = readListSettings(parameters, list, notices);
			const ctx = await connected();
			const items = await listRecords(functions, ctx, call, settings, MAX_ITEMS_PER_INPUT);
			if (items.length > MAX_ITEMS_PER_INPUT) throw tooManyItems(parameters);
			// n8n has no hints for declarative nodes (measured on 2.41.1 and 1.123.81).
			for (const message of notices.messages())
				functions.logger.warn(ctx.connection.redact(`${ctx.node.name}: ${message}`));
			return items;
		},
	};
}

/** One item for an object. It has at least the field `required`: an error page may be an object, too. */
export function objectWith(required: string): Returned {
	return {
		async read(_functions, parameters, call, connected) {
			const result = await request(await connected(), call);
			if (!isObject(result.body) || !(required in result.body)) {
				throw result.contractError(`it has no "${required}"`);
			}
			const object = boundedObject(parameters, result.body as IDataObject, NARROW_DATES);
			return linkedItems([object], parameters.itemIndex);
		},
	};
}

const idsIn = (page: IDataObject[]) => page.map(({ id }) => (typeof id === 'string' ? id : undefined));

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
