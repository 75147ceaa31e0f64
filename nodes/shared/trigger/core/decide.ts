import type { RecordEvent } from './memory/emitted';
import type { Fingerprint } from './memory/fingerprint';
import { dayOf } from './memory/fingerprint';
import type { MemoryView } from './memory/memory';
import type { PollSettings } from './ports';
import type { Census, Sweeping } from './state';
import { startDateOf } from './state';

/*
 * 5. What becomes of a record that a sweep returns: the first row that fits. `decide` goes through the rows in this order. A
 * record is unknown if it is not in the memory, and unseen if it is unknown and did not occur before the memory's horizon.
 *
 * the record                                        is
 * occurred before the start date                    unconfirmed if it is unseen, otherwise ignored
 * does not pass the filters                         waiting if it is unconfirmed, or unseen while there is a census; otherwise
 *                                                   ignored
 * is unconfirmed, or waits                          new
 * has another content than in the memory, and       updated, with New or Updated
 *   another value of a field to watch, if there are any
 * is in the memory                                  known
 * occurred before the horizon of the first reading  updated with New or Updated, otherwise known
 * occurred before the horizon of this sweep         known: an earlier reading emitted it, or it did not pass the filters then
 * is any other                                      new
 *
 * What becomes of one that a start or the census returns:
 *
 * occurred since the start date (census)            ignored
 * is in the memory, or occurred before its horizon  ignored
 * is any other                                      old at the start, unconfirmed in the census
 */

/** The reader of a record, and what the decision depends on. */
export type Rules = { reader: 'start' } | ({ reader: 'census' } & Pick<Census, 'startDate'>) | SweepRules;

export interface SweepRules extends Pick<PollSettings, 'failedFilter' | 'keepsContent'> {
	reader: 'sweep';
	/** The memory's horizon when the first reading of this period began. */
	firstHorizon: number;
	/** The memory's horizon when this sweep began. */
	sweepHorizon: number;
	/** See Reading. A record that occurred earlier is not emitted. */
	startDate: number | null;
	/** Whether a census is under way or still to come. */
	hasCensus: boolean;
}

export function rulesFor({ sweep, readings: [first], census }: Sweeping, settings: PollSettings): SweepRules {
	return {
		reader: 'sweep',
		firstHorizon: first?.horizon ?? sweep.horizon,
		sweepHorizon: sweep.horizon,
		startDate: startDateOf(sweep),
		failedFilter: settings.failedFilter,
		keepsContent: settings.keepsContent,
		hasCensus: census !== null,
	};
}

/** The treatment of a record, which `Finds` carries out. An "old" one is remembered as known. */
export type Verdict = RecordEvent | 'known' | 'old' | 'unconfirmed' | 'waiting' | 'ignored';

export function isEmitted(verdict: Verdict): verdict is RecordEvent {
	return verdict === 'new' || verdict === 'updated';
}

export interface Decision {
	verdict: Verdict;
	/** A short clause for the log. */
	because: string;
}

const FORGOTTEN = 'occurred before what the memory still has';
const REDELIVERED = 'redelivered: n8n may not have stored it';

/** 5. Decides on the treatment of a record. Changes nothing. */
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

function decideInSweep(memory: MemoryView, fingerprint: Fingerprint, rules: SweepRules): Decision {
	const { startDate, failedFilter, keepsContent, hasCensus } = rules;
	const { occurredAt = Infinity } = fingerprint;
	const comparison = memory.compare(fingerprint);
	// A record that occurred before the horizon may be forgotten, even during this sweep.
	const isUnseen = comparison === undefined && !isBefore(fingerprint, memory.horizon);
	if (startDate !== null && occurredAt < startDate) {
		return { verdict: isUnseen ? 'unconfirmed' : 'ignored', because: 'occurred before the start date' };
	}
	const failed = failedFilter(fingerprint.record);
	if (failed !== undefined) {
		// The record may pass later, and is new then: the census must not learn it.
		const mayBeNew = comparison === 'unconfirmed' || (hasCensus && isUnseen);
		return { verdict: mayBeNew ? 'waiting' : 'ignored', because: `does not pass the filter ${failed}` };
	}
	const redelivered = memory.isRedelivered(fingerprint) ? REDELIVERED : undefined;
	switch (comparison) {
		case 'unconfirmed':
			return { verdict: 'new', because: redelivered ?? 'unconfirmed, and returned' };
		case 'waiting':
			return { verdict: 'new', because: 'passes the filters now' };
		case 'changed':
			return { verdict: 'updated', because: redelivered ?? comparison };
		case 'changed in no watched field':
			return { verdict: 'known', because: comparison };
		case 'unchanged':
			return { verdict: 'known', because: keepsContent ? 'unchanged' : 'seen before' };
		case undefined:
			return decideOnUnknown(fingerprint, rules);
	}
}

// Neither horizon moves during a sweep: records that the memory forgets meanwhile must not make the others old.
function decideOnUnknown(fingerprint: Fingerprint, { firstHorizon, sweepHorizon, keepsContent }: SweepRules): Decision {
	if (isBefore(fingerprint, firstHorizon)) {
		return keepsContent
			? { verdict: 'updated', because: 'forgotten, so its return counts as a change' }
			: { verdict: 'known', because: FORGOTTEN };
	}
	if (isBefore(fingerprint, sweepHorizon)) return { verdict: 'known', because: 'forgotten since the first reading' };
	return { verdict: 'new', because: 'not in the memory' };
}

function isBefore({ occurredAt }: Fingerprint, horizon: number): boolean {
	return occurredAt !== undefined && dayOf(occurredAt) < horizon;
}
