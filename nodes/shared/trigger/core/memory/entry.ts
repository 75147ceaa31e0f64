export interface ParsedMemory {
	/** The day since the epoch before which the memory has forgotten records; 0 while it has forgotten none. */
	horizon: number;
	/** A digest of the names of the fields to watch; '' when every change counts. */
	watchId: string;
	/** The entries by the fingerprints of the ids. */
	entries: Map<string, Entry>;
}

export interface Entry {
	/** The fingerprint of the record's content; '' where contents are not kept. */
	content: string;
	/** The fingerprint of the record's fields to watch; '' when every change counts. */
	watched: string;
	/** The day since the epoch on which the record occurred, began to wait, was learned, was returned or is redelivered. */
	day: number;
	status: Status;
}

/**
 * The status of a record, and its changes. "Nothing" stands for a record that is not in the memory. The last column names the
 * method of `Memory`; `MAY_CHANGE` knows these rows.
 *
 * nothing → known                  The record was there at the start.                                            learn
 * nothing → unconfirmed            The census or a sweep from a date learned the record, which may be newer      learn
 *                                  than the start.
 * nothing, unconfirmed → waiting   A sweep returned the record, which does not pass the filters, and is new      learn
 *                                  once it does. From nothing only while there is a census.
 * nothing, any → known             A poll emitted the record.                                                    remember
 * unconfirmed → missed once → missed twice → known   A complete usual sweep (`Mode`) did not return the          confirm
 *                                  record, but may have skipped it. A single page skips none: the record is
 *                                  known at once.
 * waiting → nothing                A usual sweep is complete, even one that returned the record, and             confirm
 *                                  the census is over.
 * nothing, any → unconfirmed       A poll redelivers the record, which was emitted as new. If it had changed,    redeliver
 *                                  its status stays.
 * any → nothing                    A full memory forgets the record.                                             write
 * nothing → returned               As known, for a record without a date. Its day is that on which the service    learn
 *                                  returned it.
 * nothing, any → returned          A poll emitted a record without a date, or from before the horizon of the     remember
 *                                  first reading. Its day is that day, too.
 *
 * `noteContent` changes no status. A missed record is still unconfirmed.
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

/** A complete sweep. One of several pages may have skipped a record. */
export interface CompleteSweep {
	hadOnePage: boolean;
	/** Whether a census is under way or still to come. */
	hasCensus: boolean;
}

/** Returns a status after a complete sweep; `undefined` if the record is forgotten. One still unconfirmed was not returned. */
export function statusAfter(status: Status, { hadOnePage, hasCensus }: CompleteSweep): Status | undefined {
	if (isUnconfirmed(status)) return hadOnePage ? 'known' : ONCE_MISSED[status];
	return status === 'waiting' && !hasCensus ? undefined : status;
}

/**
 * Returns what follows if a full memory forgets an entry: the first row that fits.
 *
 * of today or yesterday   the readings end    The horizon would pass records that are yet to come.
 * waiting                 the readings end    Its day is that on which it began to wait.
 * known or unconfirmed    the horizon moves   It moves behind the entry's day. A record without a date, or with a later one, may
 *                                             arrive again if a sweep returns it.
 * returned since `began`  the readings end    The horizon does not cover the record.
 * returned before         nothing             Unless it changes, only a sweep whose overlap reaches back that far returns it, and
 *                                             emits it again.
 *
 * @param began the day of the watermark, or of the earliest start of the readings or of the sweep under way if that is earlier.
 */
export function afterForgetting(
	{ day, status }: Pick<Entry, 'day' | 'status'>,
	today: number,
	began: number,
): 'the readings end' | 'the horizon moves' | 'nothing' {
	if (day >= today - 1 || status === 'waiting') return 'the readings end';
	if (status !== 'returned') return 'the horizon moves';
	return day >= began ? 'the readings end' : 'nothing';
}

export type MemoryMethod = 'learn' | 'remember' | 'noteContent' | 'confirm' | 'redeliver' | 'write';

/** Whether a method may change a status to another; `undefined` stands for nothing. */
export const MAY_CHANGE: Record<MemoryMethod, (from: Status | undefined, to: Status | undefined) => boolean> = {
	learn: (from, to) =>
		from === undefined
			? to === 'known' || to === 'returned' || to === 'unconfirmed' || to === 'waiting'
			: isUnconfirmed(from) && to === 'waiting',
	remember: (_from, to) => to === 'known' || to === 'returned',
	noteContent: (from, to) => from !== undefined && to === from,
	confirm: (from, to) =>
		from !== undefined &&
		(isUnconfirmed(from) ? to === 'known' || to === ONCE_MISSED[from] : from === 'waiting' && to === undefined),
	redeliver: (from, to) => to === 'unconfirmed' || (from !== undefined && to === from),
	write: (from, to) => from !== undefined && to === undefined,
};
