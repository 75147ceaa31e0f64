import type { Entry, ParsedMemory } from '../../../nodes/shared/trigger/core/memory/entry.ts';

export const WATCH_ID = 'w'.repeat(22);

/** Returns an entry, and its id of nine characters. */
export const entry = (name: string, over: Partial<Entry> = {}): [string, Entry] => [
	name.padEnd(9, '_'),
	{ content: `${name}cccccc`.slice(0, 6), watched: '', day: 20_000, status: 'known', ...over },
];
/** Returns a memory of these entries. */
export const memoryOf = (...entries: Array<[string, Entry]>): ParsedMemory => ({
	horizon: 19_000,
	watchId: entries.some(([, { watched }]) => watched !== '') ? WATCH_ID : '',
	entries: new Map(entries),
});
