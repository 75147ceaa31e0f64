import type { LaterPage } from './context';
import type { FollowedPage } from './trail';
import { follow, FRESH_TRAIL, pagesOf } from './trail';

const MAX_EMPTY_PAGES = 1_000;

/** Watches a walk for signs that it would never end, or that it may have missed a page. */
export class EndlessWatch {
	private trail = FRESH_TRAIL;
	private empty = 0;

	/** Describes the next page. The page of a cursor that came back may depend on how often the cursor was sent. */
	get next(): Pick<LaterPage, 'number' | 'isOnce'> {
		return { number: pagesOf(this.trail) + 1, isOnce: this.trail.again !== undefined };
	}

	/**
	 * Checks the next page of the walk.
	 * @param attempts how many attempts the page took.
	 * @returns what is wrong with the page, to follow the word "it"; `undefined` if nothing is. A page is wrong when the walk
	 * has read it before, when too many pages followed a cursor that came back (see follow), when it is the thousandth empty
	 * page in a row, or when it was retried after a cursor that came back: the first attempt may have moved a scroll on.
	 */
	problemAfter(
		page: Omit<FollowedPage, 'nextCursor'> & { nextCursor: string | null },
		attempts: number,
	): string | undefined {
		const { nextCursor, records } = page;
		if (nextCursor !== null) {
			const next = follow(this.trail, { ...page, nextCursor });
			if ('problem' in next) return `${next.problem}, so the list would never end`;
			if (next.again === 1 && attempts > 1) {
				return `names a cursor that came back, after ${attempts} attempts, so a page may be missing`;
			}
			this.trail = next;
		}
		this.empty = records.length === 0 ? this.empty + 1 : 0;
		if (this.empty < MAX_EMPTY_PAGES) return undefined;
		return `is page ${this.empty} in a row without a record, so the list would never end`;
	}
}
