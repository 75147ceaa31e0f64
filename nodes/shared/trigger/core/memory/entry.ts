/** The content of a memory. */
export interface ParsedMemory {
	/** What is not remembered and occurred before this day (since the epoch) is forgotten; 0 when nothing is. */
	horizon: number;
	/** A digest of the names of the fields to watch; '' when every change counts. */
	watchId: string;
	/** What is remembered, by the fingerprint of the id. */
	entries: Map<string, Entry>;
}

/** What is remembered of a record. */
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
 * nothing, unconfirmed → waiting   returned without passing the filters: it may be new once it does. From nothing only while
 *                                  there is a census
 * nothing, any → known             emitted
 * unconfirmed → missed once → missed twice → known   complete sweeps that confirm (Sweep) did not return it, each of which may have
 *                                  skipped it; one of a single page skips nothing, and makes it known at once
 * waiting → nothing                a sweep that confirms is complete, even one that returned it, and there is no census any more
 * nothing, any → unconfirmed       it was emitted as new, and is redelivered; one that had changed keeps its status
 * any → nothing                    a full memory forgets it
 *
 * What was missed is still unconfirmed. Returned stands for known where the memory had forgotten the record, or nothing was known of
 * it and no date says when it occurred: its day is that on which the service returned it.
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

/** A sweep that is complete. One of more than a page may have skipped a record. */
export interface CompleteSweep {
	hadOnePage: boolean;
	/** Whether there is a census that goes on. */
	hasCensus: boolean;
}

/** Returns the status that a record has after a complete sweep; `undefined` when it is forgotten. What is unconfirmed was not returned. */
export function statusAfter(status: Status, { hadOnePage, hasCensus }: CompleteSweep): Status | undefined {
	if (isUnconfirmed(status)) return hadOnePage ? 'known' : ONCE_MISSED[status];
	return status === 'waiting' && !hasCensus ? undefined : status;
}
