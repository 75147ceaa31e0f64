import type { RecordEvent } from './memory/emitted';
import type { Fingerprint, RevenueRecord } from './memory/fingerprint';
import { dayOf } from './memory/fingerprint';
import type { Comparison, MemoryView } from './memory/memory';
import type { Census } from './state';

/** The reader of a record, and the values on which the decision depends. */
export type Rules = { reader: 'start' } | ({ reader: 'census' } & Pick<Census, 'startDate'>) | SweepRules;

export interface SweepRules {
	reader: 'sweep';
	/** The memory's horizon when the first sweep of this period began. An unknown record that occurred before is not new. */
	oldBefore: number;
	/**
	 * The memory's horizon when this sweep began. An earlier sweep emitted any unknown record between `oldBefore` and this day, or
	 * the record did not pass the filters then.
	 */
	knownBefore: number;
	/** See Reading. A record that occurred earlier is not emitted. */
	startDate: number | null;
	/** See PollSettings. */
	failedFilter(record: RevenueRecord): string | undefined;
	keepsContent: boolean;
	/** Whether a census is under way or still to come. */
	hasCensus: boolean;
}

/**
 * The treatment of a record:
 * - new, updated: the poll emits it, and the memory remembers it
 * - known: with Fields to Watch, the memory notes its content, if it still has the record
 * - old: the memory remembers it as known
 * - unconfirmed: the memory remembers it as unconfirmed; a later sweep that returns the record emits it as new
 * - waiting: the memory remembers that it waits for the filters
 * - ignored: nothing happens
 */
export type Verdict = RecordEvent | 'known' | 'old' | 'unconfirmed' | 'waiting' | 'ignored';

export function isEmitted(verdict: Verdict): verdict is RecordEvent {
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

/** 5. Decides on the treatment of a record, and says why. Changes nothing. */
export function decide(memory: MemoryView, fingerprint: Fingerprint, rules: Rules): Decision {
	if (rules.reader === 'sweep') return decideInSweep(memory, fingerprint, rules);
	const { occurredAt = -Infinity } = fingerprint;
	if (rules.reader === 'census' && rules.startDate !== null && occurredAt >= rules.startDate) {
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
	{ oldBefore, knownBefore, startDate, failedFilter, keepsContent, hasCensus }: SweepRules,
): Decision {
	const { occurredAt = Infinity } = fingerprint;
	const comparison = memory.compare(fingerprint);
	// A record that occurred before the horizon may be forgotten, even during this sweep.
	const isUnknown = comparison === undefined && !isBefore(fingerprint, memory.horizon);
	if (startDate !== null && occurredAt < startDate) {
		return {
			verdict: isUnknown ? 'unconfirmed' : 'ignored',
			because: 'occurred before the start date',
		};
	}
	const failed = failedFilter(fingerprint.record);
	if (failed !== undefined) {
		// The record may pass later, and is new then: the census must not learn it.
		const mayBeNew = comparison === undefined ? hasCensus && isUnknown : MAY_BE_NEW.has(comparison);
		return { verdict: mayBeNew ? 'waiting' : 'ignored', because: `does not pass the filter ${failed}` };
	}
	switch (comparison) {
		case undefined:
			// Neither horizon moves during a sweep: records that the memory forgets meanwhile must not make the others old.
			if (isBefore(fingerprint, oldBefore)) {
				return keepsContent
					? { verdict: 'updated', because: 'forgotten, so its return counts as a change' }
					: { verdict: 'known', because: FORGOTTEN };
			}
			// An earlier reading has emitted the record.
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

function isBefore({ occurredAt }: Fingerprint, horizon: number): boolean {
	return occurredAt !== undefined && dayOf(occurredAt) < horizon;
}
