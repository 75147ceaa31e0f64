import { CONTENT_LENGTH, ID_LENGTH } from './fingerprint';

/** The most characters the entries of a memory take in the state; with the rest of the state it stays below 1 MB. */
export const MEMORY_CHARACTERS = 840_000;

// The limit of versions that kept no days.
const MAX_CHARACTERS_EVER = 960_000;

const ENTRIES = /^[\w-]*$/;
const DAYS = /^[\da-z]+\.([~!^]?[\da-z]+:[\da-z]+(,|$))*$/;

/** A parsed memory. */
export interface MemoryText {
	/** What is not remembered and occurred before this day (since the epoch) is forgotten; 0 when nothing is. */
	horizon: number;
	/** By the fingerprint of the id: that of the content, where it is kept, then the label, a day with a mark or none. */
	entries: Map<string, string>;
}

export function entryLength(keepsContent: boolean): number {
	return ID_LENGTH + (keepsContent ? CONTENT_LENGTH : 0);
}

/** How many transactions a memory holds. */
export function entriesIn(text: string, keepsContent: boolean): number {
	return entriesOf(text).length / entryLength(keepsContent);
}

/** The horizon of a memory, see MemoryText. */
export function horizonIn(text: string): number {
	const days = text.slice(entriesOf(text).length + 1);
	return days === '' ? 0 : parseInt(days, 36);
}

/** Whether `text` is a memory that was written with the same `keepsContent`. */
export function isMemory(text: string, keepsContent: boolean): boolean {
	const entries = entriesOf(text);
	const count = entriesIn(text, keepsContent);
	if (entries.length > MAX_CHARACTERS_EVER || !Number.isInteger(count) || !ENTRIES.test(entries)) return false;
	const days = text.slice(entries.length + 1);
	if (text === entries) return true;
	return DAYS.test(days) && runsOf(days).reduce((sum, [, length]) => sum + length, 0) === count;
}

/**
 * Parses one text: the entries, then the horizon, then the labels as runs of equal ones. A single text costs n8n least: it
 * wraps every object of the state in a proxy and compares the state by walking it. Versions that kept no days wrote the
 * entries alone; those count as from day 0, and are forgotten first.
 */
export function readMemory(text: string, keepsContent: boolean): MemoryText {
	const written = entriesOf(text);
	const days = text.slice(written.length + 1);
	const length = entryLength(keepsContent);
	const entries = new Map<string, string>();
	let at = 0;
	for (const [label, count] of days === '' ? [['0', written.length / length] as const] : runsOf(days)) {
		for (const end = at + count * length; at < end; at += length) {
			const content = keepsContent ? written.slice(at + ID_LENGTH, at + length) : '';
			entries.set(written.slice(at, at + ID_LENGTH), content + label);
		}
	}
	return { horizon: horizonIn(text), entries };
}

export function writeMemory(horizon: number, entries: ReadonlyMap<string, string>, keepsContent: boolean): string {
	const labelAt = keepsContent ? CONTENT_LENGTH : 0;
	let text = '';
	const runs: Array<[label: string, count: number]> = [];
	for (const [id, entry] of entries) {
		text += id + entry.slice(0, labelAt);
		const label = entry.slice(labelAt);
		const run = runs.at(-1);
		if (run?.[0] === label) run[1]++;
		else runs.push([label, 1]);
	}
	return `${text}.${horizon.toString(36)}.${runs.map(([label, count]) => `${label}:${count.toString(36)}`).join(',')}`;
}

function entriesOf(text: string): string {
	const end = text.indexOf('.');
	return end < 0 ? text : text.slice(0, end);
}

function runsOf(days: string): Array<readonly [label: string, count: number]> {
	const runs = days.slice(days.indexOf('.') + 1);
	if (runs === '') return [];
	return runs.split(',').map((run) => {
		const [label, count] = run.split(':') as [string, string];
		return [label, parseInt(count, 36)] as const;
	});
}
