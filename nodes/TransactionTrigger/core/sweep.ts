import { digestOf } from './digest';
import type { Fingerprint, Transaction } from './fingerprint';
import { fingerprintOf } from './fingerprint';
import type { Pass, Setbacks, Sweep, Trail } from './state';
import { FIRST_PASS, FRESH_TRAIL } from './state';

/** One page of transactions. */
export interface TransactionPage {
	transactions: Transaction[];
	nextCursor: string | null;
	/** The service's clock, in milliseconds since the epoch, at or before the moment it read its data. */
	asOf: number;
}

/** What a sweep needs from outside. */
export interface SweepPorts {
	/**
	 * Reads a page; `since` is `updated_since`, `cursor` is null for the first page. A page read `inPassing` may fail rather
	 * than wait.
	 * @throws CursorRejected when the service no longer accepts the cursor, anything else when there is no page.
	 */
	fetchPage(since: number | undefined, cursor: string | null, inPassing?: boolean): Promise<TransactionPage>;
	/** Whether there is time for one more page. */
	hasTime(): boolean;
	/** The failure for cursors that go round in a circle, so that the sweep would never end. */
	endless(): Error;
	/** Logs a warning. */
	report(message: string): void;
}

/** Takes each transaction of a sweep. Returns whether it was known, or 'full' when this poll can take no more. */
export type Visit = (transaction: Transaction, fingerprint: Fingerprint, sweep: Sweep) => 'known' | 'unknown' | 'full';

/** How far one poll brought a sweep. */
export interface Progress {
	/** Where the sweep stands, or null when it is complete. */
	sweep: Sweep | null;
	/** The service's clock at the start of the sweep, when it is complete. */
	watermark?: number;
	/** What ended it before its last page, unless that was time or the number of transactions. */
	failure?: unknown;
}

/** The service no longer accepts a cursor; `cause` is its response. */
export class CursorRejected extends Error {}

// Enough for a pass within one poll. Five characters keep the state small, and two ids share them with a probability of
// 1e-9.
const MAX_MET = 1_000;
const MET_LENGTH = 5;

/**
 * Continues a sweep until it is complete, or until the poll's time, its number of transactions or a failure ends it. The
 * order of the pages and of the transactions on them does not matter.
 *
 * A cursor may be an offset into a list that shifts while it is read, so that a page skips a transaction. A sweep of one
 * page is complete. A sweep of several pages is complete after a pass over all of them that met nothing unknown, and
 * nothing twice: a transaction that moves across an offset makes the service return one of the same pass again. This poll
 * makes at most `maxPasses`.
 *
 * A page counts as read only when the visitor took all of it: otherwise the next poll reads it again. A rejected cursor
 * starts the pass over once.
 */
export async function walk(from: Sweep, visit: Visit, ports: SweepPorts, maxPasses = Infinity): Promise<Progress> {
	let sweep = from;
	let restarted = false;
	let passesLeft = maxPasses;
	for (let first = true; first || ports.hasTime(); first = false) {
		let page: TransactionPage;
		try {
			page = await ports.fetchPage(sweep.since, sweep.cursor);
			if (page.nextCursor !== null && followsItself(sweep.trail, page.nextCursor)) throw ports.endless();
		} catch (failure) {
			if (!(failure instanceof CursorRejected)) return { sweep, failure };
			sweep = startOver(sweep);
			if (restarted) return { sweep, failure: failure.cause };
			ports.report('The service no longer accepts the cursor of the sweep under way: the sweep starts over');
			restarted = true;
			continue;
		}
		const startedAt = sweep.startedAt ?? page.asOf;
		const pass = meetPage(page, sweep, startedAt, visit);
		if (pass === 'full') return { sweep: { ...sweep, startedAt, pass: { ...passOf(sweep), steady: false } } };
		if (page.nextCursor !== null) {
			sweep = { ...sweep, startedAt, pass, cursor: page.nextCursor, trail: follow(sweep.trail, page.nextCursor) };
			continue;
		}
		if (sweep.cursor === null || pass.steady || pass.isOnly === true) return { sweep: null, watermark: startedAt };
		sweep = nextPass(sweep, startedAt, pass);
		if (--passesLeft === 0) break;
	}
	return { sweep };
}

/** Visits all transactions of a page; 'full' when the poll reaches its number of transactions before the end. */
function meetPage(page: TransactionPage, sweep: Sweep, startedAt: number, visit: Visit): Pass | 'full' {
	const pass = passOf(sweep);
	const met = metBy(pass);
	let { steady } = pass;
	for (const transaction of page.transactions) {
		const fingerprint = fingerprintOf(transaction);
		const found = visit(transaction, fingerprint, sweep);
		if (found === 'full') return 'full';
		// What is created meanwhile belongs to the next sweep, which reaches back behind the start of this one.
		const isFresh = fingerprint.occurredAt !== undefined && fingerprint.occurredAt >= startedAt;
		if (found === 'unknown' && !isFresh) steady = false;
		const id = fingerprint.id.slice(0, MET_LENGTH);
		if (met?.has(id) === true) steady = false;
		met?.add(id);
	}
	return { ...pass, steady, met: met === undefined || met.size > MAX_MET ? null : [...met].join('') };
}

/** Undefined when a pass has met more ids than are kept. */
function metBy({ met }: Pass): Set<string> | undefined {
	if (met === null) return undefined;
	const ids = new Set<string>();
	for (let at = 0; at < met.length; at += MET_LENGTH) ids.add(met.slice(at, at + MET_LENGTH));
	return ids;
}

/** The pass under way. What a sweep of an earlier version has met is not known. */
function passOf({ pass, cursor }: Sweep): Pass {
	return pass ?? { ...FIRST_PASS, steady: cursor === null };
}

/** The sweep keeps the start of its first pass: its watermark covers only what existed before that. */
function nextPass(sweep: Sweep, startedAt: number, { number }: Pass): Sweep {
	return { ...fromFirstPage(sweep), startedAt, pass: { ...FIRST_PASS, number: number + 1 } };
}

function fromFirstPage(sweep: Sweep): Sweep {
	const first = { ...sweep, startedAt: null, cursor: null, trail: FRESH_TRAIL };
	delete first.setbacks;
	delete first.pass;
	return first;
}

/** A sweep whose pass under way is its last one, steady or not. */
export function withOnlyPass(sweep: Sweep): Sweep {
	return { ...sweep, pass: { ...passOf(sweep), isOnly: true } };
}

/** Whether a sweep has read a page since `from`, perhaps after starting over. */
export function hasMoved(from: Sweep, to: Sweep): boolean {
	if (passOf(to).number > passOf(from).number) return true;
	return to.cursor !== null && (to.cursor !== from.cursor || to.setbacks !== from.setbacks);
}

function startOver(sweep: Sweep): Sweep {
	const { startedAt, trail, setbacks } = sweep;
	const { inVain, furthest }: Setbacks = setbacks ?? { inVain: 0, furthest: 0 };
	const pages = pagesOf(trail);
	const { number, isOnly } = passOf(sweep);
	return {
		...fromFirstPage(sweep),
		...(number > 1 && { startedAt, pass: { ...FIRST_PASS, number } }),
		// What it learned in doubt may have been created at any time since its first start.
		...(sweep.occurredSince !== undefined && { startedAt }),
		...(isOnly === true && { pass: { ...FIRST_PASS, isOnly } }),
		setbacks: pages > furthest ? { inVain: 0, furthest: pages } : { inVain: inVain + 1, furthest },
	};
}

/** How many pages the pass has had: those that the mark has moved over, and the steps since. */
function pagesOf({ mark, steps, reach }: Trail): number {
	return mark === FRESH_TRAIL.mark ? 0 : reach + steps;
}

function followsItself({ mark }: Trail, cursor: string): boolean {
	return mark === digestOf(cursor);
}

function follow({ mark, steps, reach }: Trail, cursor: string): Trail {
	if (mark === FRESH_TRAIL.mark) return { mark: digestOf(cursor), steps: 0, reach };
	return steps + 1 < reach ? { mark, steps: steps + 1, reach } : { mark: digestOf(cursor), steps: 0, reach: reach * 2 };
}
