import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { tellBudgetWaits } from './budgetHints';
import { stopOrCancellation } from './service/cancellation';

/** Records as items linked to the input item they came from. */
export function linkedItems(records: IDataObject[], itemIndex: number): INodeExecutionData[] {
	return records.map((json) => ({ json, pairedItem: { item: itemIndex } }));
}

/**
 * What "Continue" and "Continue (using error output)" put out for an input item that failed. Linked to it, so that n8n
 * can show its fields beside the error. Measured on n8n 2.41.1 and 1.123: an item with these two fields and no others
 * goes to the error output with its input's fields merged in; one with an `error` of its own loses them.
 */
function errorItem(error: NodeApiError | NodeOperationError, itemIndex: number): INodeExecutionData {
	return { json: { error: error.message, message: error.description ?? '' }, pairedItem: { item: itemIndex } };
}

/**
 * Does the work of one input item. With Continue On Fail a failure gives an error item instead; nothing that had been
 * read is output then.
 */
export async function orErrorItem(
	functions: Pick<IExecuteFunctions, 'continueOnFail' | 'getNode'>,
	itemIndex: number,
	work: () => Promise<INodeExecutionData[]>,
): Promise<INodeExecutionData[]> {
	try {
		return await work();
	} catch (thrown) {
		const error =
			thrown instanceof NodeApiError
				? thrown
				: new NodeOperationError(functions.getNode(), thrown as Error, { itemIndex });
		if (functions.continueOnFail()) return [errorItem(error, itemIndex)];
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
