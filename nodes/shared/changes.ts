import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { readIdempotencyKey } from './fields/idempotencyKey';
import type { Place } from './fields/read';
import { placeOf } from './fields/read';
import { readRetryOptions } from './fields/retryOptions';
import { Keys } from './idempotency/keys';
import { forEachItem, linkedItems } from './items';
import type { Call } from './service/call';
import { connectionsOf } from './service/connections';
import { requestContext } from './service/request';
import { mayHaveBeenMade } from './service/serviceErrors';
import { write } from './service/write';

/** A kind of change that a node makes, once for each input item. */
export interface ChangeKind<Content extends IDataObject> {
	/** What it is called where a person reads it, such as "tag the lead". */
	purpose: string;
	/** The parameters that `read` takes, with the field of the content that each gives. */
	sources: Readonly<Record<string, keyof Content & string>>;
	/**
	 * What is to be changed: plain JSON.
	 * @throws NodeOperationError for a parameter that cannot be used.
	 */
	read(functions: IExecuteFunctions, place: Place): Content;
	callFor(content: Content): Omit<Call, 'purpose' | 'idempotencyKey'>;
	/** Fields of the output item besides the service's answer and the receipt. */
	outputOf?(content: Content): IDataObject;
}

/**
 * Makes the changes of all input items, `atOnce` of them at a time: one item each, with the service's answer and the receipt.
 * @throws NodeOperationError for an unusable parameter, before anything is sent for its item; NodeApiError when the service
 * refuses, fails, or cannot be reached.
 */
export async function makeChanges<Content extends IDataObject>(
	functions: IExecuteFunctions,
	kind: ChangeKind<Content>,
	atOnce = 1,
): Promise<INodeExecutionData[][]> {
	const connected = connectionsOf(functions);
	const keys = new Keys<Content>(functions, kind);
	const makeChange = async (itemIndex: number, stop: AbortSignal) => {
		const place = placeOf(functions, itemIndex);
		const intended = kind.read(functions, place);
		const options = functions.getNodeParameter('options', itemIndex, {}) as IDataObject;
		const retry = readRetryOptions(place, options);
		const ownKey = readIdempotencyKey(place, options);
		const connection = await connected(itemIndex);
		const { key, content, refused } = keys.for(itemIndex, intended, {
			ownKey,
			itemsApart: connection.variesByItem === true,
		});
		const ctx = requestContext(functions, connection, retry, itemIndex, { signal: stop });
		const writing = write(ctx, { ...kind.callFor(content), purpose: kind.purpose, idempotencyKey: key });
		await writing.catch((error: unknown) => {
			if (!mayHaveBeenMade(error)) refused();
		});
		return linkedItems([{ ...(await writing), ...kind.outputOf?.(content) }], itemIndex);
	};
	const outputs = await forEachItem(functions, makeChange, atOnce);
	// With Continue, Retry On Fail may yet try a run again that has an item which failed.
	if (!outputs.flat().some(({ json }) => 'error' in json)) keys.settle();
	return outputs;
}
