import type { Fingerprint } from './fingerprint';
import { CONTENT_LENGTH, ID_LENGTH } from './fingerprint';

/** What a transaction is to the memory: never met, met with other content, or met as it is. */
export type Acquaintance = 'new' | 'updated' | 'known';

/** What one poll put into the memory: so many transactions at its end that were new, then so many that had changed. */
export interface Additions {
	added: number;
	changed: number;
}

/** The most characters the memory takes in the state; with the rest of the state it stays below 1 MB. */
export const MEMORY_CHARACTERS = 960_000;

const ENTRY = /^[\w-]*$/;

// As likely as any other to be taken for a content it is not: with a probability of 1.5e-11.
const UNKNOWN_CONTENT = '-'.repeat(CONTENT_LENGTH);

function entryLength(keepsContent: boolean): number {
	return ID_LENGTH + (keepsContent ? CONTENT_LENGTH : 0);
}

/** How many transactions are remembered: 106,666 by their id alone, 64,000 with their content. */
export function capacityFor(keepsContent: boolean): number {
	return Math.floor(MEMORY_CHARACTERS / entryLength(keepsContent));
}

/** Whether `text` is a memory that was written with the same `keepsContent`. */
export function isMemory(text: string, keepsContent: boolean): boolean {
	return text.length <= MEMORY_CHARACTERS && text.length % entryLength(keepsContent) === 0 && ENTRY.test(text);
}

/** How many transactions a memory holds. */
export function entriesIn(text: string, keepsContent: boolean): number {
	return text.length / entryLength(keepsContent);
}

/**
 * A memory without its last additions: what was new then is new again, and what had changed counts as changed whatever
 * it is now, because the one who was told of it may know either content.
 */
export function withoutLast(text: string, keepsContent: boolean, { added, changed }: Additions): string {
	const length = entryLength(keepsContent);
	const endOfAdded = text.length - changed * length;
	let kept = text.slice(0, endOfAdded - added * length);
	for (let at = endOfAdded; at < text.length; at += length) kept += text.slice(at, at + ID_LENGTH) + UNKNOWN_CONTENT;
	return kept;
}

/** What the memory keeps of a transaction. */
export function entryOf({ id, content }: Fingerprint, keepsContent: boolean): string {
	return keepsContent ? id + content : id;
}

/**
 * A memory without the entries `added`, in which the entries `changed` count as changed, as above. A transaction that is
 * remembered with other content was emitted again since, and stays as it is.
 */
export function without(
	text: string,
	keepsContent: boolean,
	added: ReadonlySet<string>,
	changed: ReadonlySet<string>,
): string {
	const length = entryLength(keepsContent);
	let kept = '';
	for (let at = 0; at < text.length; at += length) {
		const entry = text.slice(at, at + length);
		if (!added.has(entry)) kept += changed.has(entry) ? entry.slice(0, ID_LENGTH) + UNKNOWN_CONTENT : entry;
	}
	return kept;
}

/**
 * Remembers the transactions that were emitted, the least recently met first. When it is full it forgets those, and a
 * forgotten transaction counts as new when the service hands it out again: it is repeated, never lost.
 *
 * One text, in which every transaction takes the 9 characters of its id's fingerprint and, where content matters, the
 * 6 of its content's. A single text costs n8n least: it wraps every object of the state in a proxy and compares the
 * state by walking it. Probability that a new transaction is taken for one of 106,666 remembered, and so lost: 6e-12.
 */
export class Memory {
	private entries: Map<string, string> | undefined;
	/** Ids of what was remembered since the memory was read, after those that n8n may not have stored yet. */
	private readonly added: Set<string>;
	private readonly changed: Set<string>;

	constructor(
		private readonly text: string,
		private readonly keepsContent: boolean,
		readonly capacity = capacityFor(keepsContent),
		pending: ReadonlyArray<{ added: string[]; changed: string[] }> = [],
	) {
		const idsOf = (entries: string[]) => entries.map((entry) => entry.slice(0, ID_LENGTH));
		this.added = new Set(pending.flatMap(({ added }) => idsOf(added)));
		this.changed = new Set(pending.flatMap(({ changed }) => idsOf(changed)).filter((id) => !this.added.has(id)));
	}

	get size(): number {
		return this.entries?.size ?? entriesIn(this.text, this.keepsContent);
	}

	compare({ id, content }: Fingerprint): Acquaintance {
		const remembered = this.read().get(id);
		if (remembered === undefined) return 'new';
		return !this.keepsContent || remembered === content ? 'known' : 'updated';
	}

	remember({ id, content }: Fingerprint): void {
		if (!this.added.has(id) && !this.changed.has(id)) (this.read().has(id) ? this.changed : this.added).add(id);
		this.put(id, this.keepsContent ? content : '');
	}

	/** Moves a known transaction to the end of the line of those to be forgotten. */
	touch({ id }: Fingerprint): void {
		const content = this.read().get(id);
		if (content !== undefined) this.put(id, content);
	}

	/** As it is saved, with what has been added to its end since it was read, or is still pending. */
	write(): Additions & { text: string } {
		// Having met nothing but known ones is not worth a new text of a megabyte.
		if (this.added.size + this.changed.size === 0) return { text: this.text, added: 0, changed: 0 };
		const added = this.moveToEnd(this.added);
		const changed = this.moveToEnd(this.changed);
		let text = '';
		for (const [id, content] of this.read()) text += id + content;
		return { text, added, changed };
	}

	/** Returns how many of them are still remembered. */
	private moveToEnd(ids: Iterable<string>): number {
		let moved = 0;
		for (const id of ids) {
			const content = this.read().get(id);
			if (content === undefined) continue;
			this.put(id, content);
			moved++;
		}
		return moved;
	}

	private put(id: string, content: string): void {
		const entries = this.read();
		// A Map keeps the order of insertion: only a fresh one goes to the end.
		entries.delete(id);
		entries.set(id, content);
		while (entries.size > this.capacity) entries.delete(entries.keys().next().value as string);
	}

	// Read at the first transaction: an idle poll has none.
	private read(): Map<string, string> {
		if (this.entries !== undefined) return this.entries;
		const length = entryLength(this.keepsContent);
		this.entries = new Map();
		for (let at = 0; at < this.text.length; at += length) {
			this.entries.set(this.text.slice(at, at + ID_LENGTH), this.text.slice(at + ID_LENGTH, at + length));
		}
		return this.entries;
	}
}
