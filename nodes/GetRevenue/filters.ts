import type { INodeProperties } from 'n8n-workflow';

const query = (property: string) => ({ send: { type: 'query', property } }) as const;

const dateFrom: INodeProperties = {
	displayName: 'Date From',
	name: 'dateFrom',
	type: 'dateTime',
	typeOptions: { dateOnly: true },
	default: '',
	placeholder: 'e.g. 2026-01-01',
	description: "First day to include, in the workflow's time zone",
	routing: query('date_from'),
};

const dateTo: INodeProperties = {
	displayName: 'Date To',
	name: 'dateTo',
	type: 'dateTime',
	typeOptions: { dateOnly: true },
	default: '',
	placeholder: 'e.g. 2026-01-31',
	description:
		"Last day of the period, in the workflow's time zone. The service decides whether it includes that day itself.",
	routing: query('date_to'),
};

const updatedSince: INodeProperties = {
	displayName: 'Updated Since',
	name: 'updatedSince',
	type: 'dateTime',
	default: '',
	placeholder: 'e.g. 2026-01-31 09:00:00',
	description:
		"Only return records updated since this time. A time without an offset is read in the workflow's time zone.",
	routing: query('updated_since'),
};

const memberId: INodeProperties = {
	displayName: 'Member ID',
	name: 'memberId',
	type: 'number',
	typeOptions: { minValue: 1 },
	default: 1,
	description: 'Numeric ID of the team member that the summary is for',
	routing: query('member_id'),
};

const status: INodeProperties = {
	displayName: 'Status',
	name: 'status',
	type: 'options',
	options: [
		{ name: 'Cancelled', value: 'CANCELLED' },
		{ name: 'Complete', value: 'COMPLETE' },
		{ name: 'Pending', value: 'PENDING' },
		{ name: 'Processing', value: 'PROCESSING' },
	],
	default: 'COMPLETE',
	description: 'Only return records with this status',
	routing: query('status'),
};

const paymentType: INodeProperties = {
	displayName: 'Payment Type',
	name: 'paymentType',
	type: 'options',
	options: [
		{ name: 'Deposit', value: 'DEPOSIT' },
		{ name: 'Full', value: 'FULL' },
		{ name: 'Installment', value: 'INSTALLMENT' },
	],
	default: 'FULL',
	description: 'Only return records with this payment type',
	routing: query('payment_type'),
};

const SUMMARY = 'getSummary';
const TRANSACTIONS = 'getTransactions';
const MANUAL_RECORDS = 'getManualRecords';

/** `/operation` is the node's own parameter, seen from inside the collection. */
const only = (operations: string[], field: INodeProperties): INodeProperties => ({
	...field,
	displayOptions: { show: { '/operation': operations } },
});

/**
 * One collection for all operations (API document, Operations): n8n empties a collection that depends on the operation
 * when the user switches the operation, and so would lose dates that every operation takes.
 */
export const filtersField: INodeProperties = {
	displayName: 'Filters',
	name: 'filters',
	type: 'collection',
	placeholder: 'Add filter',
	default: {},
	options: [
		dateFrom,
		dateTo,
		only([SUMMARY], memberId),
		only([MANUAL_RECORDS], paymentType),
		only([MANUAL_RECORDS], status),
		only([TRANSACTIONS, MANUAL_RECORDS], updatedSince),
	],
};
