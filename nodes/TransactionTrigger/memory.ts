import type { Fingerprint } from './fingerprint';
import { CONTENT_LENGTH, ID_LENGTH } from './fingerprint';

/** What a transaction is to the memory: never met, met with other content, or met as it is. */
export type Acquaintance = 'new' | 'updated' | 'known';

/** The most characters the memory takes in the state; with the rest of the state it stays below 1 MB. */
export const MEMORY_CHARACTERS = 960_000;

const ENTRY = /^[\w-]*$/;

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
	private changed = false;
	/** How many transactions have been forgotten since the memory was read. */
	forgotten = 0;

	constructor(
		private readonly text: string,
		private readonly keepsContent: boolean,
		readonly capacity = capacityFor(keepsContent),
	) {}

	get size(): number {
		return this.entries?.size ?? this.text.length / entryLength(this.keepsContent);
	}

	compare({ id, content }: Fingerprint): Acquaintance {
		const remembered = this.read().get(id);
		if (remembered === undefined) return 'new';
		return !this.keepsContent || remembered === content ? 'known' : 'updated';
	}

	remember({ id, content }: Fingerprint): void {
		this.put(id, this.keepsContent ? content : '');
		this.changed = true;
	}

	/** Moves a known transaction to the end of the line of those to be forgotten. */
	touch({ id }: Fingerprint): void {
		const content = this.read().get(id);
		if (content !== undefined) this.put(id, content);
	}

	toText(): string {
		// Having met nothing but known ones is not worth a new text of a megabyte.
		if (!this.changed) return this.text;
		let text = '';
		for (const [id, content] of this.read()) text += id + content;
		return text;
	}

	private put(id: string, content: string): void {
		const entries = this.read();
		// A Map keeps the order of insertion: only a fresh one goes to the end.
		entries.delete(id);
		entries.set(id, content);
		while (entries.size > this.capacity) {
			entries.delete(entries.keys().next().value as string);
			this.forgotten++;
		}
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
