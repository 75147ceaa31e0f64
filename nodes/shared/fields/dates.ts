import { DateTime } from 'luxon';
import type { Place } from './read';
import { parameterError } from './read';

const ACCEPTED = 'Enter a date such as 2026-01-31 or 2026-01-31T09:00, or an expression that gives one, such as {{ $now.minus({ days: 7 }) }}.';

/**
 * What n8n users type or map: ISO text (with or without a time or an offset), SQL-like text, a Luxon DateTime, a Date.
 * A text without an offset is a time in the workflow's zone.
 */
function parse(value: unknown, zone: string): DateTime | undefined {
	if (DateTime.isDateTime(value)) return value.setZone(zone);
	if (value instanceof Date) return DateTime.fromJSDate(value, { zone });
	if (typeof value !== 'string') return undefined;
	const text = value.trim();
	// Luxon reads "12" as twelve o'clock today; a date has its year.
	if (!/^\d{4}-/.test(text)) return undefined;
	const iso = DateTime.fromISO(text, { zone });
	return iso.isValid ? iso : DateTime.fromSQL(text, { zone });
}

function read(place: Place, displayName: string, value: unknown, zone: string): DateTime | undefined {
	if (value === undefined || value === null || value === '') return undefined;
	const moment = parse(value, zone);
	if (moment?.isValid) return moment;
	throw parameterError(place, displayName, 'is not a date', `It is ${JSON.stringify(value)?.slice(0, 80)}. ${ACCEPTED}`);
}

/**
 * The calendar day in the workflow's zone, as the service's `date` format (`2026-01-31`); `undefined` when empty.
 * @throws NodeOperationError that names the parameter and the item.
 */
export function readDate(place: Place, displayName: string, value: unknown, zone: string): string | undefined {
	return read(place, displayName, value, zone)?.toISODate() ?? undefined;
}

/**
 * The moment in UTC, as the service's `date-time` format (`2026-01-31T08:00:00.000Z`); `undefined` when empty.
 * @throws NodeOperationError that names the parameter and the item.
 */
export function readDateTime(place: Place, displayName: string, value: unknown, zone: string): string | undefined {
	return read(place, displayName, value, zone)?.toUTC().toISO() ?? undefined;
}
