import { digestOf } from '../../../digest';
import type { Fingerprint, Transaction } from './fingerprint';
import { canonical, CONTENT_LENGTH } from './fingerprint';

/** The fields of a transaction (API document, Resources) except its id. The saved details depend on their order. */
export const DOCUMENTED_FIELDS: readonly string[] = [
	'amount',
	'currency',
	'fee',
	'kind',
	'lead_id',
	'net',
	'occurred_at',
	'product_name',
	'provider',
	'status',
];

/** Stands for all fields that are not documented. */
const OTHER = 'other';

const NAMES = [...DOCUMENTED_FIELDS, OTHER];

// 24 bits: a field that changed is not named with a probability of 6e-8.
const SLOT_LENGTH = 4;
const ROW_LENGTH = CONTENT_LENGTH + NAMES.length * SLOT_LENGTH;

/** Of how many transactions the details are kept: 2,000 fit into the state beside a full memory. */
export const MAX_DETAILS = 2_000;

/** The most characters that the memory and the details take in the state, which stays below 1 MB with the rest of it. */
export const DETAILED_CHARACTERS = 950_000;

const ROWS = /^[\w-]*$/;

/** Whether `text` can be details of this version. Others are dropped, because they only name fields. */
export function areDetails(text: unknown): text is string {
	if (typeof text !== 'string' || text.length > MAX_DETAILS * ROW_LENGTH) return false;
	return text.length % ROW_LENGTH === 0 && ROWS.test(text);
}

/**
 * Which fields a transaction has changed since it was last reported, for the transactions that came last. Each row begins
 * with the fingerprint of the content that the memory has, so that what the memory dropped for redelivery or forgot has no row. A digest
 * of each documented field follows, and one of all others. They decide nothing: they only name fields.
 */
export class Details {
	private parsed: Map<string, string> | undefined;
	private hasChanged = false;

	constructor(private readonly text = '') {}

	/** The names of the fields that differ from what was last reported; undefined where that is not known. */
	changedSince(content: string, transaction: Transaction): string[] | undefined {
		const before = this.read().get(content);
		if (before === undefined) return undefined;
		const now = slotsOf(transaction);
		const changed = NAMES.filter((_name, slot) => !before.startsWith(slotIn(now, slot), slot * SLOT_LENGTH));
		return changed.length === 0 ? undefined : changed;
	}

	/** Keeps a transaction that is reported. `before` is the content that it had. */
	report(before: string | undefined, { content, transaction }: Fingerprint): void {
		this.replace(before, content, slotsOf(transaction));
	}

	/** Keeps a transaction that is not reported, if there is room. */
	learn({ content, transaction }: Fingerprint): void {
		if (this.read().size < MAX_DETAILS) this.replace(undefined, content, slotsOf(transaction));
	}

	/** Notes that the content has changed without a report. */
	follow(before: string, content: string): void {
		const slots = this.read().get(before);
		if (slots !== undefined && before !== content) this.replace(before, content, slots);
	}

	/** The saved form beside a memory of so many characters, without what was least recent if it does not fit. */
	write(memoryCharacters: number): string {
		if (!this.hasChanged) return this.text;
		const room = Math.floor((DETAILED_CHARACTERS - memoryCharacters) / ROW_LENGTH);
		const rows = [...this.read()].map(([content, slots]) => content + slots);
		return rows.slice(Math.max(0, rows.length - Math.min(Math.max(0, room), MAX_DETAILS))).join('');
	}

	private replace(before: string | undefined, content: string, slots: string): void {
		const rows = this.read();
		if (before !== undefined) rows.delete(before);
		// A Map keeps the order of insertion: only a new key goes to the end.
		rows.delete(content);
		rows.set(content, slots);
		this.hasChanged = true;
	}

	// Parsed at the first change: an idle poll has none.
	private read(): Map<string, string> {
		if (this.parsed !== undefined) return this.parsed;
		this.parsed = new Map();
		for (let at = 0; at < this.text.length; at += ROW_LENGTH)
			this.parsed.set(this.text.slice(at, at + CONTENT_LENGTH), this.text.slice(at + CONTENT_LENGTH, at + ROW_LENGTH));
		return this.parsed;
	}
}

const slotIn = (slots: string, slot: number) => slots.slice(slot * SLOT_LENGTH, (slot + 1) * SLOT_LENGTH);

function slotsOf(transaction: Transaction): string {
	const others = Object.entries(transaction).filter(([name]) => !DOCUMENTED_FIELDS.includes(name));
	// In an object, a field that is missing differs from one that is null.
	const parts = [...DOCUMENTED_FIELDS.map((name) => ({ value: transaction[name] })), Object.fromEntries(others)];
	return parts.map((part) => digestOf(canonical(part), SLOT_LENGTH)).join('');
}
