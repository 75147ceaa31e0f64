import type { Trail } from '../../service/trail';
import { follow } from '../../service/trail';
import { startOver } from './cycle';
import { Endless, NoPage } from './failures';
import type { Fingerprint } from './memory/fingerprint';
import { fingerprintOf } from './memory/fingerprint';
import type { Ports, RecordPage } from './ports';
import type { Sweep } from './state';

/** Takes each record of a sweep. Returns false when this poll can take no more. */
export type Visit = (fingerprint: Fingerprint, sweep: Sweep) => boolean;

/** What ends a part of a sweep besides the time of the poll. */
export interface Limits {
	pages?: number;
	/** By the local clock. */
	until?: number;
}

/**
 * Where a poll left a sweep: its `end` after the last page, otherwise the sweep to continue, with the `failure` that stopped it.
 * There is no failure where time or the number of records stopped it.
 */
export type WalkEnd =
	{ sweep: null; end: { startedAt: number; hadOnePage: boolean } } | { sweep: Sweep; failure?: unknown };

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
	ports: Ports,
	{ pages = Infinity, until = Infinity }: Limits = {},
): Promise<WalkEnd> {
	let sweep = from;
	let restarted = false;
	const goesOn = (read: number) => read === 0 || (read < pages && ports.hasTime() && ports.now() < until);
	for (let read = 0; goesOn(read); read++) {
		let page: RecordPage;
		try {
			page = await ports.fetchPage(sweep.since, sweep.cursor);
		} catch (failure) {
			if (!(failure instanceof NoPage && failure.why === 'rejected cursor')) return { sweep, failure };
			sweep = startOver(sweep);
			if (restarted) return { sweep, failure };
			ports.warn('The service no longer accepts the cursor of the sweep under way: the sweep starts over');
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

/** Whether a sweep has read a page since `from`, perhaps after starting over, which makes new `setbacks`. */
export function hasMoved(from: Sweep, to: Sweep): boolean {
	return to.cursor !== null && (to.cursor !== from.cursor || to.setbacks !== from.setbacks);
}

/** Undefined after a page whose next cursor came back: a circle, or a scroll, of which a later poll would skip a part. */
function trailAfter({ nextCursor, records }: RecordPage, { cursor, trail }: Sweep): Trail | undefined {
	if (nextCursor === null) return trail;
	const next = follow(trail, { cursor, nextCursor, records });
	return 'problem' in next || next.again !== undefined ? undefined : next;
}

/** Tells the user why a sweep stopped. */
export function stoppedWarning(failure: unknown): string {
	const reason = failure instanceof Error ? failure.message : String(failure);
	return `The sweep stopped before its last page; the next poll continues from there. Reason: ${reason}`;
}
