import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { Emitted } from './core/finds';

/** One item per transaction, as the service gave it; where changes are reported too, `event` says which it is. */
export function itemsOf(emitted: Emitted[], namesEvent: boolean): INodeExecutionData[] {
	return emitted.map(({ transaction, change }) => {
		const json = transaction as IDataObject;
		return { json: namesEvent ? { ...json, event: change } : json };
	});
}
