import { LIST_MANUAL_RECORDS } from '../../shared/service/reads';
import type { Schemas } from '../../shared/service/schemas';
import type { RevenueOperation } from './operation';
import { listOf } from './operation';

export const MANUAL_RECORD_FIELDS: Readonly<Record<keyof Schemas['ManualRecord'], boolean>> = {
	id: true,
	lead_id: true,
	amount: true,
	status: true,
	payment_type: false,
	installment_counter: false,
	due_at: true,
	paid_at: true,
};

export const getManualRecords: RevenueOperation = {
	name: 'Get Many Manual Records',
	value: 'getManualRecords',
	action: 'Get many manual revenue records',
	description: 'Get a list of revenue that was entered by hand, such as deposits and installments',
	filters: ['paymentType', 'status', 'updatedSince'],
	call: LIST_MANUAL_RECORDS,
	returns: { list: listOf('manual-records', MANUAL_RECORD_FIELDS) },
};
