import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

/** Records as items linked to the input item they came from. */
export function linkedItems(records: IDataObject[], itemIndex: number): INodeExecutionData[] {
	return records.map((json) => ({ json, pairedItem: { item: itemIndex } }));
}

/**
 * What "Continue" and "Continue (using error output)" put out for an input item that failed. Linked to it, so that n8n
 * can show its fields beside the error. Measured on n8n 2.41.1: `error` sends an item to the error output.
 */
export function errorItem(error: unknown, itemIndex: number): INodeExecutionData {
	if (!(error instanceof NodeApiError || error instanceof NodeOperationError)) throw error;
	const details: IDataObject = { description: error.description ?? '' };
	if (error instanceof NodeApiError && error.httpCode !== null) details.httpCode = error.httpCode;
	if (error.context.requestId) details.requestId = error.context.requestId as string;
	return { json: { error: error.message, details }, error, pairedItem: { item: itemIndex } };
}

/**
 * Runs `work` for each input item, one after the other, and keeps the order. With Continue On Fail an item that fails
 * gives an error item instead and the rest go on; nothing it had read is output.
 */
export async function forEachItem(
	functions: IExecuteFunctions,
	work: (itemIndex: number) => Promise<INodeExecutionData[]>,
): Promise<INodeExecutionData[][]> {
	const output: INodeExecutionData[] = [];
	for (let itemIndex = 0; itemIndex < functions.getInputData().length; itemIndex++) {
		// Not spread into push: a long list would overflow the call stack.
		for (const item of await oneItem(functions, work, itemIndex)) output.push(item);
	}
	return [output];
}

async function oneItem(
	functions: IExecuteFunctions,
	work: (itemIndex: number) => Promise<INodeExecutionData[]>,
	itemIndex: number,
): Promise<INodeExecutionData[]> {
	try {
		return await work(itemIndex);
	} catch (error) {
		if (functions.continueOnFail()) return [errorItem(error, itemIndex)];
		throw asNodeError(functions, error, itemIndex);
	}
}

function asNodeError(functions: IExecuteFunctions, error: unknown, itemIndex: number): NodeApiError | NodeOperationError {
	if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
	return new NodeOperationError(functions.getNode(), error instanceof Error ? error : String(error), { itemIndex });
}
