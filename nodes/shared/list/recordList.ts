import type { IDataObject } from 'n8n-workflow';
import { digestOf } from '../digest';

export interface RecordList {
	/** Default name of a file of it, without the ending. */
	name: string;
	/** Its documented fields, in the order of the API document. A record may lack some. */
	columns?: readonly string[];
	/** The fields of Simplified, if the node has it. */
	simplified?: readonly string[];
	/** The keys of a page's records, one for each, which tell them apart; `undefined` for a record that has none. */
	keysOf: (page: IDataObject[]) => ReadonlyArray<string | undefined>;
	/** How many records are remembered at least, and at most twice as many, plus a page, to know those that arrive again. */
	remembered: number;
	/** How a tool's caller gets less, a clause such as "narrow the dates". */
	narrower?: string;
}

const MAX_KEY = 200;

/**
 * Counts the records of one walk, and those that arrive on a second page: the list shifted while it was read, under a cursor
 * that is an offset. Whether cursors are offsets is a gap of the API document (Pagination: a cursor is opaque).
 */
export class Repeats {
	records = 0;
	/** How many of them arrived again. */
	count = 0;

	constructor(private readonly list: Pick<RecordList, 'keysOf' | 'remembered'>) {}

	async *counted(pages: AsyncIterable<IDataObject[]>): AsyncGenerator<IDataObject[], void, undefined> {
		let number = 0;
		let recent = new Map<string, number>();
		let older = recent;
		for await (const page of pages) {
			number += 1;
			this.records += page.length;
			for (const whole of this.list.keysOf(page)) {
				if (whole === undefined) continue;
				// A key may have any length.
				const key = whole.length > MAX_KEY ? digestOf(whole) : whole;
				const lastPage = recent.get(key) ?? older.get(key);
				if (lastPage !== undefined && lastPage !== number) this.count += 1;
				recent.set(key, number);
			}
			if (recent.size >= this.list.remembered) [older, recent] = [recent, new Map<string, number>()];
			yield page;
		}
	}
}
