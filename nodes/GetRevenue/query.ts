import { readDate, readDateTime } from '../shared/fields/dates';
import type { Place } from '../shared/fields/read';
import { parameterError, readInteger, shown } from '../shared/fields/read';
import type { Schemas } from '../shared/service/schemas';

const STATUSES: ReadonlyArray<Schemas['ManualStatus']> = ['PENDING', 'PROCESSING', 'COMPLETE', 'CANCELLED'];
const PAYMENT_TYPES: ReadonlyArray<Schemas['PaymentType']> = ['FULL', 'DEPOSIT', 'INSTALLMENT'];

type Query = Record<string, string | number>;

/**
 * Turns the filters as the user gave them into the query the service documents (API document, Operations); empty ones
 * are left out. Days and times without an offset are those of the workflow's time zone.
 * @throws NodeOperationError that names the filter and the item.
 */
export function readQuery(place: Place, filters: Readonly<Record<string, unknown>>, zone: string): Query {
	const candidates = {
		date_from: readDate(place, 'Date From', filters.date_from, zone),
		date_to: readDate(place, 'Date To', filters.date_to, zone),
		updated_since: readDateTime(place, 'Updated Since', filters.updated_since, zone),
		member_id: isEmpty(filters.member_id) ? undefined : readInteger(place, 'Member ID', filters.member_id, 1),
		status: readChoice(place, 'Status', filters.status, STATUSES),
		payment_type: readChoice(place, 'Payment Type', filters.payment_type, PAYMENT_TYPES),
	};
	const { date_from: from, date_to: to } = candidates;
	if (from !== undefined && to !== undefined && from > to) {
		throw parameterError(place, 'Date From', 'is after "Date To"', `It is ${from}, and "Date To" is ${to}. Swap them or change one.`);
	}
	const query: Query = {};
	for (const [name, value] of Object.entries(candidates)) {
		if (value !== undefined) query[name] = value;
	}
	return query;
}

function isEmpty(value: unknown): boolean {
	return value === undefined || value === null || value === '';
}

function readChoice(place: Place, displayName: string, value: unknown, choices: readonly string[]): string | undefined {
	if (isEmpty(value)) return undefined;
	if (typeof value === 'string' && choices.includes(value)) return value;
	throw parameterError(
		place,
		displayName,
		'has a value that the service does not know',
		`It is ${shown(value)}. Choose one of ${choices.join(', ')}.`,
	);
}
