import type { INodeExecutionData } from 'n8n-workflow';
import type { Emitted } from './sweep';

/** One item per transaction, as the service gave it; where changes are reported too, `event` says which it is. */
export function itemsOf(emitted: Emitted[], namesEvent: boolean): INodeExecutionData[] {
	return emitted.map(({ transaction, change }) => ({ json: namesEvent ? { ...transaction, event: change } : transaction }));
}
