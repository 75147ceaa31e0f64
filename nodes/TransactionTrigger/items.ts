import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { Emitted } from './core/finds';

/** One item per transaction, as the service returned it. Where changes are reported too, `event` is "new" or "updated". */
export function itemsOf(emitted: Emitted[], namesEvent: boolean): INodeExecutionData[] {
	return emitted.map(({ transaction, change }) => {
		const json = transaction as IDataObject;
		return { json: namesEvent ? { ...json, event: change } : json };
	});
}
