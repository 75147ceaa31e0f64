import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { Place } from '../parameters/read';
import type { FileSettings } from './fileSettings';
import { listFile } from './file';
import { linkedItems } from '../items';
import { boundedPages } from '../tool/result';
import type { Thinning } from './readOutput';
import type { Repeats } from './repeats';

/** How a list becomes items. */
export interface Listing {
	/** The pages of the list, up to a number of records. */
	list: (limit: number) => AsyncIterable<IDataObject[]>;
	limit: number;
	/** Takes each page in its order, before it becomes items or a part of the file. */
	repeats: Repeats;
	thin: Thinning;
	/** Undefined for an item per record. */
	file: FileSettings | undefined;
	/** How a tool's caller gets less, see boundedPages. */
	narrower?: string;
}

/**
 * An item per record, thinned out as the pages arrive, or one with a file of them, which has all fields.
 * @throws the error of a page that cannot be read, and those of listFile and boundedPages.
 */
export async function* listedItems(
	functions: Parameters<typeof listFile>[0],
	place: Place,
	{ list, limit, repeats, thin, file, narrower }: Listing,
): AsyncGenerator<INodeExecutionData[], void, undefined> {
	const note = (page: IDataObject[]) => repeats.note(page);
	if (file !== undefined) {
		yield [await listFile(functions, place, file, list(limit), note)];
		return;
	}
	const thinned = async function* (most: number) {
		for await (const page of list(most)) {
			note(page);
			yield page.map(thin);
		}
	};
	for await (const page of boundedPages(place, limit, thinned, narrower)) yield linkedItems(page, place.itemIndex);
}
