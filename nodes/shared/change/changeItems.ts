import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { joined, sentence } from '../errorText';
import { isObject } from '../isObject';
import { linkedItems, orErrorItem } from '../items';
import type { ItemParameters } from '../parameters/itemParameters';
import { parametersOf } from '../parameters/itemParameters';
import { readRetryOptions } from '../parameters/retryOptions';
import type { Call } from '../service/call';
import { connectionsOf } from '../service/connection/connections';
import { cancellationOf, requestContext, runsAsTool, stopOrCancellation } from '../service/context';
import { howToRetry } from '../service/errors/advice';
import { MAX_IN_FLIGHT, tellRateLimitWaits } from '../service/rateLimit/rateLimit';
import { request } from '../service/request';
import { Keys } from './keys';
import { readIdempotencyKey } from './options';

/** A write operation of a node: one write for each input item. */
export interface WriteOperation<Content extends IDataObject> {
	/**
	 * The name of the operation in messages, such as "tag the lead", and a part of every key: with another name a retry would make
	 * its change again, and two operations of one name would share keys.
	 */
	purpose: string;
	/** The field of the content that each parameter sets. */
	fieldOf: Readonly<Record<string, keyof Content & string>>;
	/** Reads the content to write, as plain JSON. @throws NodeOperationError for an unusable parameter. */
	read(parameters: ItemParameters): Content;
	callFor(content: Content): Omit<Call, 'purpose' | 'change'>;
	/** Whether an output item also has the content's fields, next to the service's response and the receipt. */
	returnsContent?: boolean;
	/** Whether the node may write for several input items at once, in any order. */
	isParallel?: boolean;
}

/**
 * Makes one write for every input item. Each output item has the service's response and the receipt; a failed one (see
 * orErrorItem) has `idempotencyKey` and `mayHaveBeenMade`. A retry by n8n sends the key again (see Keys).
 * @throws NodeOperationError for an unusable parameter, before anything is sent for its item; NodeApiError when the service
 * rejects the request, fails, or cannot be reached. The error says whether the change may have been made.
 */
export async function changeItems<Content extends IDataObject>(
	functions: IExecuteFunctions,
	operation: WriteOperation<Content>,
): Promise<INodeExecutionData[][]> {
	const connectionFor = connectionsOf(functions);
	const keys = new Keys<Content>(functions, operation);
	const returned = operation.returnsContent === true ? Object.values(operation.fieldOf) : [];
	// Null, because n8n merges an item for the error output with its input item, which may have the field from another change.
	const outputOf = (content?: Content): IDataObject =>
		Object.fromEntries(returned.map((name) => [name, content?.[name] ?? null]));
	const writeItem = async (itemIndex: number, stop: AbortSignal, failed: IDataObject) => {
		const parameters = parametersOf(functions, itemIndex);
		const intended = operation.read(parameters);
		Object.assign(failed, outputOf(intended));
		const retry = readRetryOptions(parameters);
		const keyText = readIdempotencyKey(parameters);
		const connection = await connectionFor(itemIndex);
		const { change, content, noteMade, noteFailure } = keys.writeFor(itemIndex, intended, keyText, connection.target);
		Object.assign(failed, outputOf(content));
		const ctx = requestContext(functions, connection, retry, itemIndex, { signal: stop });
		const call = { ...operation.callFor(content), purpose: operation.purpose, change };
		const { body, replayed, requestId } = await request(ctx, call).catch((error: unknown) => {
			noteFailure();
			throw error;
		});
		if (!replayed) noteMade();
		const receipt = { idempotencyKey: change.key, replayed, requestId };
		return linkedItems([{ ...responseFields(body), ...receipt, ...outputOf(content) }], itemIndex);
	};
	const concurrency = operation.isParallel === true ? MAX_IN_FLIGHT : 1;
	const output = await inParallel(functions, concurrency, async (itemIndex, stop) => {
		const failed = { ...keys.knownOf(itemIndex), replayed: null, requestId: null, ...outputOf() };
		return await orErrorItem(functions, itemIndex, async () => await writeItem(itemIndex, stop, failed), failed);
	}).catch((error: unknown) => {
		throw keys.mayHaveMadeOne ? withRetry(functions, error) : error;
	});
	tellRateLimitWaits(functions);
	// Only Retry On Fail may still retry a run that ends without an error: one in which an item failed, with Continue.
	const mayRunAgain = functions.getNode().retryOnFail === true && output.some(({ json }) => 'error' in json);
	if (!mayRunAgain) keys.forget();
	return [output];
}

/**
 * Starts `work` for the input items in order, up to `concurrency` at a time, and returns the output in item order. After a
 * failure no further item starts, `stop` ends the waits of those under way, and the error is thrown after they have ended. `stop`
 * also aborts when the execution is cancelled.
 */
async function inParallel(
	functions: IExecuteFunctions,
	concurrency: number,
	work: (itemIndex: number, stop: AbortSignal) => Promise<INodeExecutionData[]>,
): Promise<INodeExecutionData[]> {
	const outputs: INodeExecutionData[][] = [];
	const items = functions.getInputData().keys();
	const afterFailure = new AbortController();
	const stop = stopOrCancellation(afterFailure.signal, functions);
	const worker = async () => {
		for (const itemIndex of items) {
			if (afterFailure.signal.aborted) return;
			try {
				outputs[itemIndex] = await work(itemIndex, stop);
			} catch (error) {
				afterFailure.abort(error);
			}
		}
	};
	await Promise.all(Array.from({ length: concurrency }, worker));
	afterFailure.signal.throwIfAborted();
	return outputs.flat();
}

/** Adds how to retry, which a service's error already says. n8n passes only the message to the model of an AI Agent 3. */
function withRetry(functions: IExecuteFunctions, error: unknown): unknown {
	if (!(error instanceof NodeOperationError) || cancellationOf(functions)?.aborted === true) return error;
	const node = functions.getNode();
	const isTool = runsAsTool(node);
	const change = { key: '', wasOpen: false, isOpen: true };
	const retry = `Then ${howToRetry({ functions, node, call: { change } })}.`;
	if (isTool) error.message = joined(sentence(error.message), retry);
	error.description = joined(
		sentence(error.description ?? ''),
		retry,
		isTool ? '' : 'A retry has the same items: to go on without this one, set "On Error" to Continue first.',
	);
	return error;
}

/**
 * Returns the fields of an item for the response to a write, whose body is a gap (API document, Endpoints, Gaps). A body that is
 * no object, or has an `error`, which n8n would take for a failed run, becomes the field `answer`, as workflows of 0.2.0 expect.
 */
function responseFields(body: unknown): IDataObject {
	if (body === undefined || body === null) return {};
	return (isObject(body) && !('error' in body) ? body : { answer: body }) as IDataObject;
}
