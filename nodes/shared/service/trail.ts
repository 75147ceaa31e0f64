import { digestOf } from '../digest';

/**
 * The state of Brent's cycle detection: the page after 1, 2, 4, 8, … pages is marked, so that a walk in a circle of any length
 * meets the marked page again. It is plain JSON, for a walk that continues later.
 */
export interface Trail {
	/** The digest of the cursor that the marked page names; '' before the first page. */
	mark: string;
	/** The number of the marked page, at least 1. `steps` is the number of pages after it. */
	reach: number;
	steps: number;
}

/** The trail of a walk that one execution makes. */
interface ListTrail extends Trail {
	/** The digest of the marked page's records; absent before the first page. */
	records?: string;
	/** The number of pages since a cursor came back; absent before that. */
	again?: number;
}

export const FRESH_TRAIL: ListTrail = { mark: '', steps: 0, reach: 1 };

/** The maximum number of pages after a cursor came back: 100,000 records, which n8n can still hold as items. */
export const MAX_PAGES_AGAIN = 1_000;

/**
 * Returns the trail after a page, or the reason why the walk would never end: it got a page again, with the same next cursor and
 * records. A cursor that comes back with other records may be a scroll's, which moves on with each request. Then the walk may go
 * on, but not forever. The API document does not say that cursors differ (Conventions, Pagination).
 */
export function follow(
	trail: ListTrail,
	{ cursor, nextCursor, records }: { cursor: string | undefined; nextCursor: string; records: readonly unknown[] },
): ListTrail | { problem: string } {
	const mark = digestOf(nextCursor);
	const isBack = mark === trail.mark;
	if (isBack && trail.records === digestOf(JSON.stringify(records))) {
		return { problem: 'is a page that was already read' };
	}
	const namesItself = nextCursor === cursor;
	const again = isBack || namesItself || trail.again !== undefined ? (trail.again ?? 0) + 1 : undefined;
	if (again !== undefined && again > MAX_PAGES_AGAIN) return { problem: `is page ${again} since a cursor came back` };
	const counted = { ...trail, ...(again !== undefined && { again }) };
	if (!namesItself && !isMarkDue(trail)) return { ...counted, steps: trail.steps + 1 };
	return { ...counted, ...markedAt(trail, mark), records: digestOf(JSON.stringify(records)) };
}

/**
 * Returns the trail of a walk that later polls continue; `undefined` if the next cursor came back, even with other records: a
 * scroll's cursor, sent again, would skip a page.
 */
export function trailAfter(
	trail: Trail,
	{ cursor, nextCursor }: { cursor: string | null; nextCursor: string | null },
): Trail | undefined {
	if (nextCursor === null) return trail;
	const mark = digestOf(nextCursor);
	if (mark === trail.mark || nextCursor === cursor) return undefined;
	return isMarkDue(trail) ? markedAt(trail, mark) : { ...trail, steps: trail.steps + 1 };
}

function isMarkDue({ steps, reach }: Trail): boolean {
	return steps + 1 >= reach;
}

function markedAt(trail: Trail, mark: string): Trail {
	return { mark, steps: 0, reach: pagesOf(trail) + 1 };
}

export function pagesOf({ mark, steps, reach }: Trail): number {
	return mark === '' ? 0 : reach + steps;
}
