import { DateTime } from 'luxon';
import type { Place } from './read';
import { trimmed, wrongValue } from './read';

const ACCEPTED =
	'Enter a date such as 2026-01-31 or 2026-01-31T09:00, or an expression that returns one, such as {{ $now.minus({ days: 7 }) }}.';

// A longer text is not a date. Luxon's patterns would still read all of it.
const MAX_DATE_LENGTH = 100;

// Luxon writes years beyond 9999 as +010000, which is no date of the service (RFC 3339), nor comes after 9999 as a text.
const FOUR_DIGIT_YEAR = /^(?!0000)\d{4}-/;

const OFFSET = /^.{10}[T ][\d:., ]*([+-]\d\d):?(\d\d)?/i;

// Luxon would ignore the offset of a text that also names a zone: 09:00Z[Europe/Berlin] would be nine o'clock in Berlin.
const ZONE_BEHIND_OFFSET = /^(.{10}T[\d:.,]*(?:Z|[+-][\d:]+))\[.*\]$/i;

// Node takes only abbreviations of three letters, each in one meaning: BST is Bangladesh's time, and CET also that of summer.
const ABBREVIATED_ZONE = /(?:\d ?|\[)(?!UTC|GMT)[a-z]{3}\]?$/i;

/** Whether the offset of a text, if there is one, is from -12:00 to +14:00 (IANA's database). Luxon accepts any digits. */
function hasRealOffset(text: string): boolean {
	const [, hours = '0', minutes = '00'] = OFFSET.exec(text) ?? [];
	const digits = Number(hours + minutes);
	return digits >= -1200 && digits <= 1400 && Number(minutes) < 60;
}

/** Reads ISO or SQL-like text, a Luxon DateTime, or a Date. A text without an offset is in `zone`, the workflow's time zone. */
function parse(value: unknown, zone: string): DateTime | undefined {
	if (DateTime.isDateTime(value)) return value.setZone(zone);
	if (value instanceof Date) return DateTime.fromJSDate(value, { zone });
	if (typeof value !== 'string') return undefined;
	const text = trimmed(value).replace(ZONE_BEHIND_OFFSET, '$1');
	// Luxon reads "12" as twelve o'clock today, and "2026-01" as January 1.
	if (!/^\d{4}-\d{2}-\d{2}/.test(text) || !hasRealOffset(text) || ABBREVIATED_ZONE.test(text)) return undefined;
	const options = { zone, setZone: true };
	const iso = DateTime.fromISO(text, options);
	const moment = iso.isValid ? iso : DateTime.fromSQL(text, options);
	// When summer time ends, one hour occurs twice. The second occurrence would leave out an hour of records, so the first is used.
	const [first] = moment.getPossibleOffsets();
	return first?.setZone(zone);
}

// Luxon drops the digits behind the milliseconds. Many services send microseconds.
const BEHIND_MILLISECONDS = /^.{10}[T ][\d:]+[.,]\d{3}(\d+)/i;

/** Returns the moment of a text with a date, in milliseconds since the epoch with a fraction; `undefined` for anything else. */
export function timeOf(value: unknown, zone: string): number | undefined {
	if (typeof value !== 'string' || value.length > MAX_DATE_LENGTH) return undefined;
	const moment = parse(value, zone);
	const [, digits = '0'] = BEHIND_MILLISECONDS.exec(trimmed(value)) ?? [];
	return moment?.isValid ? moment.toMillis() + Number(`0.${digits}`) : undefined;
}

function readMoment(
	place: Place,
	displayName: string,
	value: unknown,
	zone: string,
	toText: (moment: DateTime) => string | null,
): string {
	const moment = parse(value, zone);
	const text = moment === undefined ? null : toText(moment);
	if (text !== null && FOUR_DIGIT_YEAR.test(text)) return text;
	if (DateTime.utc().setZone(zone).isValid) throw wrongValue(place, displayName, 'is not a date', value, ACCEPTED);
	const next = "Choose another in the workflow's settings. The default is n8n's variable GENERIC_TIMEZONE.";
	throw wrongValue(place, displayName, 'is read in a time zone that does not exist', zone, next);
}

/** Reads a calendar day in the workflow's time zone, in the service's `date` format (`2026-01-31`). */
export function readDate(place: Place, displayName: string, value: unknown, zone: string): string {
	return readMoment(place, displayName, value, zone, (moment) => moment.toISODate());
}

/** Reads a moment in UTC, in the service's `date-time` format (`2026-01-31T08:00:00.000Z`). */
export function readDateTime(place: Place, displayName: string, value: unknown, zone: string): string {
	return readMoment(place, displayName, value, zone, (moment) => moment.toUTC().toISO());
}
