import type { INodeProperties } from 'n8n-workflow';
import { readDate, readDateTime } from '../shared/parameters/dates';
import { optionsOf } from '../shared/parameters/editorLists';
import { readOptional } from '../shared/parameters/expressions';
import type { ItemParameters, Place } from '../shared/parameters/read';
import { isNothing, parameterError, readInteger, trimmed, unknownValue } from '../shared/parameters/read';
import { MANUAL_STATUSES, PAYMENT_TYPES } from '../shared/service/reads';
import { getManualRecords } from './operations/manualRecords';
import type { RevenueOperation } from './operations/operation';
import { getSummary } from './operations/summary';
import { getTransactions } from './operations/transactions';

/** A filter of the user, and the parameter of the query that it becomes (API document, Operations). */
interface QueryFilter {
	field: INodeProperties;
	/** The parameter of the query. */
	property: string;
	/** The operations that have it; by default all. */
	operations?: readonly RevenueOperation[];
	/**
	 * Its value in the query; `undefined` when it is empty. Days and times without an offset are in this `zone`.
	 * @throws NodeOperationError that names the filter and the item.
	 */
	read(place: Place, displayName: string, value: unknown, zone: string): string | number | undefined;
}

const FILTERS: readonly QueryFilter[] = [
	{
		field: {
			displayName: 'Date From',
			name: 'dateFrom',
			type: 'dateTime',
			typeOptions: { dateOnly: true },
			default: '',
			placeholder: 'e.g. 2026-01-01',
			description: "First day to include, in the workflow's time zone",
		},
		property: 'date_from',
		read: readDate,
	},
	{
		field: {
			displayName: 'Date To',
			name: 'dateTo',
			type: 'dateTime',
			typeOptions: { dateOnly: true },
			default: '',
			placeholder: 'e.g. 2026-01-31',
			description:
				"Last day of the period, in the workflow's time zone. The service decides whether it includes that day itself.",
		},
		property: 'date_to',
		read: readDate,
	},
	{
		field: {
			displayName: 'Member ID',
			name: 'memberId',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: 1,
			description: 'Numeric ID of the team member that the summary is for',
		},
		property: 'member_id',
		operations: [getSummary],
		read: (place, displayName, value) => (isNothing(value) ? undefined : readInteger(place, displayName, value, 1)),
	},
	{
		field: {
			displayName: 'Payment Type',
			name: 'paymentType',
			type: 'options',
			options: optionsOf(PAYMENT_TYPES),
			default: 'FULL',
			description: 'Only return records with this payment type',
		},
		property: 'payment_type',
		operations: [getManualRecords],
		read: choiceOf(Object.keys(PAYMENT_TYPES)),
	},
	{
		field: {
			displayName: 'Status',
			name: 'status',
			type: 'options',
			options: optionsOf(MANUAL_STATUSES),
			default: 'COMPLETE',
			description: 'Only return records with this status',
		},
		property: 'status',
		operations: [getManualRecords],
		read: choiceOf(Object.keys(MANUAL_STATUSES)),
	},
	{
		field: {
			displayName: 'Updated Since',
			name: 'updatedSince',
			type: 'dateTime',
			default: '',
			placeholder: 'e.g. 2026-01-31 09:00:00',
			description:
				"Only return records updated since this time. A time without an offset is read in the workflow's time zone.",
		},
		property: 'updated_since',
		operations: [getTransactions, getManualRecords],
		read: readDateTime,
	},
];

/**
 * One collection for all operations: n8n empties a collection that depends on the operation when the user switches the
 * operation, and so would lose dates that every operation takes.
 */
export const revenueFiltersField: INodeProperties = {
	displayName: 'Filters',
	name: 'filters',
	type: 'collection',
	placeholder: 'Add filter',
	default: {},
	options: FILTERS.map(({ field, property, operations }) => ({
		...field,
		// `/operation` is the node's own parameter, seen from inside the collection.
		...(operations && { displayOptions: { show: { '/operation': operations.map(({ value }) => value) } } }),
		routing: { send: { type: 'query', property } },
	})),
};

/**
 * The query of the service from what n8n collected from the filters' `routing`, by property: n8n itself omits those whose
 * expression returns nothing.
 * @throws NodeOperationError that names the filter and the item.
 */
export function readQuery(
	parameters: ItemParameters,
	collected: Readonly<Record<string, unknown>>,
): Record<string, string | number> {
	const query: Record<string, string | number> = {};
	for (const { field, property, read } of FILTERS) {
		const { displayName, name } = field;
		const entered = readOptional(parameters, displayName, collected[property], `filters.${name}`);
		const value = read(parameters, displayName, entered, parameters.zone);
		if (value !== undefined) query[property] = value;
	}
	const { date_from: from, date_to: to } = query;
	if (from === undefined || to === undefined || from <= to) return query;
	throw parameterError(
		parameters,
		'Date From',
		'is after "Date To"',
		`It is ${from}, and "Date To" is ${to}. Swap them or change one.`,
	);
}

function choiceOf(choices: readonly string[]): QueryFilter['read'] {
	return (place, displayName, value) => {
		if (isNothing(value)) return undefined;
		const text = typeof value === 'string' ? trimmed(value) : '';
		if (choices.includes(text)) return text;
		throw unknownValue(place, displayName, 'has a value that the service does not know', value, choices);
	};
}
