import { must } from '../failures';
import { capacityFor, capacityWarning } from './capacity';
import { Details } from './details';
import type { EmittedKeys, RecordEvent, Tail } from './emitted';
import { emittedLast, keyIn, keysOf, redeliveredEntries, UNKNOWN_CONTENT, watching } from './emitted';
import type { CompleteSweep, Entry, MemoryMethod, ParsedMemory, Status } from './entry';
import { afterForgetting, isUnconfirmed, MAY_CHANGE, statusAfter } from './entry';
import type { Fingerprint, RecordKind } from './fingerprint';
import { dayOf, ID_LENGTH, watchedOf, watchIdOf } from './fingerprint';
import { byDay, entriesByDay, horizonIn, mayConfirm, readMemory, sizeIn, watchIdIn, writeMemory } from './text';

export type MemoryView = Pick<Memory, 'compare' | 'isRedelivered' | 'horizon'>;

type FirstStatus = Extract<Status, 'known' | 'unconfirmed' | 'waiting'>;

/**
 * How a record compares with its entry. A redelivered record is unconfirmed if it had been new, otherwise changed. Where contents
 * are not kept, every other record is unchanged.
 */
export type Comparison = 'unconfirmed' | 'waiting' | 'unchanged' | 'changed in no watched field' | 'changed';

export interface MemoryOptions {
	/** These three: see PollSettings. */
	keepsContent: boolean;
	capacity?: number;
	fieldsToWatch: readonly string[];
	/** A day since the epoch, see `dayOf`. */
	today: number;
	kind: RecordKind;
	/** The saved form of the details; `undefined` at the start. */
	details?: string | undefined;
	/** The emissions that n8n may not have stored yet. Their records stay in the tail. */
	inFlight?: ReadonlyArray<{ keys: EmittedKeys }>;
}

/** When the sweeps of a period began, in milliseconds since the epoch; Infinity if none has. */
export interface Starts {
	/** The earliest of the watermark and of the starts of the readings and of the sweep under way. */
	earliest: number;
	/** The start of the latest sweep, or an earlier time. */
	latest: number;
}

interface SavedMemory {
	text: string;
	tail: Tail;
	/** The keys of the records that this poll emitted; `undefined` if it emitted none. */
	keys: EmittedKeys | undefined;
	/** Empty where contents are not kept. */
	details: string;
	/** The warning about the room that is left, if one is due. */
	warning: string | undefined;
	/** Whether the memory forgot records that a further reading would emit again. */
	endsReadings: boolean;
}

/**
 * The records that were emitted or learned. A new record is taken for one of 93,333 remembered ones, and so lost, with a probability
 * of 5e-12.
 *
 * A full memory forgets the earliest days first (`Entry.day`). Its horizon is the day after the latest day forgotten, and an unknown
 * record that occurred before is not new. Returned and waiting records do not move it, nor do those of today and yesterday: it would
 * pass records that are yet to come. The records emitted last are forgotten last: the next poll may read their page again, and a
 * restart may redeliver them.
 */
export class Memory {
	private parsed: ParsedMemory | undefined;
	private isEdited = false;
	/** The records in the tail, by the fingerprints of their ids. */
	private readonly inTail = new Map<string, RecordEvent>();
	private readonly emittedKeys: EmittedKeys;
	/** The redelivered records, and those to forget last, by the fingerprints of their ids. */
	private redeliveredIds = new Set<string>();
	private keptLongest: ReadonlySet<string> = new Set();
	private readonly watchId: string;
	readonly capacity: number;
	private today: number;
	private readonly details: Details | undefined;

	constructor(
		private readonly text: string,
		readonly options: MemoryOptions,
	) {
		const { keepsContent, today, capacity, fieldsToWatch, kind, details, inFlight = [] } = options;
		this.today = today;
		this.details = keepsContent ? new Details(kind.fields, details) : undefined;
		this.watchId = keepsContent ? watchIdOf(fieldsToWatch) : '';
		this.emittedKeys = { new: [], updated: [], watchId: this.watchId };
		this.capacity = capacity ?? capacityFor(keepsContent, this.watchId);
		// The new ones last: a record that was new in one emission and changed in another is still new to the receiver.
		for (const event of ['updated', 'new'] as const) {
			for (const key of inFlight.flatMap(({ keys }) => keys[event])) this.inTail.set(key.slice(0, ID_LENGTH), event);
		}
	}

	/** 2. Redelivers emissions, oldest first, whose records are known by their keys, or by their number in the tail. */
	redeliver(emissions: ReadonlyArray<{ keys: EmittedKeys } | { tail: Tail }>): void {
		if (emissions.length === 0) return;
		must(this.parsed === undefined, 'a memory redelivers before it is read');
		const memory = readMemory(this.text, this.options.keepsContent);
		const keys = emissions.map((one) => ('keys' in one ? one.keys : emittedLast(memory, one.tail)));
		const redelivered = redeliveredEntries(memory, keys, this.today);
		this.redeliveredIds = new Set(redelivered.keys());
		this.parsed = memory;
		for (const [id, entry] of redelivered) this.change('redeliver', id, entry);
		this.parsed = watching(memory, this.watchId);
	}

	get size(): number {
		return this.parsed?.entries.size ?? sizeIn(this.text, this.options.keepsContent);
	}

	/** See ParsedMemory. */
	get horizon(): number {
		return this.parsed?.horizon ?? horizonIn(this.text);
	}

	/** Notes the time by the later of both clocks: n8n's clock, by which the memory knows the day, may be behind. */
	noteTime(latest: number): void {
		this.today = Math.max(this.today, dayOf(latest));
	}

	/** `undefined` for a record without an entry. */
	compare(fingerprint: Fingerprint): Comparison | undefined {
		const entry = this.read().entries.get(fingerprint.id);
		if (entry === undefined) return undefined;
		const { status, content, watched } = entry;
		if (isUnconfirmed(status)) return 'unconfirmed';
		if (status === 'waiting') return status;
		if (!this.options.keepsContent || content === fingerprint.content) return 'unchanged';
		const isSameInWatched = watched === watchedOf(fingerprint.record, this.options.fieldsToWatch);
		return isSameInWatched ? 'changed in no watched field' : 'changed';
	}

	/** Whether a record is redelivered. Later polls know this only of a record whose content is unknown. */
	isRedelivered({ id }: Fingerprint): boolean {
		return this.redeliveredIds.has(id) || this.read().entries.get(id)?.content === UNKNOWN_CONTENT;
	}

	/** See Details. */
	changedFields({ id, record }: Fingerprint): string[] | undefined {
		return this.details?.changedSince(this.read().entries.get(id)?.content ?? '', record);
	}

	/**
	 * Remembers an emitted record. One that occurred before `horizon`, which `decide` used, gets today as its day: with its own it would
	 * be forgotten at once, and emitted by every poll that reads the overlap.
	 */
	remember(fingerprint: Fingerprint, event: RecordEvent, horizon: number): void {
		const { id } = fingerprint;
		// While n8n has not stored the record as new, the receiver does not know it: it stays new.
		if (!this.inTail.has(id)) this.inTail.set(id, event);
		this.redeliveredIds.delete(id);
		this.details?.keepEmitted(this.read().entries.get(id)?.content, fingerprint);
		const key = keyIn(id, this.put('remember', fingerprint, 'known', horizon));
		this.emittedKeys[event].push(key);
	}

	/** Notes the content of a known record that is not emitted, and its fields to watch if they were unknown. */
	noteContent(fingerprint: Fingerprint): void {
		const { id, content } = fingerprint;
		const { entries } = this.read();
		const entry = entries.get(id);
		const kept = this.printsOf(fingerprint);
		if (entry === undefined || (entry.content === kept.content && entry.watched === kept.watched)) return;
		this.details?.noteContent(entry.content, content);
		this.change('noteContent', id, { ...entry, ...kept });
	}

	/** Remembers a record that is not emitted. */
	learn(fingerprint: Fingerprint, status: FirstStatus): void {
		// A waiting record need not have been emitted, and must not take the room of one that was.
		if (status !== 'waiting') this.details?.learn(fingerprint);
		this.put('learn', fingerprint, status);
	}

	confirm(sweep: CompleteSweep): void {
		// An idle poll does not parse the memory.
		if (!this.isEdited && !mayConfirm(this.text)) return;
		for (const [id, entry] of this.read().entries) {
			const status = statusAfter(entry.status, sweep);
			if (status !== entry.status) this.change('confirm', id, status && { ...entry, status });
		}
	}

	/** Marks a page to be forgotten last: the next poll reads it again, and would emit forgotten records again. */
	keepLongest(page: readonly Fingerprint[]): void {
		this.keptLongest = new Set(page.map(({ id }) => id));
	}

	/** 8. Forgets the records beyond the capacity, and returns the saved form. */
	write(starts: Starts): SavedMemory {
		const written = this.writeEntries(starts);
		const hasEmitted = keysOf(this.emittedKeys).length > 0;
		// With fields to watch, a memory holds fewer records: it may be nearly full since they were chosen.
		const heldAsMany = (watchIdIn(this.text) === '') === (this.watchId === '');
		const from = heldAsMany ? sizeIn(this.text, this.options.keepsContent) : 0;
		const sizes = { from, to: this.size, capacity: this.capacity };
		return {
			...written,
			keys: hasEmitted ? this.emittedKeys : undefined,
			details: this.details?.write(written.text.length) ?? '',
			warning: written.text === this.text ? undefined : capacityWarning(this.options.kind, sizes),
		};
	}

	/** Writes the entries by day, those of the tail at the end, new before updated. */
	private writeEntries(starts: Starts): Omit<SavedMemory, 'keys' | 'details' | 'warning'> {
		// An unchanged memory is not worth the cost of a new text of up to a megabyte.
		if (!this.isEdited && this.inTail.size === 0) {
			return { text: this.text, tail: { new: 0, updated: 0 }, endsReadings: false };
		}
		const parsed = this.read();
		const entries = (parsed.entries = entriesByDay(parsed.entries));
		const endsReadings = this.forget(Math.max(0, entries.size - this.capacity), starts);
		const inTail = [...this.inTail].filter(([id]) => entries.has(id));
		const idsOf = (wanted: RecordEvent) => inTail.flatMap(([id, event]) => (event === wanted ? [id] : []));
		const [ofNew, ofUpdated] = [byDay(entries, idsOf('new')), byDay(entries, idsOf('updated'))];
		for (const id of [...ofNew, ...ofUpdated]) moveToEnd(entries, id);
		const tail = { new: ofNew.length, updated: ofUpdated.length };
		return { text: writeMemory(parsed), tail, endsReadings };
	}

	/** Forgets the earliest entries, those to forget last after all others. Returns whether another reading would emit one again. */
	private forget(excess: number, starts: Starts): boolean {
		if (excess === 0) return false;
		const parsed = this.read();
		const today = this.todayFor(parsed, starts);
		const ids = [...parsed.entries.keys()];
		const goesLast = (id: string) => this.inTail.has(id) || this.keptLongest.has(id);
		let endsReadings = false;
		for (const id of [...ids.filter((id) => !goesLast(id)), ...ids.filter(goesLast)].slice(0, excess)) {
			const entry = parsed.entries.get(id) as Entry;
			const follows = afterForgetting(entry, today, dayOf(starts.earliest));
			this.change('write', id, undefined);
			if (follows === 'the readings end') endsReadings = true;
			if (follows === 'the horizon moves') parsed.horizon = Math.max(parsed.horizon, entry.day + 1);
		}
		return endsReadings;
	}

	/**
	 * Returns the day that counts as today: the latest day of a known record or of the start of a sweep, but no day after
	 * `this.today`. Each of the three may be wrong: a record may lie in the future, and a clock may be behind or ahead.
	 */
	private todayFor({ entries }: ParsedMemory, { latest }: Starts): number {
		let day = dayOf(latest);
		for (const entry of entries.values()) if (entry.status === 'known') day = Math.max(day, entry.day);
		return Math.min(this.today, day);
	}

	private put(by: MemoryMethod, fingerprint: Fingerprint, status: FirstStatus, horizon = this.horizon): Entry {
		const { id, occurredAt } = fingerprint;
		const day = occurredAt === undefined ? undefined : Math.max(0, Math.min(dayOf(occurredAt), this.today));
		const isReturned = status === 'known' && (day === undefined || day < horizon);
		const entry: Entry = {
			...this.printsOf(fingerprint),
			day: isReturned || status === 'waiting' ? this.today : (day ?? this.today),
			status: isReturned ? 'returned' : status,
		};
		this.change(by, id, entry);
		moveToEnd(this.read().entries, id);
		return entry;
	}

	/** Changes an entry, and with it perhaps its status; `undefined` deletes it. */
	private change(by: MemoryMethod, id: string, entry: Entry | undefined): void {
		const { entries } = this.read();
		const [from, to] = [entries.get(id)?.status, entry?.status];
		must(MAY_CHANGE[by](from, to), `to ${by} a record does not lead from ${from} to ${to}`);
		if (entry === undefined) entries.delete(id);
		else entries.set(id, entry);
		this.isEdited = true;
	}

	private printsOf({ content, record }: Fingerprint): Pick<Entry, 'content' | 'watched'> {
		if (!this.options.keepsContent) return { content: '', watched: '' };
		return { content, watched: this.watchId === '' ? '' : watchedOf(record, this.options.fieldsToWatch) };
	}

	// An idle poll parses nothing.
	private read(): ParsedMemory {
		this.parsed ??= watching(readMemory(this.text, this.options.keepsContent), this.watchId);
		return this.parsed;
	}
}

// A Map keeps the order of insertion: only a new key goes to the end.
function moveToEnd(entries: ParsedMemory['entries'], id: string): void {
	const entry = entries.get(id) as Entry;
	entries.delete(id);
	entries.set(id, entry);
}
