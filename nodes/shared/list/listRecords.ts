import type { IDataObject, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { linkedItems } from '../items';
import type { ItemParameters } from '../parameters/itemParameters';
import { readBoolean, readInteger } from '../parameters/read';
import { optionsWith } from '../parameters/retryOptions';
import type { Call } from '../service/call';
import type { ItemFunctions } from '../service/connection/connection';
import type { RequestContext } from '../service/context';
import { pages } from '../service/pages';
import { boundedPages } from '../tool/result';
import { agentMayChooseFieldsField, conditionsField } from './conditions';
import { listFile } from './file';
import { fileFields } from './fileSettings';
import { matchingPages, maxRecordsToReadField, readSearch } from './find';
import type { Notices } from './notices';
import type { Thinning } from './output';
import { outputFields, readOutput } from './output';
import type { RecordList } from './recordList';
import { Repeats } from './recordList';

/** @param operations the operations that return a list; `undefined` if every operation of the node does. */
export function listFields(
	what: string,
	{ simplified = false, operations }: { simplified?: boolean; operations?: string[] } = {},
): INodeProperties[] {
	const fields: INodeProperties[] = [
		{
			displayName: 'Return All',
			name: 'returnAll',
			type: 'boolean',
			default: false,
			description: 'Whether to return all results or only up to a given limit',
			builderHint: {
				propertyHint:
					'May take minutes: the rate limit allows 12,000 records a minute. Leave it off, and set Limit, unless every record is needed.',
			},
		},
		{
			displayName: 'Limit',
			name: 'limit',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: 50,
			displayOptions: { show: { returnAll: [false] } },
			description: 'Max number of results to return',
			hint: `Turn on Return All for every ${what}`,
		},
		conditionsField(what),
		...outputFields(what, simplified),
		...fileFields,
	];
	if (operations === undefined) return fields;
	return fields.map((field) => {
		// When the user switches the operation, n8n's editor empties a collection that depends on `operation` (read in 2.41.1).
		const name = ['collection', 'fixedCollection'].includes(field.type) ? '/operation' : 'operation';
		return { ...field, displayOptions: { show: { [name]: operations, ...field.displayOptions?.show } } };
	});
}

export const listOptions = optionsWith(maxRecordsToReadField, agentMayChooseFieldsField);

export function readListSettings(parameters: ItemParameters, list: RecordList, notices: Notices) {
	const { get } = parameters;
	const returnAll = readBoolean(parameters, 'Return All', get('returnAll'));
	return {
		list,
		notices,
		limit: returnAll ? Infinity : readInteger(parameters, 'Limit', get('limit'), 1),
		output: readOutput(parameters, list, notices),
		search: readSearch(parameters),
	};
}

/** Lists the records for one input item as the pages arrive. The list ends with the page that exceeds `maxItems`. */
export async function listRecords(
	functions: ItemFunctions,
	ctx: RequestContext,
	call: Call,
	{ list, notices, limit, output, search }: ReturnType<typeof readListSettings>,
	maxItems = Infinity,
): Promise<INodeExecutionData[]> {
	const repeats = new Repeats(list);
	const read = (most: number) => repeats.counted(pages(ctx, call, { limit: most }));
	const pagesUpTo = (most: number) =>
		search === undefined ? read(most) : matchingPages(ctx, search, most, read, list, notices);
	const items: INodeExecutionData[] = [];
	if ('file' in output) items.push(await listFile(functions, ctx, output.file, pagesUpTo(limit)));
	else {
		const listed = { list, repeats, isSearch: search !== undefined };
		for await (const page of boundedPages(ctx, limit, listed, (most) => thinned(pagesUpTo(most), output.thin))) {
			for (const item of linkedItems(page, ctx.itemIndex)) items.push(item);
			if (items.length > maxItems) break;
		}
	}
	notices.repeated += repeats.count;
	return items;
}

async function* thinned(pages: AsyncIterable<IDataObject[]>, thin: Thinning) {
	for await (const page of pages) yield page.map(thin);
}
