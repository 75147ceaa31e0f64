import { digestOf } from '../../../digest';

/** 54 bits of a digest: two ids share one with a probability of 6e-17. */
export const ID_LENGTH = 9;

/** 36 bits: a change of a transaction goes unnoticed with a probability of 1.5e-11. */
export const CONTENT_LENGTH = 6;

/** As the content: 36 bits. */
export const WATCHED_LENGTH = 6;

const DAY_MS = 86_400_000;

/** A transaction as the service returns it (API document, Resources). */
export type Transaction = Readonly<Record<string, unknown>>;

/** What the memory keeps of a transaction: base64url texts of the lengths above, and when it occurred. */
export interface Fingerprint {
	/** What it is of. */
	transaction: Transaction;
	id: string;
	content: string;
	/** `occurred_at` in milliseconds since the epoch; undefined when it is missing or odd. */
	occurredAt: number | undefined;
}

export function fingerprintOf(transaction: Transaction): Fingerprint {
	const content = canonical(transaction);
	const { id } = transaction;
	// Without an id the content tells transactions apart, so a changed transaction counts as another one.
	const identity = typeof id === 'string' || typeof id === 'number' ? String(id) : content;
	return {
		transaction,
		id: digestOf(identity, ID_LENGTH),
		content: digestOf(content, CONTENT_LENGTH),
		occurredAt: momentOf(transaction.occurred_at),
	};
}

/** Names the fields to watch in a memory, which come in alphabetical order; '' for none. */
export function watchOf(fields: readonly string[] = []): string {
	return fields.length === 0 ? '' : digestOf(JSON.stringify(fields));
}

/** The fingerprint of the fields to watch alone. */
export function watchedOf(transaction: Transaction, fields: readonly string[]): string {
	return digestOf(canonical(Object.fromEntries(fields.map((name) => [name, transaction[name]]))), WATCHED_LENGTH);
}

/** The day since the epoch (UTC) of a moment in milliseconds since the epoch. */
export function dayOf(moment: number): number {
	return Math.floor(moment / DAY_MS);
}

// A date at or before the epoch stands for an unknown one.
function momentOf(value: unknown): number | undefined {
	const moment = typeof value === 'string' ? Date.parse(value) : NaN;
	return moment > 0 ? moment : undefined;
}

/** JSON that does not depend on the order of the fields. */
export function canonical(value: unknown): string {
	return JSON.stringify(value, (_key, part: unknown) =>
		typeof part === 'object' && part !== null && !Array.isArray(part)
			? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
			: part,
	);
}
