import { LIST_MANUAL_RECORDS, MANUAL_STATUSES, PAYMENT_TYPES } from '../shared/service/reads';
import type { Schemas } from '../shared/service/schemas';
import type { Source } from '../shared/trigger/source';

/** The fields of a manual record (API document, Resources). */
const FIELD_NAMES: Record<Exclude<keyof Schemas['ManualRecord'], 'id'>, string> = {
	amount: 'Amount',
	due_at: 'Due At',
	installment_counter: 'Installment Counter',
	lead_id: 'Lead ID',
	paid_at: 'Paid At',
	payment_type: 'Payment Type',
	status: 'Status',
};

export const manualRecords: Source = {
	// No field says when a record was created: due_at may be years ahead or long past, and paid_at comes later, if at all.
	kind: { plural: 'manual records', fields: Object.keys(FIELD_NAMES) },
	singular: 'manual record',
	list: LIST_MANUAL_RECORDS,
	stateKeyPrefix: 'leadRevenueManualRecordTrigger:',
	events: { new: 'newManualRecord', newOrUpdated: 'newOrUpdatedManualRecord' },
	maxName: 'maxManualRecords',
	fieldNames: FIELD_NAMES,
	filters: [
		{ displayName: 'Payment Types', name: 'payment_type', values: PAYMENT_TYPES },
		{ displayName: 'Statuses', name: 'status', values: MANUAL_STATUSES },
	],
	sinceDate: 'manual records that the service counts as updated since a date',
	getOne: 'Enter one in the service',
	whereItWas: 'the time of the last execution',
};
