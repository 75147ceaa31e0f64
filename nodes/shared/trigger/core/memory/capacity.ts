import type { RecordKind } from './fingerprint';
import { entryLength, MEMORY_CHARACTERS } from './text';

const NEARLY_FULL = 0.8;

/** Returns the most records in a memory: 93,333 by their id alone, 56,000 with their content, 40,000 with fields to watch. */
export function capacityFor(keepsContent: boolean, watchId: string): number {
	return Math.floor(MEMORY_CHARACTERS / entryLength(keepsContent, watchId));
}

export function capacityWarning(
	{ plural, occurredAt }: RecordKind,
	{ from, to, capacity }: { from: number; to: number; capacity: number },
): string | undefined {
	// A memory of earlier settings may have held more.
	if (from !== capacity && to === capacity) {
		const forgotten =
			occurredAt === undefined
				? 'those that were learned first are forgotten from now on, and count as new if the service returns them again'
				: 'those that occurred first are forgotten from now on, and count as old if the service returns them again';
		return `The memory of ${plural} is full (${capacity}): ${forgotten}`;
	}
	const nearlyFull = capacity * NEARLY_FULL;
	return from < nearlyFull && to >= nearlyFull
		? `The memory of ${plural} is filling up: ${to} of ${capacity}`
		: undefined;
}
