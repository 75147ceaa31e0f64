import type { Trail } from '../../service/trail';
import { follow } from '../../service/trail';
import { startOver } from './cycle';
import { Endless, NoPage } from './failures';
import type { Fingerprint } from './memory/fingerprint';
import { fingerprintOf } from './memory/fingerprint';
import type { Ports, RecordPage } from './ports';
import type { Walk } from './state';

/** Takes each record of a walk. Returns false when this poll can take no more. */
export type Visit = (fingerprint: Fingerprint) => boolean;

/** What ends a part of a walk besides the time of the poll. */
export interface Limits {
	pages?: number;
	/** By the local clock. */
	until?: number;
}

/**
 * Where a poll left a walk: its `end` after the last page, otherwise what to continue, with the `failure` that stopped it.
 * There is no failure where time or the number of records stopped it.
 */
export type WalkEnd<W extends Walk> =
	{ left: null; end: { startedAt: number; hadOnePage: boolean } } | { left: W; failure?: unknown };

/**
 * Continues a walk until it is complete, or until the poll's time, its number of records or a failure ends it. The
 * order of the pages and of the records on them does not matter.
 *
 * A page counts as read only when the visitor took all of it: otherwise the next poll reads it again. A rejected cursor
 * starts it over once.
 */
export async function walk<W extends Walk>(
	from: W,
	visit: Visit,
	ports: Ports,
	{ pages = Infinity, until = Infinity }: Limits = {},
): Promise<WalkEnd<W>> {
	let left = from;
	let restarted = false;
	const goesOn = (read: number) => read === 0 || (read < pages && ports.hasTime() && ports.now() < until);
	for (let read = 0; goesOn(read); read++) {
		let page: RecordPage;
		try {
			page = await ports.fetchPage(left.since, left.cursor);
		} catch (failure) {
			if (!(failure instanceof NoPage && failure.why === 'rejected cursor')) return { left, failure };
			left = startOver(left);
			if (restarted) return { left, failure };
			ports.warn('The service no longer accepts the cursor of the sweep under way: the sweep starts over');
			restarted = true;
			continue;
		}
		const trail = trailAfter(page, left);
		if (trail === undefined) return { left: startOver(left), failure: new Endless(ports.kind.plural) };
		const startedAt = Math.min(left.startedAt ?? Infinity, page.asOf);
		left = { ...left, startedAt };
		for (const record of page.records) if (!visit(fingerprintOf(record, ports.kind))) return { left };
		const { nextCursor } = page;
		if (nextCursor === null) return { left: null, end: { startedAt, hadOnePage: left.cursor === null } };
		left = { ...left, cursor: nextCursor, trail };
	}
	return { left };
}

/** Whether a walk has read a page since `from`, perhaps after starting over, which makes new `setbacks`. */
export function hasMoved(from: Walk, to: Walk): boolean {
	return to.cursor !== null && (to.cursor !== from.cursor || to.setbacks !== from.setbacks);
}

/** Undefined after a page whose next cursor came back: a circle, or a scroll, of which a later poll would skip a part. */
function trailAfter({ nextCursor, records }: RecordPage, { cursor, trail }: Walk): Trail | undefined {
	if (nextCursor === null) return trail;
	const next = follow(trail, { cursor, nextCursor, records });
	return 'problem' in next || next.again !== undefined ? undefined : next;
}

/** Tells the user why a sweep stopped. */
export function stoppedWarning(failure: unknown): string {
	const reason = failure instanceof Error ? failure.message : String(failure);
	return `The sweep stopped before its last page; the next poll continues from there. Reason: ${reason}`;
}
