import type { Repeats } from './repeats';

/** A list of the service, as a node returns it. */
export interface RecordList {
	/** Default name of a file of it, without the ending. */
	name: string;
	/** Its documented fields, in the order of the API document. A record may lack some. */
	columns?: readonly string[];
	/** The fields of Simplified, if the node has it. */
	simplified?: readonly string[];
	/** Counts the records that arrive again in one walk. */
	repeats(): Repeats;
	/** How a tool's caller gets less, a clause such as "narrow the dates". */
	narrower?: string;
}
