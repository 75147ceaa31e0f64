import type { IDataObject } from 'n8n-workflow';
import { isObject } from '../isObject';
import type { Call } from './call';
import type { LaterPage, RequestContext } from './context';
import type { Result } from './request';
import { request } from './request';
import { follow, FRESH_TRAIL, pagesOf } from './trail';

/** The largest page that can be requested (API document, Conventions, Pagination). */
export const MAX_PAGE = 100;

// This is a hundred times the largest page that is requested.
const MAX_PAGE_ACCEPTED = 10_000;

// A longer cursor does not fit into a request line. The trigger keeps a cursor in its state.
const MAX_CURSOR = 16_384;

const MAX_EMPTY_PAGES = 1_000;

export interface Page {
	data: IDataObject[];
	nextCursor: string | null;
	result: Result;
}

/**
 * Walks a list page by page until `next_cursor` is null or `limit` records were read. All requests have one page size, because a
 * cursor may count pages or be bound to their size. A walk keeps no records, and never starts over by itself.
 * @throws NodeApiError when a page cannot be read, or the walk would never end (see follow) or may have missed a page.
 */
export async function* pages(
	ctx: RequestContext,
	call: Call,
	{ limit = Infinity } = {},
): AsyncGenerator<IDataObject[], void, undefined> {
	const page_size = Math.min(MAX_PAGE, limit);
	let trail = FRESH_TRAIL;
	let empty = 0;
	// The largest number of requests for one page by its cursor that may have moved a scroll on.
	let moves = 1;
	let cursor: string | null | undefined;
	let read = 0;
	while (read < limit && cursor !== null) {
		const query = { ...call.query, page_size, ...(cursor !== undefined && { cursor }) };
		// Once a cursor has come back, a page may depend on how often its cursor was sent.
		const later = { number: pagesOf(trail) + 1, recordsBefore: read, comesOnce: trail.again !== undefined };
		const requested = { ...call, query };
		const page = await readPage(ctx, requested, cursor === undefined ? undefined : later);
		const { data, nextCursor, result } = page;
		if (cursor !== undefined) moves = Math.max(moves, result.moves);
		const fail = (problem: string) => result.contractError(`it ${problem}`);
		const mayLackPage = (problem: string) =>
			result.contractError(`it ${problem}, after ${moves} attempts, so a page may be missing`, true);
		if (nextCursor !== null) {
			const next = follow(trail, { cursor, nextCursor, records: data });
			if ('problem' in next) throw fail(`${next.problem}, so the list would never end`);
			// A lost response to an attempt for this page, or for one before, may have moved a scroll on.
			if (next.again === 1 && moves > 1) throw mayLackPage('names a cursor that came back');
			trail = next;
		} else if (await mayEndScroll(ctx, requested, later, page)) {
			throw mayLackPage('ends the list');
		}
		empty = data.length === 0 ? empty + 1 : 0;
		if (empty === MAX_EMPTY_PAGES) {
			throw fail(`is page ${empty} in a row without a record, so the list would never end`);
		}
		cursor = nextCursor;
		const wanted = data.slice(0, limit - read);
		read += wanted.length;
		yield wanted;
	}
}

/**
 * Whether a list that ends with this page may be a scroll of three pages. A lost attempt for page 2 moves the scroll on, so the
 * retry gets page 3, which names no cursor. Later pages need no check: a scroll's second page names the cursor of the first. What
 * is no scroll returns its page again. A scroll that is over returns no record.
 */
async function mayEndScroll(ctx: RequestContext, call: Call, later: LaterPage, page: Page): Promise<boolean> {
	const { data, result } = page;
	if (later.number !== 2 || result.moves === 1) return false;
	if (data.length === 0) return true;
	const again = await readPage(ctx, call, later);
	return again.nextCursor !== null || JSON.stringify(again.data) !== JSON.stringify(data);
}

/** Reads the page that the call's query names. @throws NodeApiError if the page cannot be read or breaks the envelope. */
export async function readPage(ctx: RequestContext, call: Call, page?: LaterPage): Promise<Page> {
	const result = await request(ctx, call, page);
	const envelope = readEnvelope(result.body);
	if (typeof envelope === 'string') throw result.contractError(envelope);
	return { ...envelope, result };
}

/** Returns the parts of a page, or the problem with its envelope (API document, Resources, Page envelope). */
function readEnvelope(body: unknown): Omit<Page, 'result'> | string {
	if (!isObject(body)) return 'a page is not an object';
	if (!Array.isArray(body.data)) return 'a page has no "data" array';
	if (body.data.length > MAX_PAGE_ACCEPTED) return `a page has ${body.data.length} records, not up to ${MAX_PAGE}`;
	if (!body.data.every(isObject)) return 'a record is not an object';
	if (!('next_cursor' in body)) return 'a page has no "next_cursor"';
	const { next_cursor: nextCursor } = body;
	if (nextCursor !== null && typeof nextCursor !== 'string') return '"next_cursor" is neither text nor null';
	if (nextCursor !== null && nextCursor.length > MAX_CURSOR) return `"next_cursor" has ${nextCursor.length} characters`;
	return { data: body.data as IDataObject[], nextCursor };
}
