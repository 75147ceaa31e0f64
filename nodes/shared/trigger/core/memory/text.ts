import { CONTENT_LENGTH, ID_LENGTH, LAST_DAY, WATCHED_LENGTH } from './fingerprint';

/** The most characters the entries of a memory take in the state; with the rest of the state it stays below 1 MB. */
export const MEMORY_CHARACTERS = 840_000;

// The limit of versions that kept no days.
const MAX_CHARACTERS_EVER = 960_000;

const ENTRIES = /^[\w-]*$/;
const DAYS = /^[\da-z]+\.([~+*!^]?[\da-z]+:[\da-z]+(,|$))*$/;
const WATCH_ID = /^[\w-]{22}$/;

/** An unknown content equals the fingerprint of a real one with a probability of 1.5e-11, as any text does. */
export const UNKNOWN_CONTENT = '-'.repeat(CONTENT_LENGTH);
const UNKNOWN_WATCHED = '-'.repeat(WATCHED_LENGTH);

export interface ParsedMemory {
	/** What is not remembered and occurred before this day (since the epoch) is forgotten; 0 when nothing is. */
	horizon: number;
	/** A digest of the names of the fields to watch; '' when every change counts. */
	watchId: string;
	/** What is remembered, by the fingerprint of the id. */
	entries: Map<string, Entry>;
}

export interface Entry {
	/** The fingerprint of its content; '' where contents are not kept. */
	content: string;
	/** The fingerprint of its fields to watch; '' when every change counts. */
	watched: string;
	/** The day (since the epoch) on which it occurred, began to wait, was learned or was returned. */
	day: number;
	status: Status;
}

/**
 * What is known of a record that is remembered, and how that changes:
 *
 * nothing → known                  there at the start
 * nothing → unconfirmed            learned by the census, or by a sweep from a date: it may have been created after the start
 * nothing, unconfirmed → waiting   returned without passing the filters: it may be new once it does
 * nothing, any → known             emitted
 * unconfirmed → missed once → missed twice → known   complete sweeps did not return it, each of which may have skipped it; one
 *                                  of a single page skips nothing, and makes it known at once
 * waiting → nothing                a sweep is complete, and there is no census any more
 * nothing, any → unconfirmed       it was emitted as new, and is redelivered; one that had changed keeps its status
 * any → nothing                    a full memory forgets it
 *
 * What was missed is still unconfirmed. Returned stands for known where the memory had forgotten the record, or no date says when
 * it occurred: its day is that on which the service returned it.
 */
export type Status = 'known' | 'returned' | 'unconfirmed' | 'missed once' | 'missed twice' | 'waiting';

const ONCE_MISSED: Partial<Record<Status, Status>> = {
	unconfirmed: 'missed once',
	'missed once': 'missed twice',
	'missed twice': 'known',
};

export function isUnconfirmed(status: Status): boolean {
	return status in ONCE_MISSED;
}

/** A sweep that is complete: whether it may have skipped a record, and whether there is a census that goes on. */
export interface CompleteSweep {
	maySkip: boolean;
	hasCensus: boolean;
}

/** Returns the status of a record that a complete sweep did not return; `undefined` when it is forgotten. */
export function statusAfter(status: Status, { maySkip, hasCensus }: CompleteSweep): Status | undefined {
	if (isUnconfirmed(status)) return maySkip ? ONCE_MISSED[status] : 'known';
	return status === 'waiting' && !hasCensus ? undefined : status;
}

/** What a label begins with. */
const CHARACTERS: Record<Status, string> = {
	known: '',
	returned: '^',
	unconfirmed: '~',
	'missed once': '+',
	'missed twice': '*',
	waiting: '!',
};

const BY_CHARACTER = new Map(Object.entries(CHARACTERS).map(([status, character]) => [character, status as Status]));

/** Whether a memory may have entries that are unconfirmed or waiting. It looks, because counting would parse the memory. */
export function mayHaveUnconfirmedOrWaiting(text: string): boolean {
	return /[~+*!]/.test(text);
}

function keptLength(keepsContent: boolean, watchId: string): number {
	return (keepsContent ? CONTENT_LENGTH : 0) + (watchId === '' ? 0 : WATCHED_LENGTH);
}

/** What tells the records that one poll emitted from others, and from what they were before or are since, see `keyIn`. */
export interface EmittedKeys {
	newKeys: string[];
	changedKeys: string[];
	/** What was watched then, see ParsedMemory. */
	watchId: string;
}

export function entryLength(keepsContent: boolean, watchId: string): number {
	return ID_LENGTH + keptLength(keepsContent, watchId);
}

/** Returns how many records a memory holds. */
export function sizeIn(text: string, keepsContent: boolean): number {
	return entriesSection(text).length / entryLength(keepsContent, watchIdIn(text));
}

/** Returns the horizon of a memory, see ParsedMemory. */
export function horizonIn(text: string): number {
	const { days } = sectionsOf(text);
	return days === '' ? 0 : parseInt(days, 36);
}

/** Returns what is watched in a memory, see ParsedMemory. */
export function watchIdIn(text: string): string {
	return sectionsOf(text).watchId;
}

/** Whether `text` is a memory that was written with the same `keepsContent`. */
export function isMemory(text: string, keepsContent: boolean): boolean {
	const entries = entriesSection(text);
	const count = sizeIn(text, keepsContent);
	if (entries.length > MAX_CHARACTERS_EVER || !Number.isInteger(count) || !ENTRIES.test(entries)) return false;
	if (text === entries) return true;
	const { days, watchId } = sectionsOf(text);
	if (watchId !== '' && (!keepsContent || !WATCH_ID.test(watchId))) return false;
	if (!DAYS.test(days) || horizonIn(text) > LAST_DAY) return false;
	return runsOf(days).reduce((sum, [, length]) => sum + length, 0) === count;
}

/**
 * Parses one text: the entries, the horizon, the labels as runs of equal ones, and what is watched, if anything. A single
 * text costs n8n least: it wraps every object of the state in a proxy and compares the state by walking it. Versions that
 * kept no days wrote the entries alone; those count as from day 0, and are forgotten first.
 */
export function readMemory(text: string, keepsContent: boolean): ParsedMemory {
	const written = entriesSection(text);
	const { days, watchId } = sectionsOf(text);
	const length = entryLength(keepsContent, watchId);
	const endOfContent = ID_LENGTH + (keepsContent ? CONTENT_LENGTH : 0);
	const entries = new Map<string, Entry>();
	let at = 0;
	for (const [label, count] of days === '' ? [['0', written.length / length] as const] : runsOf(days)) {
		const { day, status } = readLabel(label);
		for (const end = at + count * length; at < end; at += length) {
			const content = written.slice(at + ID_LENGTH, at + endOfContent);
			const watched = written.slice(at + endOfContent, at + length);
			entries.set(written.slice(at, at + ID_LENGTH), { content, watched, day, status });
		}
	}
	return { horizon: horizonIn(text), watchId, entries };
}

export function writeMemory({ horizon, watchId, entries }: ParsedMemory): string {
	let text = '';
	const runs: Array<{ first: Entry; count: number }> = [];
	for (const [id, entry] of entries) {
		text += id + entry.content + entry.watched;
		const run = runs.at(-1);
		if (run !== undefined && areAlike(run.first, entry)) run.count++;
		else runs.push({ first: entry, count: 1 });
	}
	const days = runs.map(({ first, count }) => `${labelOf(first)}:${count.toString(36)}`).join(',');
	return `${text}.${horizon.toString(36)}.${days}${watchId === '' ? '' : `.${watchId}`}`;
}

/** What entries have in common that share a run in the saved form. */
type Label = Pick<Entry, 'day' | 'status'>;

function readLabel(label: string): Label {
	const marked = BY_CHARACTER.get(label.charAt(0));
	return { day: parseInt(marked === undefined ? label : label.slice(1), 36), status: marked ?? 'known' };
}

export function labelOf({ day, status }: Label): string {
	return `${CHARACTERS[status]}${day.toString(36)}`;
}

export function areAlike(one: Label, other: Label): boolean {
	return one.day === other.day && one.status === other.status;
}

/** Returns the same memory for other fields to watch. Their fingerprint is unknown until a record is returned again. */
export function watching(memory: ParsedMemory, watchId: string): ParsedMemory {
	const unknown = watchId === '' ? '' : UNKNOWN_WATCHED;
	const entries = new Map<string, Entry>();
	for (const [id, entry] of memory.entries) entries.set(id, { ...entry, watched: unknown });
	return { ...memory, watchId, entries };
}

/** Returns what is at the end of a memory: first the new records, then the changed ones. */
export function emittedLast(
	{ entries, watchId }: ParsedMemory,
	{ added, changed }: { added: number; changed: number },
): EmittedKeys {
	const keys = [...entries].slice(entries.size - added - changed).map(([id, entry]) => keyIn(id, entry));
	return { newKeys: keys.slice(0, added), changedKeys: keys.slice(added), watchId };
}

/**
 * Takes out what some polls emitted, oldest first. A record that was new in any of them becomes unconfirmed, even if it was
 * forgotten since: the next sweep that returns it emits it as new. A record that had changed counts as changed, whatever its
 * content, because the receiver may know either the old or the new one. The day of both is `today`, so that they are not
 * forgotten before. A record under another key was emitted again since, and stays. Returns the ids that were taken out.
 */
export function takeOut(memory: ParsedMemory, emissions: readonly EmittedKeys[], today: number): Set<string> {
	const { entries } = memory;
	const takenOut = new Set<string>();
	const latest = new Map<string, { key: string; watchId: string }>();
	for (const { newKeys, changedKeys, watchId } of emissions) {
		for (const key of [...newKeys, ...changedKeys]) latest.set(key.slice(0, ID_LENGTH), { key, watchId });
	}
	const wereNew = new Set(emissions.flatMap(({ newKeys }) => newKeys.map((key) => key.slice(0, ID_LENGTH))));
	for (const [id, emitted] of latest) {
		const entry = entries.get(id);
		const isNew = wereNew.has(id);
		if (entry === undefined ? !isNew : !isStill(id, entry, emitted, memory.watchId)) continue;
		const unknown = {
			content: emitted.key.length > ID_LENGTH ? UNKNOWN_CONTENT : '',
			watched: memory.watchId && UNKNOWN_WATCHED,
		};
		if (isNew) entries.set(id, { ...unknown, ...entry, day: today, status: 'unconfirmed' });
		else if (entry !== undefined) entries.set(id, { ...entry, ...unknown, day: today });
		takenOut.add(id);
	}
	return takenOut;
}

/** Whether an entry may still be as it was emitted under this key. Once other fields were chosen, nobody knows, so it may. */
function isStill(
	id: string,
	entry: Entry,
	{ key, watchId }: { key: string; watchId: string },
	watchIdNow: string,
): boolean {
	if (watchId !== watchIdNow || (watchId !== '' && entry.watched === UNKNOWN_WATCHED)) return true;
	return keyIn(id, entry) === key;
}

/**
 * Returns the part of an entry that changes exactly when its record is emitted: the fingerprints of its id and of the fields to
 * watch, or of its content where every change counts.
 */
export function keyIn(id: string, { content, watched }: Pick<Entry, 'content' | 'watched'>): string {
	return id + (watched === '' ? content : watched);
}

function entriesSection(text: string): string {
	const end = text.indexOf('.');
	return end < 0 ? text : text.slice(0, end);
}

/** Returns what follows the entries: the horizon and the labels, then what is watched. */
function sectionsOf(text: string): { days: string; watchId: string } {
	const [horizon, runs, ...watchId] = text.slice(entriesSection(text).length + 1).split('.');
	return { days: runs === undefined ? (horizon as string) : `${horizon}.${runs}`, watchId: watchId.join('.') };
}

function runsOf(days: string): Array<readonly [label: string, count: number]> {
	const runs = days.slice(days.indexOf('.') + 1);
	if (runs === '') return [];
	return runs.split(',').map((run) => {
		const [label, count] = run.split(':') as [string, string];
		return [label, parseInt(count, 36)] as const;
	});
}
