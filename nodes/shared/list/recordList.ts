import type { IDataObject } from 'n8n-workflow';

/** A list of the service, as a node returns it. */
export interface RecordList {
	/** Default name of a file of it, without the ending. */
	name: string;
	/** Its documented fields, in the order of the API document. A record may lack one that exists. */
	columns?: readonly string[];
	/** The fields of Simplified, if the node has it. */
	simplified?: readonly string[];
	/** What tells the records of a page apart, one key for each; `undefined` for one that cannot be told. */
	keysOf(page: IDataObject[]): Array<string | undefined>;
	/** How many records are remembered to count those that arrive again, see Repeats. */
	remembered: number;
	/** How a tool's caller gets less, a clause such as "narrow the dates". */
	narrower?: string;
}
