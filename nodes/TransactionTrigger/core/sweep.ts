import { digestOf } from './digest';
import type { Transaction } from './fingerprint';
import { fingerprintOf } from './fingerprint';
import type { Memory } from './memory';
import type { Setbacks, Sweep, Trail } from './state';
import { FRESH_TRAIL, newSweep } from './state';

/** One page of transactions. */
export interface Page {
	transactions: Transaction[];
	nextCursor: string | null;
	/** The service's clock, in milliseconds since the epoch, at or before the moment it read its data. */
	asOf: number;
}

/** What a sweep needs from outside. */
export interface SweepPorts {
	/**
	 * Reads a page; `since` is `updated_since`, `cursor` null for the first page.
	 * @throws CursorRejected when the service no longer takes the cursor, anything else when there is no page.
	 */
	fetchPage(since: number | undefined, cursor: string | null): Promise<Page>;
	/** Whether there is time for one more page. */
	hasTime(): boolean;
	/** The failure for cursors that go round in a circle, so that the sweep would never end. */
	endless(): Error;
	/** Tells the user something, in the log. */
	report(message: string): void;
}

export interface SweepSettings {
	/** Transactions after which a poll ends. */
	maxTransactions: number;
	/** Whether the user wants to hear of this transaction. */
	matches(transaction: Transaction): boolean;
}

export interface Emitted {
	transaction: Transaction;
	change: 'new' | 'updated';
}

/** How far one poll brought a sweep. */
export interface Progress {
	emitted: Emitted[];
	/** Where the sweep stands, or null after its last page. */
	sweep: Sweep | null;
	/** The service's clock at the start of the sweep, when it is complete. */
	watermark?: number;
	/** What ended it before its last page, other than time and the number of transactions. */
	failure?: unknown;
}

/** The service does not take a cursor any more; `cause` is its answer. */
export class CursorRejected extends Error {}

/**
 * Walks a sweep on from where it stands, until its last page, the poll's time, its number of transactions or a failure
 * ends it, and remembers what it emits. The order of the pages and of what is on them does not matter.
 *
 * A page counts as read only when all of it that is new was emitted: otherwise the next poll reads it again, and the
 * memory tells which part is done. A rejected cursor starts the sweep over once, from the same `updated_since`.
 */
export async function walk(from: Sweep, memory: Memory, settings: SweepSettings, ports: SweepPorts): Promise<Progress> {
	const emitted: Emitted[] = [];
	let sweep = from;
	let restarted = false;
	for (let first = true; first || ports.hasTime(); first = false) {
		let page: Page;
		try {
			page = await ports.fetchPage(sweep.since, sweep.cursor);
			if (page.nextCursor !== null && followsItself(sweep.trail, page.nextCursor)) throw ports.endless();
		} catch (failure) {
			if (!(failure instanceof CursorRejected)) return { emitted, sweep, failure };
			sweep = startOver(sweep);
			if (restarted) return { emitted, sweep, failure: failure.cause };
			ports.report('The service no longer accepts the cursor of the sweep under way: the sweep starts over');
			restarted = true;
			continue;
		}
		const startedAt = sweep.startedAt ?? page.asOf;
		if (!emitPage(page, emitted, memory, settings)) return { emitted, sweep: { ...sweep, startedAt } };
		if (page.nextCursor === null) return { emitted, sweep: null, watermark: startedAt };
		sweep = { ...sweep, startedAt, cursor: page.nextCursor, trail: follow(sweep.trail, page.nextCursor) };
	}
	return { emitted, sweep };
}

/** Emits what a page brings; false when the poll has its number of transactions before the page is done. */
function emitPage(
	page: Page,
	emitted: Emitted[],
	memory: Memory,
	{ maxTransactions, matches }: SweepSettings,
): boolean {
	for (const transaction of page.transactions) {
		if (!matches(transaction)) continue;
		const fingerprint = fingerprintOf(transaction);
		const change = memory.compare(fingerprint);
		if (change === 'known') {
			memory.touch(fingerprint);
			continue;
		}
		if (emitted.length >= maxTransactions) return false;
		memory.remember(fingerprint);
		emitted.push({ transaction, change });
	}
	return true;
}

/** Whether a sweep has read a page since, be it after starting over. */
export function hasMoved(from: Sweep, to: Sweep): boolean {
	return to.cursor !== null && (to.cursor !== from.cursor || to.setbacks !== from.setbacks);
}

function startOver({ since, trail, setbacks }: Sweep): Sweep {
	const { inVain, furthest }: Setbacks = setbacks ?? { inVain: 0, furthest: 0 };
	const pages = pagesOf(trail);
	return {
		...newSweep(since),
		setbacks: pages > furthest ? { inVain: 0, furthest: pages } : { inVain: inVain + 1, furthest },
	};
}

/** How many pages the sweep has had: so many as the mark was moved over, and the steps since. */
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
