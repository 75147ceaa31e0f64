import type { IDataObject } from 'n8n-workflow';
import { digestOf } from '../digest';

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

	/**
	 * @param keysOf what tells the records of a page apart, one key for each; `undefined` for a record that cannot be told apart.
	 * @param remembered how many records are remembered at least, and at most twice as many, plus a page.
	 */
	constructor(
		private readonly keysOf: (page: IDataObject[]) => ReadonlyArray<string | undefined>,
		private readonly remembered: number,
	) {}

	/** Takes the next page of the walk. */
	note(records: IDataObject[]): void {
		this.page++;
		this.records += records.length;
		for (const whole of this.keysOf(records)) {
			if (whole === undefined) continue;
			const key = brief(whole);
			const before = this.recent.get(key) ?? this.older.get(key);
			if (before !== undefined && before !== this.page) this.count++;
			this.recent.set(key, this.page);
		}
		if (this.recent.size < this.remembered) return;
		this.older = this.recent;
		this.recent = new Map();
	}
}

/** What is remembered of a key of any length: the key, or its digest when it is long. */
export function brief(key: string): string {
	return key.length > MAX_KEY ? digestOf(key) : key;
}
