import { digestOf } from './digest';

/** 54 bits of a digest: two ids share one with a probability of 6e-17. */
export const ID_LENGTH = 9;

/** 36 bits: a change of a transaction goes unnoticed with a probability of 1.5e-11. */
export const CONTENT_LENGTH = 6;

/** A transaction as the service returns it (API document, Resources). */
export type Transaction = Readonly<Record<string, unknown>>;

/** What the memory keeps of a transaction: two base64url texts of the lengths above, and when it occurred. */
export interface Fingerprint {
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
		id: digestOf(identity, ID_LENGTH),
		content: digestOf(content, CONTENT_LENGTH),
		occurredAt: momentOf(transaction.occurred_at),
	};
}

// A date at or before the epoch stands for an unknown one.
function momentOf(value: unknown): number | undefined {
	const moment = typeof value === 'string' ? Date.parse(value) : NaN;
	return moment > 0 ? moment : undefined;
}

/** JSON that does not depend on the order of the fields. */
function canonical(value: unknown): string {
	return JSON.stringify(value, (_key, part: unknown) =>
		typeof part === 'object' && part !== null && !Array.isArray(part)
			? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
			: part,
	);
}
