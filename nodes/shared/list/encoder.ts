import type { IDataObject } from 'n8n-workflow';

/** Writes a list as text, page by page. It keeps no record. */
export interface Encoder {
	/** The text of the records of one page, with what comes before the first. */
	page(records: IDataObject[]): string;
	/** The text after the last record. */
	end(): string;
}
