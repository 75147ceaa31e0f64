import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { readIdempotencyKey } from './options';
import type { Place } from '../parameters/read';
import { placeOf } from '../parameters/read';
import { readRetryOptions } from '../parameters/retryOptions';
import { Keys } from './keys';
import { forEachItem, linkedItems } from '../items';
import type { Call } from '../service/call';
import { connectionsOf } from '../service/connection/connections';
import { requestContext } from '../service/request';
import { wasRejected } from '../service/errors/serviceErrors';
import { write } from './receipt';

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
	/** The fields of the content that an output item has besides the service's response and the receipt. */
	shown?: ReadonlyArray<keyof Content & string>;
	/** How many input items it writes for at a time; by default one. */
	atOnce?: number;
}

const MAY_REPEAT =
	'This n8n keeps nothing of an execution in which it crashed. If you are retrying one, each change that it had made is made a second time: compare. n8n 2.14 and later makes it once, and so does any n8n with an "Idempotency Key".';

/**
 * Writes for every input item: one output item each, with the service's response and the receipt.
 * @throws NodeOperationError for an unusable parameter, before anything is sent for its item; NodeApiError when the service
 * rejects the request, fails, or cannot be reached.
 */
export async function changeItems<Content extends IDataObject>(
	functions: IExecuteFunctions,
	operation: WriteOperation<Content>,
): Promise<INodeExecutionData[][]> {
	const connectionFor = connectionsOf(functions);
	const keys = new Keys<Content>(functions, operation);
	const contents = new Map<number, Content>();
	// Null where an item has none: n8n merges an item for the error output with its input, which may have another change's.
	const shownOf = (itemIndex: number): IDataObject =>
		Object.fromEntries((operation.shown ?? []).map((name) => [name, contents.get(itemIndex)?.[name] ?? null]));
	const writeItem = async (itemIndex: number, stop: AbortSignal) => {
		const place = placeOf(functions, itemIndex);
		const intended = operation.read(functions, place);
		contents.set(itemIndex, intended);
		const options = functions.getNodeParameter('options', itemIndex, {}) as IDataObject;
		const retry = readRetryOptions(place, options);
		const ownKey = readIdempotencyKey(place, options);
		const connection = await connectionFor(itemIndex);
		const target = connection.variesByItem === true ? connection.target : undefined;
		const { key, content, mayHaveBeenSent, markRejected } = keys.for(itemIndex, intended, { ownKey, target });
		contents.set(itemIndex, content);
		const ctx = requestContext(functions, connection, retry, itemIndex, { signal: stop });
		const call = { ...operation.callFor(content), purpose: operation.purpose, idempotencyKey: key, mayHaveBeenSent };
		const response = await write(ctx, call).catch((error: unknown) => {
			if (wasRejected(error)) markRejected();
			throw error;
		});
		return linkedItems([{ ...response, ...shownOf(itemIndex) }], itemIndex);
	};
	const failedFields = (itemIndex: number) => ({
		idempotencyKey: null,
		mayHaveBeenMade: keys.mayHaveBeenMade,
		replayed: null,
		requestId: null,
		...shownOf(itemIndex),
	});
	if (keys.mayRepeat) functions.addExecutionHints({ message: MAY_REPEAT, type: 'warning', location: 'outputPane' });
	const outputs = await forEachItem(functions, writeItem, { concurrency: operation.atOnce ?? 1, failedFields });
	// With Continue, Retry On Fail may still retry a run in which an item failed.
	if (!outputs.flat().some(({ json }) => 'error' in json)) keys.forget();
	return outputs;
}
