import type { Trail } from '../../service/trail';
import { follow, FRESH_TRAIL, pagesOf } from '../../service/trail';
import { CursorRejected, Endless } from './failures';
import type { Fingerprint, RecordKind, RevenueRecord } from './memory/fingerprint';
import { fingerprintOf } from './memory/fingerprint';
import type { Sweep } from './state';

/** One page of records. */
export interface RecordPage {
	records: RevenueRecord[];
	nextCursor: string | null;
	/** The service's clock, in milliseconds since the epoch, at or before the moment it read its data. */
	asOf: number;
}

/** What a sweep needs from outside. */
export interface SweepPorts {
	/** What the list has. */
	kind: RecordKind;
	/**
	 * Reads a page; `since` is `updated_since`, `cursor` is null for the first page. A page read `inPassing` may fail rather
	 * than wait.
	 * @throws CursorRejected when the service no longer accepts the cursor, Passing when there is no page for a reason that passes
	 * without help, anything else when there is none for another reason.
	 */
	fetchPage(since: number | undefined, cursor: string | null, inPassing?: boolean): Promise<RecordPage>;
	/** Whether there is time for one more page. */
	hasTime(): boolean;
	/** The local clock, in milliseconds since the epoch. */
	now(): number;
	/** Logs a warning. */
	report(message: string): void;
}

/** Takes each record of a sweep. Returns false when this poll can take no more. */
export type Visit = (fingerprint: Fingerprint, sweep: Sweep) => boolean;

/** What ends a part of a sweep besides the time of the poll. */
export interface Limits {
	pages?: number;
	/** By the local clock. */
	until?: number;
}

/** How far one poll brought a sweep. */
export interface Walked {
	/** Where the sweep stands, or null when it is complete. */
	sweep: Sweep | null;
	/** Of a complete sweep. */
	end?: { startedAt: number; hadOnePage: boolean };
	/** What ended it before its last page, unless that was time or the number of records. */
	failure?: unknown;
}

/**
 * How many sweeps read the same. A cursor may be an offset into a list that shifts while it is read: when a record in
 * front of it changes or is deleted, the next page skips another one. Three sweeps would have to skip the same one.
 */
export const READINGS = 3;

/** Rejected cursors happen. Only a walk that keeps starting over and gets no further needs help. */
export const MAX_IN_VAIN = 5;

/**
 * Continues a sweep until it is complete, or until the poll's time, its number of records or a failure ends it. The
 * order of the pages and of the records on them does not matter.
 *
 * A page counts as read only when the visitor took all of it: otherwise the next poll reads it again. A rejected cursor
 * starts the sweep over once.
 */
export async function walk(
	from: Sweep,
	visit: Visit,
	ports: SweepPorts,
	{ pages = Infinity, until = Infinity }: Limits = {},
): Promise<Walked> {
	let sweep = from;
	let restarted = false;
	const goesOn = (read: number) => read === 0 || (read < pages && ports.hasTime() && ports.now() < until);
	for (let read = 0; goesOn(read); read++) {
		let page: RecordPage;
		try {
			page = await ports.fetchPage(sweep.since, sweep.cursor);
		} catch (failure) {
			if (!(failure instanceof CursorRejected)) return { sweep, failure };
			sweep = startOver(sweep);
			if (restarted) return { sweep, failure: failure.cause };
			ports.report('The service no longer accepts the cursor of the sweep under way: the sweep starts over');
			restarted = true;
			continue;
		}
		const trail = trailAfter(page, sweep);
		if (trail === undefined) return { sweep: startOver(sweep), failure: new Endless(ports.kind.plural) };
		const startedAt = Math.min(sweep.startedAt ?? Infinity, page.asOf);
		sweep = { ...sweep, startedAt };
		for (const record of page.records) if (!visit(fingerprintOf(record, ports.kind), sweep)) return { sweep };
		const { nextCursor } = page;
		if (nextCursor === null) return { sweep: null, end: { startedAt, hadOnePage: sweep.cursor === null } };
		sweep = { ...sweep, cursor: nextCursor, trail };
	}
	return { sweep };
}

/** Whether a sweep has read a page since `from`, perhaps after starting over. */
export function hasMoved(from: Sweep, to: Sweep): boolean {
	return to.cursor !== null && (to.cursor !== from.cursor || to.setbacks !== from.setbacks);
}

/** Undefined after a page whose next cursor came back: a circle, or a scroll, of which a later poll would skip a part. */
function trailAfter({ nextCursor, records }: RecordPage, { cursor, trail }: Sweep): Trail | undefined {
	if (nextCursor === null) return trail;
	const next = follow(trail, { cursor, nextCursor, records });
	return 'problem' in next || next.again !== undefined ? undefined : next;
}

/** The sweep keeps its start: what it has learned, and is unconfirmed, may have been created at any time since then. */
function startOver(sweep: Sweep): Sweep {
	const { inVain, furthest } = sweep.setbacks;
	const pages = pagesOf(sweep.trail);
	const setbacks = pages > furthest ? { inVain: 0, furthest: pages } : { inVain: inVain + 1, furthest };
	return { ...sweep, cursor: null, trail: FRESH_TRAIL, setbacks };
}
