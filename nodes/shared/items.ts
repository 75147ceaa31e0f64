import type { IDataObject, IExecuteFunctions, IExecuteSingleFunctions, INode, INodeExecutionData } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { tellBudgetWaits } from './budgetHints';
import { stopOrCancellation } from './service/cancellation';
import { refuseValuesOfAnotherCall } from './toolCall';

/** Records as items linked to the input item they came from. */
export function linkedItems(records: IDataObject[], itemIndex: number): INodeExecutionData[] {
	return records.map((json) => ({ json, pairedItem: { item: itemIndex } }));
}

type NodeError = NodeApiError | NodeOperationError;

/**
 * What "Continue" and "Continue (using error output)" put out for an input item that failed, linked to it. Of a change
 * that failed it says what is needed to try again: its key, and whether it may have been made.
 */
function errorItem(error: NodeError, itemIndex: number, { onError }: INode): INodeExecutionData {
	const { idempotencyKey, mayHaveBeenMade, requestId } = error.context;
	const json: IDataObject = { error: error.message, message: error.description ?? '' };
	if (idempotencyKey !== undefined) Object.assign(json, { idempotencyKey, mayHaveBeenMade, requestId });
	const item = { json, pairedItem: { item: itemIndex } };
	return onError === 'continueErrorOutput' ? markedForErrorOutput(item, error) : item;
}

/**
 * n8n sends an item with an `error` to the error output, merged with its input's fields. But where it finds one on an item
 * afterwards it replaces all fields by the message. It copies the item in between, and what is not enumerable stays behind
 * (measured on 2.41.1 and 1.123.81).
 */
function markedForErrorOutput(item: INodeExecutionData, error: NodeError): INodeExecutionData {
	return Object.defineProperty(item, 'error', { value: error, enumerable: false });
}

/**
 * Does the work of one input item. With Continue On Fail a failure gives an error item instead; nothing that had been
 * read is output then.
 */
export async function orErrorItem(
	functions: Pick<
		IExecuteFunctions | IExecuteSingleFunctions,
		'continueOnFail' | 'getInputData' | 'getNode' | 'getWorkflowDataProxy'
	>,
	itemIndex: number,
	work: () => Promise<INodeExecutionData[]>,
): Promise<INodeExecutionData[]> {
	try {
		refuseValuesOfAnotherCall(functions);
		return await work();
	} catch (thrown) {
		const error =
			thrown instanceof NodeApiError
				? thrown
				: new NodeOperationError(functions.getNode(), thrown as Error, { itemIndex });
		if (functions.continueOnFail()) return [errorItem(error, itemIndex, functions.getNode())];
		throw error;
	}
}

/**
 * Runs `work` for the input items, begun in their order and `atOnce` of them at a time, and gives their output in their
 * order. When one fails, no other is begun; those under way end their waits by the signal, as they do
 * when the execution is cancelled, and are waited for.
 */
export async function forEachItem(
	functions: IExecuteFunctions,
	work: (itemIndex: number, stop: AbortSignal) => Promise<INodeExecutionData[]>,
	atOnce = 1,
): Promise<INodeExecutionData[][]> {
	const outputs: INodeExecutionData[][] = [];
	const items = functions.getInputData().keys();
	const failure = new AbortController();
	const stop = stopOrCancellation(failure.signal, functions);
	const worker = async () => {
		for (const itemIndex of items) {
			if (failure.signal.aborted) return;
			try {
				outputs[itemIndex] = await orErrorItem(functions, itemIndex, async () => await work(itemIndex, stop));
			} catch (error) {
				failure.abort(error);
			}
		}
	};
	await Promise.all(Array.from({ length: atOnce }, worker));
	failure.signal.throwIfAborted();
	tellBudgetWaits(functions);
	return [outputs.flat()];
}
