import type { Fingerprint, RevenueRecord } from './memory/fingerprint';
import { dayOf } from './memory/fingerprint';
import type { Comparison, EmittedAs, MemoryView } from './memory/memory';

/** Who reads the record, and what counts for it. */
export type Rules =
	| { reader: 'start' }
	/** `occurredSince` is that of the sweeps. */
	| { reader: 'census'; occurredSince?: number | undefined }
	| SweepRules;

export interface SweepRules {
	reader: 'sweep';
	/** What is unknown and occurred before this day is not new: the memory's horizon when the first of these sweeps began. */
	oldBefore: number;
	/** What is unknown and occurred from then on, but before this day, was emitted by one of them: the horizon when this one began. */
	knownBefore: number;
	/** See Reading. What occurred before is not emitted. */
	occurredSince: number;
	matches(record: RevenueRecord): boolean;
	keepsContent: boolean;
	/** Whether a census is under way or still to come. */
	hasCensus: boolean;
}

/**
 * What is done with a record:
 * - new, updated: it is emitted and remembered
 * - known: the memory notes its content, if it still has the record
 * - old: it is remembered as known
 * - unconfirmed: it is remembered as unconfirmed, and new if a later sweep returns it
 * - waiting: it is remembered as waiting for the filters
 * - ignored: nothing
 */
export type Verdict = EmittedAs | 'known' | 'old' | 'unconfirmed' | 'waiting' | 'ignored';

export function isEmitted(verdict: Verdict): verdict is EmittedAs {
	return verdict === 'new' || verdict === 'updated';
}

export interface Decision {
	verdict: Verdict;
	/** A short clause for the log. */
	because: string;
}

const MAY_BE_NEW: ReadonlySet<Comparison> = new Set(['unconfirmed', 'unconfirmed, taken out']);

const FORGOTTEN = 'occurred before what the memory still has';
const REDELIVERED = 'redelivered: n8n may not have stored it';

/** 5. Decides what is done with a record, and says why. Changes nothing. */
export function decide(memory: MemoryView, fingerprint: Fingerprint, rules: Rules): Decision {
	const { occurredAt = Infinity } = fingerprint;
	if (rules.reader === 'sweep') return decideInSweep(memory, fingerprint, rules);
	if (rules.reader === 'census' && rules.occurredSince !== undefined && occurredAt >= rules.occurredSince) {
		return { verdict: 'ignored', because: 'did not occur before the start date' };
	}
	if (memory.compare(fingerprint) !== undefined) return { verdict: 'ignored', because: 'in the memory already' };
	if (isBefore(fingerprint, memory.horizon)) return { verdict: 'ignored', because: FORGOTTEN };
	if (rules.reader === 'start') return { verdict: 'old', because: 'there at the start' };
	return { verdict: 'unconfirmed', because: 'learned by the census' };
}

function decideInSweep(
	memory: MemoryView,
	fingerprint: Fingerprint,
	{ oldBefore, knownBefore, occurredSince, matches, keepsContent, hasCensus }: SweepRules,
): Decision {
	const { occurredAt = Infinity } = fingerprint;
	const comparison = memory.compare(fingerprint);
	if (occurredAt < occurredSince) {
		return {
			verdict: isUnknown(memory, fingerprint) ? 'unconfirmed' : 'ignored',
			because: 'occurred before the start date',
		};
	}
	if (!matches(fingerprint.record)) {
		// It may pass later, and is new then: the census must not learn it.
		const mayBeNew =
			comparison === undefined ? hasCensus && isUnknown(memory, fingerprint) : MAY_BE_NEW.has(comparison);
		return { verdict: mayBeNew ? 'waiting' : 'ignored', because: 'does not pass the filters' };
	}
	switch (comparison) {
		case undefined:
			// What a sweep makes the memory forget must not make the rest of that sweep old: neither horizon moves under way.
			if (isBefore(fingerprint, oldBefore)) {
				return keepsContent
					? { verdict: 'updated', because: 'forgotten, so its return counts as a change' }
					: { verdict: 'known', because: FORGOTTEN };
			}
			// An earlier sweep that read the same has emitted it.
			if (isBefore(fingerprint, knownBefore)) return { verdict: 'known', because: 'forgotten since the first reading' };
			return { verdict: 'new', because: 'not in the memory' };
		case 'unconfirmed':
			return { verdict: 'new', because: 'unconfirmed, and returned' };
		case 'unconfirmed, taken out':
			return { verdict: 'new', because: REDELIVERED };
		case 'waiting':
			return { verdict: 'new', because: 'passes the filters now' };
		case 'unchanged':
			return { verdict: 'known', because: keepsContent ? 'unchanged' : 'seen before' };
		case 'changed in no watched field':
			return { verdict: 'known', because: comparison };
		case 'changed':
			return { verdict: 'updated', because: 'changed' };
		case 'changed, taken out':
			return { verdict: 'updated', because: REDELIVERED };
	}
}

/** Whether nothing at all is known of a record: what occurred before the horizon may have been forgotten. */
function isUnknown(memory: MemoryView, fingerprint: Fingerprint): boolean {
	return memory.compare(fingerprint) === undefined && !isBefore(fingerprint, memory.horizon);
}

function isBefore({ occurredAt }: Fingerprint, horizon: number): boolean {
	return occurredAt !== undefined && dayOf(occurredAt) < horizon;
}
