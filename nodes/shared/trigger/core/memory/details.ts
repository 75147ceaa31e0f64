import { digestOf } from '../../../digest';
import type { Fingerprint, RevenueRecord } from './fingerprint';
import { CONTENT_LENGTH, inOrder } from './fingerprint';

const OTHER = 'other';

// 24 bits: a field that changed goes unnamed with a probability of 6e-8.
const SLOT_LENGTH = 4;

/** So many records' details fit into the state beside a full memory with few days. */
export const MAX_DETAILS = 2_000;

/** The most characters of the memory and the details together. With the rest of the state they stay below 1 MB. */
const DETAILED_CHARACTERS = 950_000;

const ROWS = /^[\w-]*$/;

/** Whether `text` can be details of this version. Others are dropped: they only name fields. */
export function areDetails(text: unknown, fields: readonly string[]): text is string {
	const rowLength = rowLengthFor(fields);
	if (typeof text !== 'string' || text.length > MAX_DETAILS * rowLength) return false;
	return text.length % rowLength === 0 && ROWS.test(text);
}

/**
 * Digests of the fields of the latest records, which name the fields that have changed since, and decide nothing. Each row begins
 * with the content's fingerprint in the memory, so a record that the memory forgot, or that is redelivered, finds no row. A digest
 * of each documented field follows, then one of all other fields.
 */
export class Details {
	private parsed: Map<string, string> | undefined;
	private isEdited = false;
	// Most values recur in many records of a poll.
	private readonly slots = new Map<string, string>();
	private readonly rowLength: number;

	constructor(
		private readonly fields: readonly string[],
		private readonly text = '',
	) {
		this.rowLength = rowLengthFor(fields);
	}

	/** Returns the fields that have changed since the record was emitted or learned; `undefined` if they are unknown. */
	changedSince(content: string, record: RevenueRecord): string[] | undefined {
		const earlier = this.read().get(content);
		if (earlier === undefined) return undefined;
		const now = this.slotsOf(record);
		const changed = [...this.fields, OTHER].filter((_name, slot) => slotIn(earlier, slot) !== slotIn(now, slot));
		return changed.length === 0 ? undefined : changed;
	}

	/** Keeps a record that is emitted. @param earlier the fingerprint of its content before. */
	keepEmitted(earlier: string | undefined, { content, record }: Fingerprint): void {
		this.replace(earlier, content, this.slotsOf(record));
	}

	/** Keeps a record that is not emitted, if there is room. */
	learn({ content, record }: Fingerprint): void {
		if (this.read().size < MAX_DETAILS) this.replace(undefined, content, this.slotsOf(record));
	}

	/** Notes that the content has changed, and the record is not emitted. */
	noteContent(earlier: string, content: string): void {
		const slots = this.read().get(earlier);
		if (slots !== undefined && earlier !== content) this.replace(earlier, content, slots);
	}

	/** Returns the saved form beside a memory of this many characters, without the least recent rows if there is no room. */
	write(memoryCharacters: number): string {
		// The memory may grow while no row changes.
		if (!this.isEdited && memoryCharacters + this.text.length <= DETAILED_CHARACTERS) return this.text;
		const room = Math.floor((DETAILED_CHARACTERS - memoryCharacters) / this.rowLength);
		const rows = [...this.read()].map(([content, slots]) => content + slots);
		return rows.slice(Math.max(0, rows.length - Math.min(Math.max(0, room), MAX_DETAILS))).join('');
	}

	private replace(earlier: string | undefined, content: string, slots: string): void {
		const rows = this.read();
		if (earlier !== undefined) rows.delete(earlier);
		// So that it goes to the end.
		rows.delete(content);
		rows.set(content, slots);
		this.isEdited = true;
	}

	private slotsOf(record: RevenueRecord): string {
		const { fields } = this;
		const others = Object.entries(record).filter(([name]) => !fields.includes(name));
		// Wrapped in an object, a missing field differs from one that is null.
		const parts = [...fields.map((name) => ({ value: inOrder(record[name]) })), inOrder(Object.fromEntries(others))];
		return parts.map((part) => this.slotOf(JSON.stringify(part))).join('');
	}

	private slotOf(text: string): string {
		const slot = this.slots.get(text) ?? digestOf(text, SLOT_LENGTH);
		this.slots.set(text, slot);
		return slot;
	}

	private read(): Map<string, string> {
		if (this.parsed !== undefined) return this.parsed;
		this.parsed = new Map();
		for (let at = 0; at < this.text.length; at += this.rowLength) {
			const row = this.text.slice(at, at + this.rowLength);
			this.parsed.set(row.slice(0, CONTENT_LENGTH), row.slice(CONTENT_LENGTH));
		}
		return this.parsed;
	}
}

function rowLengthFor(fields: readonly string[]): number {
	return CONTENT_LENGTH + (fields.length + 1) * SLOT_LENGTH;
}

function slotIn(slots: string, slot: number): string {
	return slots.slice(slot * SLOT_LENGTH, (slot + 1) * SLOT_LENGTH);
}
