import { LIST_MANUAL_RECORDS, MANUAL_RECORD_FIELDS } from '../../shared/service/reads';
import type { RevenueOperation } from './operation';
import { listOf } from './operation';

export const getManualRecords: RevenueOperation = {
	name: 'Get Many Manual Records',
	value: 'getManualRecords',
	action: 'Get many manual revenue records',
	description: 'Get a list of revenue that was entered by hand, such as deposits and installments',
	filters: ['paymentType', 'status', 'updatedSince'],
	call: LIST_MANUAL_RECORDS,
	returns: { list: listOf('manual-records', MANUAL_RECORD_FIELDS) },
};
