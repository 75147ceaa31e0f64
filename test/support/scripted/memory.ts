import type { RecordEvent } from '../../../nodes/shared/trigger/core/memory/emitted.ts';
import type { Entry, ParsedMemory } from '../../../nodes/shared/trigger/core/memory/entry.ts';
import type { Fingerprint } from '../../../nodes/shared/trigger/core/memory/fingerprint.ts';
import type { MemoryOptions, Starts } from '../../../nodes/shared/trigger/core/memory/memory.ts';
import { Memory } from '../../../nodes/shared/trigger/core/memory/memory.ts';
import { KIND } from './kind.ts';

/** A memory on the first of all days, unless told, that no sweep has read since. */
export class TestMemory extends Memory {
	constructor(text: string, options: Partial<MemoryOptions> & Pick<MemoryOptions, 'keepsContent'>) {
		super(text, { today: 0, kind: KIND, fieldsToWatch: [], ...options });
	}

	override remember(fingerprint: Fingerprint, event: RecordEvent, horizon = this.horizon) {
		super.remember(fingerprint, event, horizon);
	}

	override write(starts: Starts = { earliest: Infinity, latest: Infinity }) {
		return super.write(starts);
	}
}

export const WATCH_ID = 'w'.repeat(22);

/** Returns an entry, and its id of nine characters. */
export const entry = (name: string, over: Partial<Entry> = {}): [string, Entry] => [
	name.padEnd(9, '_'),
	{ content: `${name}cccccc`.slice(0, 6), watched: '', day: 20_000, status: 'known', ...over },
];
export const memoryOf = (...entries: Array<[string, Entry]>): ParsedMemory => ({
	horizon: 19_000,
	watchId: entries.some(([, { watched }]) => watched !== '') ? WATCH_ID : '',
	entries: new Map(entries),
});
