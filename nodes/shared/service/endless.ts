import type { LaterPage } from './context';
import type { FollowedPage } from './trail';
import { follow, FRESH_TRAIL, pagesOf } from './trail';

const MAX_EMPTY_PAGES = 1_000;

/** A watch over one walk. It notices that the walk would never end, or may have missed a page. */
export class EndlessWatch {
	private trail = FRESH_TRAIL;
	private empty = 0;

	/** Describes the next page. Once a cursor has come back, a page may depend on how often its cursor was sent. */
	get next(): Pick<LaterPage, 'number' | 'isOnce'> {
		return { number: pagesOf(this.trail) + 1, isOnce: this.trail.again !== undefined };
	}

	/**
	 * Checks the next page of the walk. A page is wrong when the walk has read it before, when too many pages followed a cursor that
	 * came back (see follow), or when it is the thousandth empty page in a row. The page that names a cursor that came back is wrong
	 * when it was retried: its first attempt may have moved a scroll on.
	 * @param attempts the number of attempts for the page that may have moved a scroll on.
	 * @returns the problem with the page, to follow the word "it"; `undefined` if there is none.
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
