import type { IDataObject, IExecuteFunctions, IExecuteSingleFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { rejectForeignValues, settleFailure } from './tool/call';

// n8n takes an item with `error` for a failed one: Retry On Fail runs the node again, and the item may go to the error
// output. n8n replaces all fields of one with `$error` and `$json` by a message (measured on 2.41.1 and 1.123.81).
const MEANS_FAILURE = /^\$?error_*$/;

/** The name in an item of a field that the service returns: `error` is `error_`, `error_` is `error__`, and so on. */
export function nameInItem(field: string): string {
	return MEANS_FAILURE.test(field) ? `${field}_` : field;
}

/** A record's fields under their names in items. A record may have a field "__proto__" of its own. */
export function itemFields(record: IDataObject): IDataObject {
	if (!Object.keys(record).some((field) => MEANS_FAILURE.test(field))) return record;
	return Object.fromEntries(Object.entries(record).map(([field, value]) => [nameInItem(field), value]));
}

export function linkedItems(records: IDataObject[], itemIndex: number): INodeExecutionData[] {
	return records.map((record) => ({ json: itemFields(record), pairedItem: { item: itemIndex } }));
}

/**
 * Does the work of one input item. A failure returns an error item linked to it, and nothing that was read before it, with
 * "Continue", with "Continue (using error output)", and in a tool call whose caller would drop the error.
 * @param failed the fields of that item, with their values where the error does not know them. The work may change them as it
 * learns their values.
 */
export async function orErrorItem(
	functions: IExecuteFunctions | IExecuteSingleFunctions,
	itemIndex: number,
	work: () => Promise<INodeExecutionData[]>,
	failed: Readonly<IDataObject> = {},
): Promise<INodeExecutionData[]> {
	try {
		rejectForeignValues(functions);
		return await work();
	} catch (thrown) {
		const node = functions.getNode();
		const error =
			thrown instanceof NodeApiError ? thrown : new NodeOperationError(node, thrown as Error, { itemIndex });
		if (settleFailure(functions, error, functions.continueOnFail()) === 'throw') throw error;
		const json: IDataObject = { error: error.message, message: error.description ?? '' };
		for (const [name, value] of Object.entries(failed)) json[name] = (error.context[name] as typeof value) ?? value;
		const item = { json, pairedItem: { item: itemIndex } };
		// n8n sends an item with an `error` to the error output, merged with its input's fields. If the item still has an `error`
		// after that, n8n replaces all fields by the message. It copies the item in between, without properties that are not
		// enumerable (measured on 2.41.1 and 1.123.81).
		if (node.onError === 'continueErrorOutput')
			Object.defineProperty(item, 'error', { value: error, enumerable: false });
		return [item];
	}
}
