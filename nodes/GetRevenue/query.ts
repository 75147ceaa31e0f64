import { readDate, readDateTime } from '../shared/parameters/dates';
import { given } from '../shared/parameters/expressions';
import type { Place } from '../shared/parameters/read';
import { isNothing, parameterError, readInteger, shown, trimmed } from '../shared/parameters/read';
import type { Schemas } from '../shared/service/schemas';

const STATUSES: ReadonlyArray<Schemas['ManualStatus']> = ['PENDING', 'PROCESSING', 'COMPLETE', 'CANCELLED'];
const PAYMENT_TYPES: ReadonlyArray<Schemas['PaymentType']> = ['FULL', 'DEPOSIT', 'INSTALLMENT'];

type Query = Record<string, string | number>;

/**
 * The filters that n8n collected as the query of the service (API document, Operations), without empty ones. n8n itself
 * omits filters whose expression returns nothing. Days and times without an offset are read in the workflow's time zone.
 * @throws NodeOperationError that names the filter and the item.
 */
export function readQuery(place: Place, filters: Readonly<Record<string, unknown>>, zone: string): Query {
	const filter = (displayName: string, name: string, property: string) =>
		given(place, displayName, filters[property], `filters.${name}`);
	const memberId = filter('Member ID', 'memberId', 'member_id');
	const candidates = {
		date_from: readDate(place, 'Date From', filter('Date From', 'dateFrom', 'date_from'), zone),
		date_to: readDate(place, 'Date To', filter('Date To', 'dateTo', 'date_to'), zone),
		updated_since: readDateTime(place, 'Updated Since', filter('Updated Since', 'updatedSince', 'updated_since'), zone),
		member_id: isNothing(memberId) ? undefined : readInteger(place, 'Member ID', memberId, 1),
		status: readChoice(place, 'Status', filter('Status', 'status', 'status'), STATUSES),
		payment_type: readChoice(
			place,
			'Payment Type',
			filter('Payment Type', 'paymentType', 'payment_type'),
			PAYMENT_TYPES,
		),
	};
	const { date_from: from, date_to: to } = candidates;
	if (from !== undefined && to !== undefined && from > to) {
		throw parameterError(
			place,
			'Date From',
			'is after "Date To"',
			`It is ${from}, and "Date To" is ${to}. Swap them or change one.`,
		);
	}
	const query: Query = {};
	for (const [name, value] of Object.entries(candidates)) {
		if (value !== undefined) query[name] = value;
	}
	return query;
}

function readChoice(place: Place, displayName: string, value: unknown, choices: readonly string[]): string | undefined {
	if (isNothing(value)) return undefined;
	const text = typeof value === 'string' ? trimmed(value) : '';
	if (choices.includes(text)) return text;
	throw parameterError(
		place,
		displayName,
		'has a value that the service does not know',
		`It is ${shown(value)}. Choose one of ${choices.join(', ')}.`,
	);
}
