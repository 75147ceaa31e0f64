import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { readIdempotencyKey } from './options';
import type { ItemParameters } from '../parameters/itemParameters';
import { parametersOf } from '../parameters/itemParameters';
import { readRetryOptions } from '../parameters/retryOptions';
import { Keys } from './keys';
import { isObject } from '../isObject';
import { linkedItems, orErrorItem } from '../items';
import type { Call } from '../service/call';
import { connectionsOf } from '../service/connection/connections';
import { MAX_IN_FLIGHT, tellBudgetWaits } from '../service/rateLimit/rateLimit';
import { requestContext, stopOrCancellation } from '../service/context';
import { request } from '../service/request';

/** A write operation of a node: one write for each input item. */
export interface WriteOperation<Content extends IDataObject> {
	/** Its name in texts for users, such as "tag the lead". */
	purpose: string;
	/** The parameters that `read` takes, with the field of the content that each sets. */
	sources: Readonly<Record<string, keyof Content & string>>;
	/**
	 * The content to write, as plain JSON.
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
 *
 * With Continue On Fail, and in a tool call whose caller would drop the error, a failed item has `idempotencyKey` and
 * `mayHaveBeenMade`. Retry On Fail and n8n's Retry send the same key, with the first content where that may have been written;
 * what was written returns with `replayed`. After a crash only the key is the same (before n8n 2.14 only one that the user set,
 * as a hint says): the error for a rejected recomputed value says that the change may have been made. So does the error of a
 * cancelled execution, where an attempt may have made it.
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
	const writeItem = async (itemIndex: number, stop: AbortSignal, failed: IDataObject) => {
		const parameters = parametersOf(functions, itemIndex);
		const intended = operation.read(parameters);
		Object.assign(failed, outputOf(intended));
		const retry = readRetryOptions(parameters);
		const userKey = readIdempotencyKey(parameters);
		const connection = await connectionFor(itemIndex);
		const { change, content, noteFailure } = keys.for(itemIndex, intended, userKey, connection.target);
		Object.assign(failed, outputOf(content));
		const ctx = requestContext(functions, connection, retry, itemIndex, { signal: stop });
		const call = { ...operation.callFor(content), purpose: operation.purpose, change };
		const { body, replayed, requestId } = await request(ctx, call).catch((error: unknown) => {
			noteFailure();
			throw error;
		});
		const receipt = { idempotencyKey: change.key, replayed, requestId };
		return linkedItems([{ ...responseFields(body), ...receipt, ...outputOf(content) }], itemIndex);
	};
	const concurrency = operation.isParallel === true ? MAX_IN_FLIGHT : 1;
	const output = await inParallel(functions, concurrency, async (itemIndex, stop) => {
		const { mayHaveBeenMade } = keys;
		const failed = { idempotencyKey: null, mayHaveBeenMade, replayed: null, requestId: null, ...outputOf() };
		return await orErrorItem(functions, itemIndex, async () => await writeItem(itemIndex, stop, failed), failed);
	});
	tellBudgetWaits(functions);
	// Retry On Fail may still retry a run in which an item failed, even with Continue.
	if (!output.some(({ json }) => 'error' in json)) keys.forget();
	return [output];
}

/**
 * The output of `work` for each input item, in their order. Items start in their order, up to `concurrency` at a time, and no
 * other starts when one fails. The signal then ends the waits of those under way, as it does when the execution is
 * cancelled, and the failure is thrown when they have ended.
 */
async function inParallel(
	functions: IExecuteFunctions,
	concurrency: number,
	work: (itemIndex: number, stop: AbortSignal) => Promise<INodeExecutionData[]>,
): Promise<INodeExecutionData[]> {
	const outputs: INodeExecutionData[][] = [];
	const items = functions.getInputData().keys();
	const failure = new AbortController();
	const stop = stopOrCancellation(failure.signal, functions);
	const worker = async () => {
		for (const itemIndex of items) {
			if (failure.signal.aborted) return;
			try {
				outputs[itemIndex] = await work(itemIndex, stop);
			} catch (error) {
				failure.abort(error);
			}
		}
	};
	await Promise.all(Array.from({ length: concurrency }, worker));
	failure.signal.throwIfAborted();
	return outputs.flat();
}

/**
 * The fields of an item from the response to a write, whose body is a gap of the API document (Endpoints, Gaps): an object's
 * own. Anything else is the field `answer`, and so is an object with `error`, a failed run to n8n (0.2.0 did not rename that).
 */
function responseFields(body: unknown): IDataObject {
	if (body === undefined || body === null) return {};
	return (isObject(body) && !('error' in body) ? body : { answer: body }) as IDataObject;
}
