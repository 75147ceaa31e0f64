import type { Entry, ParsedMemory } from './entry';
import { CONTENT_LENGTH, ID_LENGTH, WATCHED_LENGTH } from './fingerprint';

/** The mark of an unknown content. It equals the fingerprint of a real one with a probability of 1.5e-11, as any text does. */
export const UNKNOWN_CONTENT = '-'.repeat(CONTENT_LENGTH);
const UNKNOWN_WATCHED = '-'.repeat(WATCHED_LENGTH);

export type RecordEvent = 'new' | 'updated';

/** The keys (`keyIn`) of the records that one poll emitted. */
export interface EmittedKeys extends Record<RecordEvent, string[]> {
	/** The `watchId` at that time, see ParsedMemory. */
	watchId: string;
}

/**
 * How many records at the end of a memory this poll emitted or n8n has yet to store, first the new ones, then the updated ones.
 * 0.2.0 needs these numbers.
 */
export type Tail = Readonly<Record<RecordEvent, number>>;

export function sizeOf(tail: Tail): number {
	return tail.new + tail.updated;
}

export function keysOf(keys: EmittedKeys): string[] {
	return [...keys.new, ...keys.updated];
}

/** Returns the key of an emission of a record. What counts as a change, of any field or of those to watch, changes it. */
export function keyIn(id: string, { content, watched }: Pick<Entry, 'content' | 'watched'>): string {
	return id + (watched === '' ? content : watched);
}

/** Returns the memory for these fields to watch. The fingerprint of other fields than before is unknown until a record returns. */
export function watching(memory: ParsedMemory, watchId: string): ParsedMemory {
	if (memory.watchId === watchId) return memory;
	const unknown = watchId === '' ? '' : UNKNOWN_WATCHED;
	const entries = new Map<string, Entry>();
	for (const [id, entry] of memory.entries) entries.set(id, { ...entry, watched: unknown });
	return { ...memory, watchId, entries };
}

export function emittedLast({ entries, watchId }: ParsedMemory, tail: Tail): EmittedKeys {
	const keys = [...entries].slice(entries.size - sizeOf(tail)).map(([id, entry]) => keyIn(id, entry));
	return { new: keys.slice(0, tail.new), updated: keys.slice(tail.new), watchId };
}

/**
 * Returns the entries with which a memory redelivers the records of some emissions, oldest first. A record that was new in any of
 * them becomes unconfirmed, even if the memory has forgotten it. The content of a record that had changed becomes unknown: the
 * receiver may know either the old or the new one. Both get the day `today`, so that they are not forgotten first. A record that was
 * emitted again since has another key, and is left out.
 */
export function redeliveredEntries(
	{ entries, watchId }: ParsedMemory,
	emissions: readonly EmittedKeys[],
	today: number,
): Map<string, Entry> {
	const redelivered = new Map<string, Entry>();
	const latest = new Map<string, { key: string; watchId: string }>();
	for (const keys of emissions) {
		for (const key of keysOf(keys)) latest.set(key.slice(0, ID_LENGTH), { key, watchId: keys.watchId });
	}
	const wereNew = new Set(emissions.flatMap((keys) => keys.new.map((key) => key.slice(0, ID_LENGTH))));
	for (const [id, emitted] of latest) {
		const entry = entries.get(id);
		const isNew = wereNew.has(id);
		// After other fields to watch were chosen, nobody knows whether the entry is as it was emitted, so it may be.
		const isUnsure = emitted.watchId !== watchId || entry?.watched === UNKNOWN_WATCHED;
		if (entry === undefined ? !isNew : !isUnsure && keyIn(id, entry) !== emitted.key) continue;
		const unknown = {
			content: emitted.key.length > ID_LENGTH ? UNKNOWN_CONTENT : '',
			watched: watchId && UNKNOWN_WATCHED,
		};
		if (isNew) redelivered.set(id, { ...unknown, ...entry, day: today, status: 'unconfirmed' });
		else if (entry !== undefined) redelivered.set(id, { ...entry, ...unknown, day: today });
	}
	return redelivered;
}
