import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { readIdempotencyKey } from './options';
import type { ItemParameters } from '../parameters/read';
import { parametersOf } from '../parameters/read';
import { readRetryOptions } from '../parameters/retryOptions';
import { Keys } from './keys';
import { forEachItem, linkedItems } from '../items';
import type { Call } from '../service/call';
import { connectionsOf } from '../service/connection/connections';
import { MAX_IN_FLIGHT } from '../service/rateLimit/lane';
import { requestContext } from '../service/context';
import { request } from '../service/request';

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
	callFor(content: Content): Omit<Call, 'purpose' | 'change'>;
	/** Whether an output item has the fields of `sources` besides the service's response and the receipt. */
	returnsSources?: boolean;
	/** Whether it may write for several input items at a time, in any order. */
	isParallel?: boolean;
}

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
	// A field without a value is null: n8n merges an item for the error output with its input item, which may have the field of
	// another change.
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
		const { change, content, noteFailure } = keys.for(itemIndex, intended, userKey, connection.target);
		contents.set(itemIndex, content);
		const ctx = requestContext(functions, connection, retry, itemIndex, { signal: stop });
		const call = { ...operation.callFor(content), purpose: operation.purpose, change };
		const { body, replayed, requestId } = await request(ctx, call).catch((error: unknown) => {
			noteFailure();
			throw error;
		});
		const receipt = { idempotencyKey: change.key, replayed, requestId };
		return linkedItems([{ ...responseFields(body), ...receipt, ...outputOf(content) }], itemIndex);
	};
	const failed = (itemIndex: number): IDataObject => ({
		idempotencyKey: null,
		mayHaveBeenMade: keys.mayHaveBeenMade,
		replayed: null,
		requestId: null,
		...outputOf(contents.get(itemIndex)),
	});
	const concurrency = operation.isParallel === true ? MAX_IN_FLIGHT : 1;
	const outputs = await forEachItem(functions, writeItem, { concurrency, failed });
	// Retry On Fail may still retry a run in which an item failed, even with Continue.
	if (!outputs.flat().some(({ json }) => 'error' in json)) keys.forget();
	return outputs;
}

/**
 * What an item has of the response to a write, whose body is a gap of the API document (Endpoints, Gaps): an object's fields.
 * Anything else is the field `answer`, and so is an object with `error`, a failed run to n8n (0.2.0 did not rename that yet).
 */
function responseFields(body: unknown): IDataObject {
	if (body === undefined || body === null) return {};
	const hasFields = typeof body === 'object' && !Array.isArray(body) && !('error' in body);
	return hasFields ? (body as IDataObject) : { answer: body as IDataObject };
}
