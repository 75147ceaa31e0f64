import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { NodeApiError, NodeOperationError, sleep } from 'n8n-workflow';
import { shownAsFailure } from './errorText';
import { systemClock } from './service/clock';
import type { ItemFunctions } from './service/connection/connection';
import { cancellationOf } from './service/context';
import { rejectToolCall, settleFailure } from './tool/toolCall';

// n8n takes an item with `error` for a failed item: Retry On Fail runs the node again, and the item may go to the error output.
// n8n replaces all fields of an item with `$error` and `$json` by a message (measured on 2.41.1 and 1.123.81).
const MEANS_FAILURE = /^\$?error_*$/;

const PAUSE_EVERY_MS = 10;

let pausedAt = -Infinity;

/** Returns the name that a field of the service has in an item: `error` becomes `error_`, `error_` becomes `error__`, and so on. */
export function nameInItem(field: string): string {
	return MEANS_FAILURE.test(field) ? `${field}_` : field;
}

/** Returns a record's fields under their names in items. Object.fromEntries keeps even an own field "__proto__". */
export function itemFields(record: IDataObject): IDataObject {
	if (!Object.keys(record).some((field) => MEANS_FAILURE.test(field))) return record;
	return Object.fromEntries(Object.entries(record).map(([field, value]) => [nameInItem(field), value]));
}

export function linkedItems(records: IDataObject[], itemIndex: number): INodeExecutionData[] {
	return records.map((record) => ({ json: itemFields(record), pairedItem: { item: itemIndex } }));
}

/**
 * Does the work of one input item. With "Continue", with "Continue (using error output)", and in a tool call whose caller would
 * drop the error, an error becomes one item; otherwise it is thrown. Records that were read before are not returned.
 * @param failed the other fields of the error item, unless the error itself has them. The work may change them.
 */
export async function orErrorItem(
	functions: ItemFunctions,
	itemIndex: number,
	work: () => Promise<INodeExecutionData[]>,
	failed: Readonly<IDataObject> = {},
): Promise<INodeExecutionData[]> {
	try {
		rejectToolCall(functions);
		return await work();
	} catch (thrown) {
		const node = functions.getNode();
		const error =
			thrown instanceof NodeApiError ? thrown : new NodeOperationError(node, thrown as Error, { itemIndex });
		error.description ||= adviceOn(error.context);
		if (settleFailure(functions, error, functions.continueOnFail()) === 'throw') {
			throw cancellationOf(functions)?.aborted === true ? error : shownAsFailure(error);
		}
		const json: IDataObject = { error: error.message, message: error.description ?? '' };
		for (const [name, value] of Object.entries(failed)) {
			json[name] = (error.context[name] as typeof value) ?? value;
		}
		await pause();
		const item = { json, pairedItem: { item: itemIndex } };
		// n8n sends an item with an `error` to the error output, merged with its input item. The merge drops what is not enumerable.
		// An item that still has an `error` would lose all its fields to the message (measured on 2.41.1 and 1.123.81).
		if (node.onError === 'continueErrorOutput') {
			Object.defineProperty(item, 'error', { value: error, enumerable: false });
		}
		return [item];
	}
}

/** Lets n8n do other work, at most once in 10 ms (a pause takes 1 ms): thousands of items may fail without a request. */
async function pause(): Promise<void> {
	if (systemClock.monotonic() - pausedAt < PAUSE_EVERY_MS) return;
	await sleep(0);
	pausedAt = systemClock.monotonic();
}

/** Returns the advice on an expression that failed; `undefined` for another error. Only n8n's editor shows such a context. */
function adviceOn({ parameter, nodeCause, isOfCredential }: IDataObject): string | undefined {
	const node = typeof nodeCause === 'string' ? ` on the node "${nodeCause}"` : undefined;
	if (isOfCredential) return `Check the expressions in the credential${node ? `, which depend${node}` : ''}.`;
	if (typeof parameter !== 'string') return undefined;
	return `Check the expression in the parameter "${parameter}"${node ? `, which depends${node}` : ''}.`;
}
