import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { readIdempotencyKey } from './options';
import { parametersOf } from '../parameters/read';
import { readRetryOptions } from '../parameters/retryOptions';
import { Keys } from './keys';
import { forEachItem, linkedItems } from '../items';
import { connectionsOf } from '../service/connection/connections';
import { MAX_IN_FLIGHT } from '../service/rateLimit/lane';
import { requestContext } from '../service/context';
import { write } from './receipt';
import type { WriteOperation } from './writeOperation';

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
	const returned = operation.returnsSources === true ? Object.values(operation.sources) : [];
	// Null where an item has none: n8n merges an item for the error output with its input, which may have another change's.
	const outputOf = (content?: Content): IDataObject =>
		Object.fromEntries(returned.map((name) => [name, content?.[name] ?? null]));
	const contents = new Map<number, Content>();
	const writeItem = async (itemIndex: number, stop: AbortSignal) => {
		const parameters = parametersOf(functions, itemIndex);
		const intended = operation.read(parameters);
		contents.set(itemIndex, intended);
		const options = parameters.get('options') as IDataObject;
		const retry = readRetryOptions(parameters, options);
		const userKey = readIdempotencyKey(parameters, options);
		const connection = await connectionFor(itemIndex);
		const { key, content, mayHaveBeenMade } = keys.for(itemIndex, intended, userKey, connection.target);
		contents.set(itemIndex, content);
		const ctx = requestContext(functions, connection, retry, itemIndex, { signal: stop });
		const call = { ...operation.callFor(content), purpose: operation.purpose, idempotencyKey: key, mayHaveBeenMade };
		const response = await write(ctx, call).catch((error: unknown) => {
			keys.noteFailure(itemIndex, error);
			throw error;
		});
		return linkedItems([{ ...response, ...outputOf(content) }], itemIndex);
	};
	const failed = (itemIndex: number): IDataObject => ({
		idempotencyKey: null,
		mayHaveBeenMade: keys.mayHaveBeenMade,
		replayed: null,
		requestId: null,
		...outputOf(contents.get(itemIndex)),
	});
	if (keys.mayRepeat) functions.addExecutionHints({ message: MAY_REPEAT, type: 'warning', location: 'outputPane' });
	const concurrency = operation.isParallel === true ? MAX_IN_FLIGHT : 1;
	const outputs = await forEachItem(functions, writeItem, { concurrency, failed });
	// With Continue, Retry On Fail may still retry a run in which an item failed.
	if (!outputs.flat().some(({ json }) => 'error' in json)) keys.forget();
	return outputs;
}
