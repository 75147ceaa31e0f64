import type { IDataObject } from 'n8n-workflow';

/**
 * Counts the records of one walk that arrive on a second page: the list shifted while it was read, under a cursor that is an
 * offset. Whether cursors are offsets is a gap of the API document (Pagination: a cursor is opaque).
 */
export class Repeats {
	count = 0;
	private recent = new Set<string>();
	private older = new Set<string>();

	/**
	 * @param keyOf what tells records apart; `undefined` for a record that cannot be told.
	 * @param remembered how many records are remembered at least, and at most twice as many, plus a page.
	 */
	constructor(
		private readonly keyOf: (record: IDataObject) => string | undefined,
		private readonly remembered: number,
	) {}

	/** The same pages; notes each on its way. */
	async *noting(pages: AsyncIterable<IDataObject[]>): AsyncGenerator<IDataObject[], void, undefined> {
		for await (const page of pages) {
			this.note(page);
			yield page;
		}
	}

	note(page: IDataObject[]): void {
		const keys = new Set(page.map(this.keyOf).filter((key) => key !== undefined));
		for (const key of keys) if (this.recent.has(key) || this.older.has(key)) this.count++;
		for (const key of keys) this.recent.add(key);
		if (this.recent.size < this.remembered) return;
		this.older = this.recent;
		this.recent = new Set();
	}
}
