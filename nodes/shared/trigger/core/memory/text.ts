import type { Entry, ParsedMemory, Status } from './entry';
import { CONTENT_LENGTH, ID_LENGTH, LAST_DAY, WATCHED_LENGTH } from './fingerprint';

/** The most characters of the entries in a memory. With the rest of the state they stay below 1 MB. */
export const MEMORY_CHARACTERS = 840_000;

// The limit of versions that kept no days.
const MAX_CHARACTERS_EVER = 960_000;

const ENTRIES = /^[\w-]*$/;
const HORIZON = /^[\da-z]+$/;
const RUNS = /^([~+*!^]?[\da-z]+:[\da-z]+(,|$))*$/;
const WATCH_ID = /^[\w-]{22}$/;

/** The first character of a label. */
const CHARACTERS: Record<Status, string> = {
	known: '',
	returned: '^',
	unconfirmed: '~',
	'missed once': '+',
	'missed twice': '*',
	waiting: '!',
};

const BY_CHARACTER = new Map(Object.entries(CHARACTERS).map(([status, character]) => [character, status as Status]));

/** Whether a complete sweep may change an unconfirmed or waiting entry. This only searches the text: parsing costs more. */
export function mayConfirm(text: string): boolean {
	return /[~+*!]/.test(text);
}

export function entryLength(keepsContent: boolean, watchId: string): number {
	return ID_LENGTH + (keepsContent ? CONTENT_LENGTH : 0) + (watchId === '' ? 0 : WATCHED_LENGTH);
}

export function sizeIn(text: string, keepsContent: boolean): number {
	const { entries, watchId } = sectionsOf(text);
	return entries.length / entryLength(keepsContent, watchId);
}

export function horizonIn(text: string): number {
	return parseInt(sectionsOf(text).horizon, 36);
}

export function watchIdIn(text: string): string {
	return sectionsOf(text).watchId;
}

/** Whether `text` is a memory that was written with the same `keepsContent`. */
export function isMemory(text: string, keepsContent: boolean): boolean {
	const { entries, horizon, runs, watchId } = sectionsOf(text);
	const count = entries.length / entryLength(keepsContent, watchId);
	if (entries.length > MAX_CHARACTERS_EVER || !Number.isInteger(count) || !ENTRIES.test(entries)) return false;
	if (text === entries) return true;
	if (watchId !== '' && (!keepsContent || !WATCH_ID.test(watchId))) return false;
	if (!HORIZON.test(horizon) || parseInt(horizon, 36) > LAST_DAY) return false;
	if (runs === undefined || !RUNS.test(runs)) return false;
	return runsOf(runs).reduce((sum, [, length]) => sum + length, 0) === count;
}

/**
 * Parses the text of a memory: the entries, the horizon, the labels as runs of equal ones, and the `watchId`, if any. n8n wraps every
 * object of the state in a proxy and compares states member by member, so a single text costs it least. Versions that kept no days
 * wrote the entries alone, which get day 0.
 */
export function readMemory(text: string, keepsContent: boolean): ParsedMemory {
	const { entries: written, horizon, runs, watchId } = sectionsOf(text);
	const length = entryLength(keepsContent, watchId);
	const endOfContent = ID_LENGTH + (keepsContent ? CONTENT_LENGTH : 0);
	const entries = new Map<string, Entry>();
	let at = 0;
	for (const [label, count] of runs === undefined ? [['0', written.length / length] as const] : runsOf(runs)) {
		const { day, status } = readLabel(label);
		for (const end = at + count * length; at < end; at += length) {
			const content = written.slice(at + ID_LENGTH, at + endOfContent);
			const watched = written.slice(at + endOfContent, at + length);
			entries.set(written.slice(at, at + ID_LENGTH), { content, watched, day, status });
		}
	}
	return { horizon: parseInt(horizon, 36), watchId, entries };
}

/** A text added up from its parts would take seven times the space until something reads it. */
export function writeMemory({ horizon, watchId, entries }: ParsedMemory): string {
	const texts: string[] = [];
	const runs: Array<{ first: Entry; count: number }> = [];
	for (const [id, entry] of entries) {
		texts.push(id + entry.content + entry.watched);
		const run = runs.at(-1);
		if (run !== undefined && areAlike(run.first, entry)) run.count++;
		else runs.push({ first: entry, count: 1 });
	}
	const days = runs.map(({ first, count }) => `${labelOf(first)}:${count.toString(36)}`).join(',');
	return `${texts.join('')}.${horizon.toString(36)}.${days}${watchId === '' ? '' : `.${watchId}`}`;
}

/** The common part of the entries in a run of the saved form. */
type Label = Pick<Entry, 'day' | 'status'>;

function readLabel(label: string): Label {
	const marked = BY_CHARACTER.get(label.charAt(0));
	return { day: parseInt(marked === undefined ? label : label.slice(1), 36), status: marked ?? 'known' };
}

function labelOf({ day, status }: Label): string {
	return `${CHARACTERS[status]}${day.toString(36)}`;
}

function areAlike(one: Label, other: Label): boolean {
	return one.day === other.day && one.status === other.status;
}

/** Returns the entries by day. Entries in order stay as they are: to sort a full memory takes twice as long as the whole poll. */
export function entriesByDay(entries: Map<string, Entry>): Map<string, Entry> {
	const labels = new Set<string>();
	let isOrdered = true;
	let previous: Entry | undefined;
	for (const entry of entries.values()) {
		if (previous !== undefined && areAlike(previous, entry)) continue;
		const label = labelOf(entry);
		if (labels.has(label) || entry.day < (previous?.day ?? 0)) isOrdered = false;
		labels.add(label);
		previous = entry;
	}
	if (isOrdered) return entries;
	return new Map(byDay(entries, [...entries.keys()]).map((id) => [id, entries.get(id) as Entry]));
}

/** Returns the ids by day. The ids of one label stand together, because the saved form has their label once. */
export function byDay(entries: ReadonlyMap<string, Entry>, ids: string[]): string[] {
	const byLabel = new Map<string, string[]>();
	for (const id of ids) {
		const label = labelOf(entries.get(id) as Entry);
		const alike = byLabel.get(label);
		if (alike === undefined) byLabel.set(label, [id]);
		else alike.push(id);
	}
	return [...byLabel].sort(([a], [b]) => readLabel(a).day - readLabel(b).day).flatMap(([, alike]) => alike);
}

function sectionsOf(text: string): { entries: string; horizon: string; runs: string | undefined; watchId: string } {
	const [entries = '', horizon = '0', runs, ...watchId] = text.split('.');
	return { entries, horizon, runs, watchId: watchId.join('.') };
}

function runsOf(runs: string): Array<readonly [label: string, count: number]> {
	if (runs === '') return [];
	return runs.split(',').map((run) => {
		const [label, count] = run.split(':') as [string, string];
		return [label, parseInt(count, 36)] as const;
	});
}
