import { must } from '../failures';
import { capacityFor, capacityWarning } from './capacity';
import { Details } from './details';
import type { EmittedKeys } from './emitted';
import { emittedLast, keyIn, takeOut, UNKNOWN_CONTENT, watching } from './emitted';
import type { CompleteSweep, Entry, ParsedMemory, Status } from './entry';
import { isUnconfirmed, statusAfter } from './entry';
import type { Fingerprint, RecordKind } from './fingerprint';
import { dayOf, ID_LENGTH, watchedOf, watchIdOf } from './fingerprint';
import {
	byDay,
	entriesByDay,
	horizonIn,
	mayHaveUnconfirmedOrWaiting,
	readMemory,
	sizeIn,
	watchIdIn,
	writeMemory,
} from './text';

/** What can be asked of a memory. */
export type MemoryView = Pick<Memory, 'compare' | 'horizon'>;

export type EmittedAs = 'new' | 'updated';

/** The statuses that a record begins with. */
type FirstStatus = Extract<Status, 'known' | 'unconfirmed' | 'waiting'>;

/**
 * How a record compares with what is remembered of it. Unconfirmed and waiting may be new. What was taken out is emitted again: by
 * this poll as unconfirmed if it had been new, otherwise by any as changed. Where contents are not kept, all else is unchanged.
 */
export type Comparison =
	| 'unconfirmed'
	| 'unconfirmed, taken out'
	| 'waiting'
	| 'unchanged'
	| 'changed in no watched field'
	| 'changed'
	| 'changed, taken out';

export interface MemoryOptions {
	/** Whether a changed record is emitted again. */
	keepsContent: boolean;
	/** A day since the epoch, see `dayOf`. */
	today?: number;
	/** The most records; by default as many as one megabyte holds, see `capacityFor`. */
	capacity?: number;
	/** The fields whose changes count, in alphabetical order; by default every change counts. */
	fieldsToWatch?: readonly string[];
	/** The kind of record, for warnings. Without it there are no warnings and no details (which name changed fields). */
	kind?: RecordKind;
	/** The details in their saved form, see Details. */
	details?: string | undefined;
}

/**
 * How many new records, and after them how many changed ones, are at the end of a memory. They are counted because 0.2.0
 * counts them, and users may go back to it.
 */
export interface MemoryEnd {
	added: number;
	changed: number;
}

export function sizeOf({ added, changed }: MemoryEnd): number {
	return added + changed;
}

interface SavedMemory {
	/** The saved form of the entries. */
	text: string;
	end: MemoryEnd;
	/** The saved form of the details; empty where contents are not kept. */
	details: string;
	/** What to tell the user of the room that is left, if anything. */
	warning: string | undefined;
	/** Whether it forgot what a further reading would emit again, so that none may follow. */
	endsReadings: boolean;
}

/**
 * Remembers records: those that were emitted, and those that a census learned. Each takes the 9 characters of its
 * id's fingerprint and, where content matters, the 6 of its content's, then the 6 of its fields to watch if there are any.
 * Probability that a new record is taken for one of 93,333 remembered, and so lost: 5e-12.
 *
 * Each entry has the day on which the record occurred. A full memory forgets the earliest days, and the horizon is
 * the day after the latest one forgotten: what is not remembered and occurred before it is old. What occurred today or
 * yesterday is forgotten without moving the horizon, which would otherwise pass records that are yet to come. What
 * was emitted last is forgotten last: the next poll may read its page again, and a restart may redeliver it.
 */
export class Memory {
	private parsed: ParsedMemory | undefined;
	private isEdited = false;
	/** What was emitted since the memory was read, and what n8n may not have stored yet, by the fingerprint of its id. */
	private readonly atEnd = new Map<string, EmittedAs>();
	/** The keys of what was emitted since the memory was read. */
	readonly emittedKeys: EmittedKeys;
	/** What was taken out, and what to forget last, by the fingerprints of the ids. */
	private takenOut: ReadonlySet<string> = new Set();
	private unfinished: ReadonlySet<string> = new Set();
	private readonly watchId: string;
	readonly capacity: number;
	readonly keepsContent: boolean;
	private readonly today: number;
	private readonly fieldsToWatch: readonly string[];
	private readonly kind: RecordKind | undefined;
	private readonly details: Details | undefined;

	constructor(
		private readonly text: string,
		{ keepsContent, today = 0, capacity, fieldsToWatch = [], kind, details }: MemoryOptions,
	) {
		this.keepsContent = keepsContent;
		this.today = today;
		this.fieldsToWatch = fieldsToWatch;
		this.kind = kind;
		this.details = keepsContent && kind !== undefined ? new Details(kind.fields, details) : undefined;
		this.watchId = keepsContent ? watchIdOf(fieldsToWatch) : '';
		this.emittedKeys = { newKeys: [], changedKeys: [], watchId: this.watchId };
		this.capacity = capacity ?? capacityFor(keepsContent, this.watchId);
	}

	get size(): number {
		return this.parsed?.entries.size ?? sizeIn(this.text, this.keepsContent);
	}

	/** Whether its saved form differs. For other fields to watch alone it is written once a record is read. */
	private get hasChanged(): boolean {
		return this.isEdited || (this.parsed !== undefined && watchIdIn(this.text) !== this.watchId);
	}

	/** What is not remembered and occurred before this day (since the epoch) is forgotten; 0 when nothing is. */
	get horizon(): number {
		return this.parsed?.horizon ?? horizonIn(this.text);
	}

	/** Compares a record with what is remembered of it; `undefined` when it is not remembered. */
	compare(fingerprint: Fingerprint): Comparison | undefined {
		const entry = this.read().entries.get(fingerprint.id);
		if (entry === undefined) return undefined;
		const { status, content, watched } = entry;
		if (isUnconfirmed(status)) return this.takenOut.has(fingerprint.id) ? 'unconfirmed, taken out' : 'unconfirmed';
		if (status === 'waiting') return 'waiting';
		if (!this.keepsContent || content === fingerprint.content) return 'unchanged';
		const isUnwatched = this.watchId !== '' && watched === watchedOf(fingerprint.record, this.fieldsToWatch);
		if (isUnwatched) return 'changed in no watched field';
		return content === UNKNOWN_CONTENT ? 'changed, taken out' : 'changed';
	}

	/** Returns the names of the fields in which a record differs from what was last reported; `undefined` where not known. */
	changedFields({ id, record }: Fingerprint): string[] | undefined {
		return this.details?.changedSince(this.read().entries.get(id)?.content ?? '', record);
	}

	/** Keeps at the end what n8n may not have stored yet. */
	keepAtEnd(emissions: ReadonlyArray<{ keys: EmittedKeys }>): void {
		const note = (keys: string[], event: EmittedAs) => {
			for (const key of keys) this.atEnd.set(key.slice(0, ID_LENGTH), event);
		};
		for (const { keys } of emissions) note(keys.changedKeys, 'updated');
		for (const { keys } of emissions) note(keys.newKeys, 'new');
	}

	/**
	 * Takes out what some polls emitted, oldest first, so that it is emitted again: by its keys, or from the `end`. Call it before
	 * a record is read: it begins with the saved form.
	 */
	takeOut(emissions: ReadonlyArray<{ keys: EmittedKeys } | { end: MemoryEnd }>): void {
		must(this.parsed === undefined, 'what is redelivered is taken out before a record is read');
		const memory = readMemory(this.text, this.keepsContent);
		const keys = emissions.map((one) => ('keys' in one ? one.keys : emittedLast(memory, one.end)));
		this.takenOut = takeOut(memory, keys, this.today);
		this.parsed = this.watched(memory);
		this.isEdited = true;
	}

	/**
	 * Remembers what is emitted.
	 * @param horizon the one that `decide` used, which may be older than the memory's. What occurred before it counts from today: by its
	 * own day it would be forgotten at once, and emitted by every poll that reads the overlap.
	 */
	remember(fingerprint: Fingerprint, event: EmittedAs, horizon = this.horizon): void {
		const { id } = fingerprint;
		if (!this.atEnd.has(id)) this.atEnd.set(id, event);
		this.details?.keepReported(this.read().entries.get(id)?.content, fingerprint);
		const key = keyIn(id, this.put(fingerprint, 'known', horizon));
		this.emittedKeys[event === 'new' ? 'newKeys' : 'changedKeys'].push(key);
	}

	/** Notes the content of a known record that is not emitted, and its fields to watch if those were not known. */
	noteContent(fingerprint: Fingerprint): void {
		if (this.watchId === '') return;
		const { id, content } = fingerprint;
		const { entries } = this.read();
		const entry = entries.get(id);
		const kept = this.printsOf(fingerprint);
		if (entry === undefined || (entry.content === kept.content && entry.watched === kept.watched)) return;
		this.details?.noteContent(entry.content, content);
		entries.set(id, { ...entry, ...kept });
		this.isEdited = true;
	}

	/** Remembers a record that is not emitted. */
	learn(fingerprint: Fingerprint, status: FirstStatus): void {
		// What waits was never reported, and must not take the room of what was.
		if (status !== 'waiting') this.details?.learn(fingerprint);
		this.put(fingerprint, status);
	}

	/** Notes that a sweep is complete. What is unconfirmed was not returned. */
	confirm(sweep: CompleteSweep): void {
		// An idle poll does not parse the memory.
		if (!this.hasChanged && !mayHaveUnconfirmedOrWaiting(this.text)) return;
		const { entries } = this.read();
		for (const [id, entry] of entries) {
			const status = statusAfter(entry.status, sweep);
			if (status === entry.status) continue;
			if (status === undefined) entries.delete(id);
			else entries.set(id, { ...entry, status });
			this.isEdited = true;
		}
	}

	/** Forgets this page last: the next poll reads the rest of it, and would emit again what is forgotten of it. */
	forgetLast(page: readonly Fingerprint[]): void {
		this.unfinished = new Set(page.map(({ id }) => id));
	}

	/**
	 * 8. Forgets what is beyond the capacity, and returns the saved form. What was added since it was read, or is still awaited, is at
	 * its end.
	 * @param readingsSince when the first of the sweeps that read the same began, in milliseconds since the epoch.
	 */
	write(readingsSince = Infinity): SavedMemory {
		const written = this.writeEntries(dayOf(readingsSince));
		const sizes = { from: sizeIn(this.text, this.keepsContent), to: this.size, capacity: this.capacity };
		return {
			...written,
			details: this.details?.write(written.text.length) ?? '',
			warning: this.kind && capacityWarning(this.kind, sizes),
		};
	}

	/** Writes the entries by day, the emitted ones at the end, new before updated. A full memory forgets the first. */
	private writeEntries(readingsSince: number): Omit<SavedMemory, 'details' | 'warning'> {
		// Without additions, a new text of up to a megabyte is not worth its cost.
		if (!this.hasChanged && this.atEnd.size === 0) {
			return { text: this.text, end: { added: 0, changed: 0 }, endsReadings: false };
		}
		const parsed = this.read();
		const entries = (parsed.entries = entriesByDay(parsed.entries));
		const endsReadings = this.forget(Math.max(0, entries.size - this.capacity), readingsSince);
		const those = (event: EmittedAs) =>
			byDay(
				entries,
				[...this.atEnd.keys()].filter((id) => this.atEnd.get(id) === event && entries.has(id)),
			);
		const [added, changed] = [those('new'), those('updated')];
		for (const id of [...added, ...changed]) {
			const entry = entries.get(id) as Entry;
			// A Map keeps the order of insertion: only a new key goes to the end.
			entries.delete(id);
			entries.set(id, entry);
		}
		const end = { added: added.length, changed: changed.length };
		return { text: writeMemory(parsed), end, endsReadings };
	}

	/** Forgets the earliest entries, what was emitted last after all others. Returns whether another reading would emit one again. */
	private forget(excess: number, readingsSince: number): boolean {
		if (excess === 0) return false;
		const parsed = this.read();
		const ids = [...parsed.entries.keys()];
		const goesLast = (id: string) => this.atEnd.has(id) || this.unfinished.has(id);
		let endsReadings = false;
		for (const id of [...ids.filter((id) => !goesLast(id)), ...ids.filter(goesLast)].slice(0, excess)) {
			const { day, status } = parsed.entries.get(id) as Entry;
			parsed.entries.delete(id);
			if (day >= this.today - 1 || status === 'waiting') endsReadings = true;
			else if (status !== 'returned') parsed.horizon = Math.max(parsed.horizon, day + 1);
			else if (day >= readingsSince) endsReadings = true;
		}
		return endsReadings;
	}

	private put(fingerprint: Fingerprint, status: FirstStatus, horizon = this.horizon): Entry {
		const { id, occurredAt } = fingerprint;
		const day = occurredAt === undefined ? undefined : Math.max(0, Math.min(dayOf(occurredAt), this.today));
		const { entries } = this.read();
		const isReturned = status === 'known' && (day === undefined || day < horizon);
		entries.delete(id);
		const entry: Entry = {
			...this.printsOf(fingerprint),
			day: isReturned || status === 'waiting' ? this.today : (day ?? this.today),
			status: isReturned ? 'returned' : status,
		};
		entries.set(id, entry);
		this.isEdited = true;
		return entry;
	}

	private printsOf(fingerprint: Fingerprint): Pick<Entry, 'content' | 'watched'> {
		if (!this.keepsContent) return { content: '', watched: '' };
		return {
			content: fingerprint.content,
			watched: this.watchId === '' ? '' : watchedOf(fingerprint.record, this.fieldsToWatch),
		};
	}

	// Parsed at the first record: an idle poll has none.
	private read(): ParsedMemory {
		if (this.parsed !== undefined) return this.parsed;
		return (this.parsed = this.watched(readMemory(this.text, this.keepsContent)));
	}

	private watched(memory: ParsedMemory): ParsedMemory {
		return memory.watchId === this.watchId ? memory : watching(memory, this.watchId);
	}
}
