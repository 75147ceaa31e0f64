import type { INodeProperties } from 'n8n-workflow';
import { readDate, readDateTime } from '../shared/parameters/dates';
import { optionsOf } from '../shared/parameters/editorLists';
import { readOptional } from '../shared/parameters/expressions';
import type { ItemParameters } from '../shared/parameters/itemParameters';
import type { Place } from '../shared/parameters/read';
import { isNothing, parameterError, readInteger, trimmed, unknownChoice } from '../shared/parameters/read';
import { MANUAL_STATUSES, PAYMENT_TYPES } from '../shared/service/reads';
import { OPERATIONS } from './operations';

/** The parameter of the request's query that a filter sets (API document, Operations). */
interface QueryParameter {
	property: string;
	/** Returns the parameter's value for a filter that is not empty. Days and times without an offset are in `zone`. */
	read(place: Place, displayName: string, value: unknown, zone: string): string | number;
}

const FILTERS = [
	{
		displayName: 'Date From',
		name: 'dateFrom',
		type: 'dateTime',
		typeOptions: { dateOnly: true },
		default: '',
		placeholder: 'e.g. 2026-01-01',
		description:
			"First day to include, in the workflow's time zone. Without dates, the service decides how far back it goes.",
		query: { property: 'date_from', read: readDate },
	},
	{
		displayName: 'Date To',
		name: 'dateTo',
		type: 'dateTime',
		typeOptions: { dateOnly: true },
		default: '',
		placeholder: 'e.g. 2026-01-31',
		description:
			"Last day of the period, in the workflow's time zone. The service decides whether it includes that day itself.",
		query: { property: 'date_to', read: readDate },
	},
	{
		displayName: 'Member ID',
		name: 'memberId',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 1,
		description: 'Numeric ID of the team member that the summary is for',
		query: { property: 'member_id', read: (place, displayName, value) => readInteger(place, displayName, value, 1) },
	},
	{
		displayName: 'Payment Type',
		name: 'paymentType',
		type: 'options',
		options: optionsOf(PAYMENT_TYPES),
		default: 'FULL',
		description: 'Only return records with this payment type',
		query: { property: 'payment_type', read: choiceOf(Object.keys(PAYMENT_TYPES)) },
	},
	{
		displayName: 'Status',
		name: 'status',
		type: 'options',
		options: optionsOf(MANUAL_STATUSES),
		default: 'COMPLETE',
		description: 'Only return records with this status',
		query: { property: 'status', read: choiceOf(Object.keys(MANUAL_STATUSES)) },
	},
	{
		displayName: 'Updated Since',
		name: 'updatedSince',
		type: 'dateTime',
		default: '',
		placeholder: 'e.g. 2026-01-31 09:00:00',
		description:
			"Only return records updated since this time. A time without an offset is read in the workflow's time zone.",
		query: { property: 'updated_since', read: readDateTime },
	},
] as const satisfies ReadonlyArray<INodeProperties & { query: QueryParameter }>;

export type FilterName = (typeof FILTERS)[number]['name'];

/** If the collection depended on the operation, n8n would empty it, with the dates, when the user switches the operation. */
export const revenueFiltersField: INodeProperties = {
	displayName: 'Filters',
	name: 'filters',
	type: 'collection',
	placeholder: 'Add filter',
	default: {},
	options: FILTERS.map(({ query: { property }, ...field }) => {
		const named = OPERATIONS.filter(({ filters }) => filters.some((name) => name === field.name));
		const operations = named.map(({ value }) => value);
		return {
			...field,
			// `/operation` is the node's own parameter, seen from inside the collection.
			...(operations.length > 0 && { displayOptions: { show: { '/operation': operations } } }),
			routing: { send: { type: 'query', property } },
		};
	}),
};

/** @param collected the values from the filters' `routing`, by property. n8n omits a filter whose expression returns nothing. */
export function readQuery(
	parameters: ItemParameters,
	collected: Readonly<Record<string, unknown>>,
): Record<string, string | number> {
	const values: Record<string, string | number> = {};
	for (const { displayName, name, query } of FILTERS) {
		const entered = readOptional(parameters, displayName, collected[query.property], `filters.${name}`);
		if (isNothing(entered)) continue;
		values[query.property] = query.read(parameters, displayName, entered, parameters.zone);
	}
	const { date_from: from, date_to: to } = values;
	if (from === undefined || to === undefined || from <= to) return values;
	const next = `It is ${from}, and "Date To" is ${to}. Swap them or change one.`;
	throw parameterError(parameters, 'Date From', 'is after "Date To"', next);
}

function choiceOf(choices: readonly string[]): QueryParameter['read'] {
	return (place, displayName, value) => {
		const text = typeof value === 'string' ? trimmed(value) : '';
		if (choices.includes(text)) return text;
		throw unknownChoice(place, displayName, 'the service', value, choices);
	};
}
