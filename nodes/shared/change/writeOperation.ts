import type { IDataObject } from 'n8n-workflow';
import type { ItemParameters } from '../parameters/read';
import type { Call } from '../service/call';

/** A write operation of a node: one write for each input item. */
export interface WriteOperation<Content extends IDataObject> {
	/** Its name in texts for users, such as "tag the lead". */
	purpose: string;
	/** The parameters that `read` takes, with the field of the content that each sets. */
	sources: Readonly<Record<string, keyof Content & string>>;
	/**
	 * What to write, as plain JSON.
	 * @throws NodeOperationError for an unusable parameter.
	 */
	read(parameters: ItemParameters): Content;
	callFor(content: Content): Omit<Call, 'purpose' | 'idempotencyKey'>;
	/** Whether an output item has the fields of `sources`, too, besides the service's response and the receipt. */
	returnsSources?: boolean;
	/** Whether it may write for several input items at a time, in any order. */
	isParallel?: boolean;
}
