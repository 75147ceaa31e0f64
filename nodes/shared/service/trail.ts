import { digestOf } from '../digest';

/**
 * Where a walk over the pages of a list stands in Brent's cycle detection: one page is marked, the last one after 1, 2, 4, 8,
 * … pages, and a walk that goes in a circle of any length meets it again. Plain JSON, so that a walk can continue later.
 */
export interface Trail {
	/** Digest of the cursor that the marked page names; '' before the first page. */
	mark: string;
	/** Digest of the marked page's records; absent before the first page, and in states of earlier versions. */
	records?: string;
	/** The number of the marked page, at least 1, and how many pages came after it. */
	reach: number;
	steps: number;
	/** Pages since a cursor came back; absent until one does. */
	again?: number;
}

export interface FollowedPage {
	/** The cursor that the page was requested with; null or `undefined` for the first page. */
	cursor: string | null | undefined;
	nextCursor: string;
	records: readonly unknown[];
}

export const FRESH_TRAIL: Trail = { mark: '', steps: 0, reach: 1 };

/** How many pages a walk reads at most after a cursor came back: 100,000 records, which n8n still holds as items. */
export const MAX_PAGES_AGAIN = 1_000;

/**
 * Returns the trail after a page, or why the walk would never end.
 *
 * A walk would never end when it gets a page that it had before: the same next cursor with the same records. The same cursor
 * with other records may mean a scroll, which the service moves on with each request. Then the walk may go on, but not
 * forever. The API document does not say that cursors differ (Conventions, Pagination).
 */
export function follow(trail: Trail, { cursor, nextCursor, records }: FollowedPage): Trail | { problem: string } {
	const mark = digestOf(nextCursor);
	const isBack = mark === trail.mark;
	if (isBack && trail.records === digestOf(JSON.stringify(records))) {
		return { problem: 'is a page that was already read' };
	}
	const namesItself = nextCursor === cursor;
	const again = isBack || namesItself || trail.again !== undefined ? (trail.again ?? 0) + 1 : undefined;
	if (again !== undefined && again > MAX_PAGES_AGAIN) return { problem: `is page ${again} since a cursor came back` };
	const counted = { ...trail, ...(again !== undefined && { again }) };
	if (!namesItself && trail.steps + 1 < trail.reach) return { ...counted, steps: trail.steps + 1 };
	return { ...counted, mark, records: digestOf(JSON.stringify(records)), steps: 0, reach: pagesOf(trail) + 1 };
}

/**
 * Returns the trail after a page of a walk that later polls continue; `undefined` if the page's next cursor came back. If a poll
 * that fails followed such a cursor, and the next poll again, a scroll would skip a page.
 */
export function trailAfter(trail: Trail, page: FollowedPage): Trail | undefined {
	const next = follow(trail, page);
	return 'problem' in next || next.again !== undefined ? undefined : next;
}

/** Returns how many pages a walk has read. */
export function pagesOf({ mark, steps, reach }: Trail): number {
	return mark === '' ? 0 : reach + steps;
}
