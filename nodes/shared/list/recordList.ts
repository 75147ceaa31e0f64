import type { IDataObject } from 'n8n-workflow';
import { digestOf } from '../digest';

export interface RecordList {
	/** The default name of a file of the list, without the ending. */
	name: string;
	/** The documented fields of a record, in the order of the API document. A record may lack some. */
	columns?: readonly string[];
	/** The fields of Simplified, if the node has it. */
	simplified?: readonly string[];
	/** Returns, for each record of a page, a text that identifies the record; `undefined` for a record without such a text. */
	idsOf: (page: IDataObject[]) => ReadonlyArray<string | undefined>;
	/** The minimum number of IDs to remember, to recognize repeated records. The maximum is twice the number, plus a page. */
	remembered: number;
	/** A clause that tells a tool's caller how to get less, such as "narrow the dates". */
	narrower?: string;
}

/** Records arrive again when cursors, which the API document calls opaque, are offsets, and the list shifts. */
export class Repeats {
	records = 0;
	count = 0;

	constructor(private readonly list: Pick<RecordList, 'idsOf' | 'remembered'>) {}

	async *counted(pages: AsyncIterable<IDataObject[]>): AsyncGenerator<IDataObject[], void, undefined> {
		let recent = new Set<string>();
		let older = recent;
		for await (const page of pages) {
			this.records += page.length;
			for (const whole of this.list.idsOf(page)) {
				if (whole === undefined) continue;
				// An ID may have any length; a digest is short.
				const id = digestOf(whole);
				if (recent.has(id) || older.has(id)) this.count++;
				recent.add(id);
			}
			if (recent.size >= this.list.remembered) [older, recent] = [recent, new Set<string>()];
			yield page;
		}
	}
}
