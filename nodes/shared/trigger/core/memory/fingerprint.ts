import { digestOf } from '../../../digest';

/** The kind of records in a list, as far as the core needs it. */
export interface RecordKind {
	/** The name of the records in messages, such as "transactions". */
	plural: string;
	/** The documented fields of a record except its id. The saved details depend on their order. */
	fields: readonly string[];
	/**
	 * The field that says when a record occurred. Without it the memory forgets those learned first, and every record returned for a
	 * start date counts as new.
	 */
	occurredAt?: string;
}

/** 54 bits of a digest: two ids share one with a probability of 6e-17. */
export const ID_LENGTH = 9;

/** 36 bits: a change of a record goes unnoticed with a probability of 1.5e-11. */
export const CONTENT_LENGTH = 6;

export const WATCHED_LENGTH = 6;

const DAY_MS = 86_400_000;

/** The last day since the epoch that a date can express. */
export const LAST_DAY = 100_000_000;

/** Whether a number is a time that a date can express. */
export function isTime(value: number): boolean {
	return Math.abs(value) <= startOf(LAST_DAY);
}

/** A transaction or a manual record as the service returns it (API document, Resources). */
export type RevenueRecord = Readonly<Record<string, unknown>>;

/** A record and its fingerprints: base64url texts of the lengths above. */
export interface Fingerprint {
	record: RevenueRecord;
	id: string;
	content: string;
	/** In milliseconds since the epoch; `undefined` when its field is missing or odd, or the kind has none. */
	occurredAt: number | undefined;
}

export function fingerprintOf(record: RevenueRecord, kind: Pick<RecordKind, 'occurredAt'>): Fingerprint {
	const content = canonical(record);
	const { id } = record;
	// Without an id the content identifies a record, so a changed record counts as another one.
	const idText = typeof id === 'string' || typeof id === 'number' ? String(id) : content;
	return {
		record,
		id: digestOf(idText, ID_LENGTH),
		content: digestOf(content, CONTENT_LENGTH),
		occurredAt: kind.occurredAt === undefined ? undefined : momentOf(record[kind.occurredAt]),
	};
}

/** Returns the digest that names the fields to watch in a memory, given in alphabetical order; '' without fields. */
export function watchIdOf(fields: readonly string[]): string {
	return fields.length === 0 ? '' : digestOf(JSON.stringify(fields));
}

export function watchedOf(record: RevenueRecord, fields: readonly string[]): string {
	return digestOf(canonical(Object.fromEntries(fields.map((name) => [name, record[name]]))), WATCHED_LENGTH);
}

/** Returns the day since the epoch (UTC). */
export function dayOf(moment: number): number {
	return Math.floor(moment / DAY_MS);
}

/** Returns the start of a day, in milliseconds since the epoch. */
export function startOf(day: number): number {
	return day * DAY_MS;
}

// A date at or before the epoch stands for an unknown one. A time without an offset may be in any zone, and 01-02-2026 the first of
// February.
function momentOf(value: unknown): number | undefined {
	const moment = typeof value === 'string' && /^\d{4}-.*(z|[+-]\d\d:?\d\d)$/i.test(value) ? Date.parse(value) : NaN;
	return moment > 0 ? moment : undefined;
}

function canonical(value: unknown): string {
	return JSON.stringify(inOrder(value));
}

/** Returns the same value with the fields of every object in alphabetical order. */
export function inOrder(value: unknown): unknown {
	if (typeof value !== 'object' || value === null) return value;
	if (Array.isArray(value)) return value.map(inOrder);
	const names = Object.keys(value).sort();
	return Object.fromEntries(names.map((name) => [name, inOrder((value as RevenueRecord)[name])]));
}
