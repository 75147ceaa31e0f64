import type { IExecuteFunctions } from 'n8n-workflow';
import { lineageOf } from './lineage';
import type { Call } from './service/call';
import { isUuid4, uuid4From } from './service/idempotencyKey';

/** Gives every intended change of one run of a node its idempotency key. */
export interface Changes {
	/**
	 * The key for a write. The same change in the same run has the same key whenever n8n runs it again; a second change
	 * that is alike to the letter has another. Items may come in another order then: what counts is what they change.
	 */
	keyFor(call: Call, ownKey: string): string;
}

export function changesOf(functions: IExecuteFunctions): Changes {
	const { execution, workflowId, nodeId, run } = lineageOf(functions);
	const alike = new Map<string, number>();
	return {
		keyFor(call, ownKey) {
			if (ownKey !== '') return keyFromText(call, ownKey);
			const change = JSON.stringify([call.method, call.path, call.body ?? null]);
			const occurrence = alike.get(change) ?? 0;
			alike.set(change, occurrence + 1);
			return uuid4From(['change', execution, workflowId, nodeId, String(run), change, String(occurrence)]);
		},
	};
}

/**
 * A key of the user's own: a UUID4 goes out as it is; any other text becomes the same UUID4 each time. The operation is
 * part of it, since the service refuses one key for two operations and one record often drives several nodes.
 */
function keyFromText({ purpose }: Call, text: string): string {
	return isUuid4(text) ? text.toLowerCase() : uuid4From(['text', purpose, text]);
}
