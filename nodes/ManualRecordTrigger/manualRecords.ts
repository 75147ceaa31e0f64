import {
	LIST_MANUAL_RECORDS,
	MANUAL_RECORD_FIELDS,
	MANUAL_STATUSES,
	PAYMENT_TYPES,
	watchableFields,
} from '../shared/service/reads';
import type { Source } from '../shared/trigger/source';

export const manualRecords: Source = {
	// No field says when a record was created: due_at may be years ahead or long past, and paid_at comes later, if at all.
	kind: { plural: 'manual records', fields: watchableFields(MANUAL_RECORD_FIELDS) },
	singular: 'manual record',
	list: LIST_MANUAL_RECORDS,
	stateKeyPrefix: 'leadRevenueManualRecordTrigger:',
	events: { new: 'newManualRecord', newOrUpdated: 'newOrUpdatedManualRecord' },
	maxName: 'maxManualRecords',
	filters: [
		{ displayName: 'Payment Types', name: 'payment_type', values: PAYMENT_TYPES },
		{ displayName: 'Statuses', name: 'status', values: MANUAL_STATUSES },
	],
	sinceDate: 'manual records that the service counts as updated since a date',
	getOne: 'Enter one in the service',
	whereItWas: 'the time of the last execution',
};
