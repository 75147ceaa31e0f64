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
	read(functions: IExecuteFunctions, place: Place): Content;
	callFor(content: Content): Omit<Call, 'purpose' | 'idempotencyKey'>;
	/** Fields of the output item besides the service's response and the receipt. */
	outputOf?(content: Content): IDataObject;
}

/**
 * Writes for every input item, up to `concurrency` at a time: one output item each, with the service's response and the
 * receipt.
 * @throws NodeOperationError for an unusable parameter, before anything is sent for its item; NodeApiError when the service
 * rejects the request, fails, or cannot be reached.
 */
export async function writeItems<Content extends IDataObject>(
	functions: IExecuteFunctions,
	operation: WriteOperation<Content>,
	concurrency = 1,
): Promise<INodeExecutionData[][]> {
	const connectionFor = connectionsOf(functions);
	const keys = new Keys<Content>(functions, operation);
	const writeItem = async (itemIndex: number, stop: AbortSignal) => {
		const place = placeOf(functions, itemIndex);
		const intended = operation.read(functions, place);
		const options = functions.getNodeParameter('options', itemIndex, {}) as IDataObject;
		const retry = readRetryOptions(place, options);
		const ownKey = readIdempotencyKey(place, options);
		const connection = await connectionFor(itemIndex);
		const { key, content, markRefused } = keys.for(itemIndex, intended, {
			ownKey,
			variesByItem: connection.variesByItem === true,
		});
		const ctx = requestContext(functions, connection, retry, itemIndex, { signal: stop });
		const writing = write(ctx, { ...operation.callFor(content), purpose: operation.purpose, idempotencyKey: key });
		await writing.catch((error: unknown) => {
			if (!mayHaveBeenMade(error)) markRefused();
		});
		return linkedItems([{ ...(await writing), ...operation.outputOf?.(content) }], itemIndex);
	};
	const outputs = await forEachItem(functions, writeItem, concurrency);
	// With Continue, Retry On Fail may still retry a run in which an item failed.
	if (!outputs.flat().some(({ json }) => 'error' in json)) keys.forget();
	return outputs;
}
