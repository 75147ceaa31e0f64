import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { itemFields, nameInItem } from '../../items';
import type { EmittedRecord } from '../core/finds';

/** Makes one item per record, as the service returned it; with `namesEvent`, also `event` and, where known, `changedFields`. */
export function itemsOf(emitted: EmittedRecord[], namesEvent: boolean): INodeExecutionData[] {
	return emitted.map(({ record, event, changedFields }) => {
		const json = itemFields(record as IDataObject);
		if (!namesEvent) return { json };
		return { json: { ...json, event, ...(changedFields && { changedFields: changedFields.map(nameInItem) }) } };
	});
}
