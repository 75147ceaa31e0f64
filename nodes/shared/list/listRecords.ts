import type { IDataObject, IExecuteFunctions, IExecuteSingleFunctions, INodeExecutionData } from 'n8n-workflow';
import { linkedItems } from '../items';
import type { Place } from '../parameters/read';
import type { Call } from '../service/call';
import { pages } from '../service/pages';
import type { RequestContext } from '../service/request';
import { runsAsTool } from '../service/audience';
import { boundedPages } from '../tool/result';
import { listFile } from './file';
import type { FileSettings, ListInFile } from './fileSettings';
import { readFileSettings } from './fileSettings';
import type { Search } from './find';
import { matchingPages, nothingFound, readSearch } from './find';
import { readLimit } from './limit';
import type { Notices } from './notices';
import type { Thinning } from './readOutput';
import { readOutput } from './readOutput';
import type { KeysOf } from './repeats';
import { Repeats } from './repeats';

/** A list of the service, as a node returns it. */
export interface RecordList extends ListInFile {
	/** The fields of Simplified, if the node has it. */
	simplified?: readonly string[];
	/** What tells the records of a page apart, and how many are remembered, see Repeats. */
	keysOf: KeysOf;
	remembered: number;
	/** How a tool's caller gets less, see boundedPages. */
	narrower?: string;
}

/** What the user wants of a list. */
export interface ListSettings {
	/** `Infinity` for all records. */
	limit: number;
	thin: Thinning;
	/** Undefined for an item per record. */
	file: FileSettings | undefined;
	/** Undefined for every record. */
	search: Search | undefined;
}

/**
 * Reads Return All, Limit, the conditions, Output, Fields and the parameters of a file. `get` returns a parameter's value, `''`
 * if the saved workflow lacks it; `zone` applies to times without an offset.
 * @throws NodeOperationError that names the parameter and the item.
 */
export function readListSettings(
	place: Place,
	get: (name: string) => unknown,
	list: RecordList,
	{ presence }: Notices,
	zone: string,
): ListSettings {
	const { simplified } = list;
	return {
		limit: readLimit(place, get),
		thin: readOutput(place, { get, presence, ...(simplified && { simplified }) }),
		file: readFileSettings(place, get, list),
		search: readSearch(place, get, zone),
	};
}

/**
 * Lists the records for one input item, as its pages arrive: an item per record, thinned out, or one with a file of them, which
 * has all fields. A tool's search that finds nothing returns an item that says so.
 * @param most the most items that n8n takes from the node; one page beyond it ends the list.
 * @throws the error of a page that cannot be read, and those of listFile and boundedPages.
 */
export async function listRecords(
	functions: IExecuteFunctions | IExecuteSingleFunctions,
	ctx: RequestContext,
	call: Call,
	list: RecordList,
	{ limit, thin, file, search }: ListSettings,
	notices: Notices,
	most = Infinity,
): Promise<INodeExecutionData[]> {
	const { itemIndex } = ctx;
	let recordsRead = 0;
	const repeats = new Repeats(list.keysOf, list.remembered);
	const read = async function* (limit: number): AsyncGenerator<IDataObject[], void, undefined> {
		for await (const page of pages(ctx, call, { limit })) {
			repeats.note(page);
			recordsRead += page.length;
			yield page;
		}
	};
	const found = (limit: number) =>
		search === undefined ? read(limit) : matchingPages(ctx, search, limit, read, { ...list, notices });
	const thinned = async function* (limit: number): AsyncGenerator<IDataObject[], void, undefined> {
		for await (const page of found(limit)) yield page.map(thin);
	};
	const told = { narrower: list.narrower, isSearch: search !== undefined };
	const items: INodeExecutionData[] = [];
	if (file !== undefined) items.push(await listFile(functions, ctx, file, found(limit)));
	else {
		for await (const page of boundedPages(ctx, limit, thinned, told)) {
			for (const item of linkedItems(page, itemIndex)) items.push(item);
			if (items.length > most) break;
		}
	}
	if (items.length === 0 && search !== undefined && runsAsTool(ctx.node))
		items.push(...linkedItems([nothingFound(recordsRead)], itemIndex));
	notices.repeated += repeats.count;
	return items;
}
