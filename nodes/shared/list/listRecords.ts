import type { IDataObject, IExecuteFunctions, IExecuteSingleFunctions, INodeExecutionData } from 'n8n-workflow';
import { linkedItems } from '../items';
import type { ItemParameters } from '../parameters/read';
import type { Call } from '../service/call';
import { pages } from '../service/pages';
import type { RequestContext } from '../service/context';
import { runsAsTool } from '../service/context';
import { boundedPages, mostToList } from '../tool/result';
import { listFile } from './file';
import type { Search } from './find';
import { matchingPages, nothingFound, readSearch } from './find';
import { readLimit } from './limit';
import type { Notices } from './notices';
import type { Output, Thinning } from './readOutput';
import { readOutput } from './readOutput';
import type { RecordList } from './recordList';
import type { Repeats } from './repeats';

/** A list, and what the user wants of it. */
export interface ListSettings {
	list: RecordList;
	/** Learn what the user should know of the list. */
	notices: Notices;
	/** `Infinity` for all records. */
	limit: number;
	output: Output;
	/** Undefined for every record. */
	search: Search | undefined;
}

/**
 * Reads Return All, Limit, the conditions, Output, Fields and the parameters of a file.
 * @throws NodeOperationError that names the parameter and the item.
 */
export function readListSettings(parameters: ItemParameters, list: RecordList, notices: Notices): ListSettings {
	return {
		list,
		notices,
		limit: readLimit(parameters),
		output: readOutput(parameters, list, notices),
		search: readSearch(parameters),
	};
}

/**
 * Lists the records for one input item, as its pages arrive: an item per record, thinned out, or one item with a file of whole
 * records. A tool's search that finds nothing returns an item that says so.
 * @param maxItems the most items that n8n takes from the node; one page beyond it ends the list.
 * @throws the error of a page that cannot be read, and those of listFile, matchingPages and boundedPages.
 */
export async function listRecords(
	functions: IExecuteFunctions | IExecuteSingleFunctions,
	ctx: RequestContext,
	call: Call,
	{ list, notices, limit, output, search }: ListSettings,
	maxItems = Infinity,
): Promise<INodeExecutionData[]> {
	const told = { narrower: list.narrower, isSearch: search !== undefined };
	const most = mostToList(ctx, limit, told);
	const repeats = list.repeats();
	const read = counted(pages(ctx, call, { limit: search === undefined ? most : search.most + 1 }), repeats);
	const found = search === undefined ? read : matchingPages(ctx, search, most, read, list, notices);
	const items: INodeExecutionData[] = [];
	if ('file' in output) items.push(await listFile(functions, ctx, output.file, found));
	else {
		for await (const page of boundedPages(ctx, limit, thinned(found, output.thin), told)) {
			for (const item of linkedItems(page, ctx.itemIndex)) items.push(item);
			if (items.length > maxItems) break;
		}
	}
	if (items.length === 0 && search !== undefined && runsAsTool(ctx.node))
		items.push(...linkedItems([nothingFound(repeats.records)], ctx.itemIndex));
	notices.repeated += repeats.count;
	return items;
}

async function* counted(pages: AsyncIterable<IDataObject[]>, repeats: Repeats) {
	for await (const page of pages) {
		repeats.note(page);
		yield page;
	}
}

async function* thinned(pages: AsyncIterable<IDataObject[]>, thin: Thinning) {
	for await (const page of pages) yield page.map(thin);
}
