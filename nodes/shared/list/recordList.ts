import type { IDataObject } from 'n8n-workflow';
import { digestOf } from '../digest';

/** A list of the service, as a node returns it. */
export interface RecordList {
	/** Default name of a file of it, without the ending. */
	name: string;
	/** Its documented fields, in the order of the API document. A record may lack some. */
	columns?: readonly string[];
	/** The fields of Simplified, if the node has it. */
	simplified?: readonly string[];
	/** What tells the records of a page apart, one key for each; `undefined` for a record that cannot be told apart. */
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
	/** All that were read. */
	records = 0;
	/** Those that arrived again. */
	count = 0;
	private page = 0;
	private recent = new Map<string, number>();
	private older = new Map<string, number>();

	constructor(private readonly list: Pick<RecordList, 'keysOf' | 'remembered'>) {}

	/** Takes the next page of the walk. */
	note(records: IDataObject[]): void {
		this.page++;
		this.records += records.length;
		for (const whole of this.list.keysOf(records)) {
			if (whole === undefined) continue;
			const key = brief(whole);
			const before = this.recent.get(key) ?? this.older.get(key);
			if (before !== undefined && before !== this.page) this.count++;
			this.recent.set(key, this.page);
		}
		if (this.recent.size < this.list.remembered) return;
		this.older = this.recent;
		this.recent = new Map();
	}
}

/** What is remembered of a key of any length: the key, or its digest when it is long. */
export function brief(key: string): string {
	return key.length > MAX_KEY ? digestOf(key) : key;
}
