import type { IDataObject } from 'n8n-workflow';
import { isObject } from '../isObject';
import type { Call } from './call';
import type { LaterPage, RequestContext } from './context';
import { EndlessWatch } from './endless';
import type { Result } from './request';
import { request } from './request';

/** The largest page that can be requested (API document, Conventions, Pagination). */
export const MAX_PAGE = 100;

// This is a hundred times the largest page that is requested.
const MAX_PAGE_ACCEPTED = 10_000;

// A longer cursor does not fit into a request line. The trigger keeps a cursor in its state.
const MAX_CURSOR = 16_384;

export interface Page {
	data: IDataObject[];
	nextCursor: string | null;
	result: Result;
}

/**
 * Walks a list, one array of records per page, until `next_cursor` is null or `limit` records were read. The first request has no
 * cursor; each later request sends the cursor unchanged. All requests have one page size, because a cursor may count pages or be
 * bound to their size. A walk keeps no records, and never starts over by itself.
 *
 * @throws NodeApiError when a page cannot be read, breaks the envelope, or shows that the walk would never end or may have missed a
 * page (see EndlessWatch and problemAtEnd). The error says how many records were read.
 */
export async function* pages(
	ctx: RequestContext,
	call: Call,
	{ limit = Infinity } = {},
): AsyncGenerator<IDataObject[], void, undefined> {
	const page_size = Math.min(MAX_PAGE, limit);
	const watch = new EndlessWatch();
	let cursor: string | null | undefined;
	for (let read = 0; read < limit && cursor !== null;) {
		const query = { ...call.query, page_size, ...(cursor !== undefined && { cursor }) };
		const page = cursor === undefined ? undefined : { ...watch.next, recordsBefore: read };
		const requested = { ...call, query };
		const { data, nextCursor, result } = await readPage(ctx, requested, page);
		const problem =
			watch.problemAfter({ cursor, nextCursor, records: data }, result.moves) ??
			(page && (await problemAtEnd(ctx, requested, page, { data, nextCursor, result })));
		if (problem !== undefined) throw result.contractError(`it ${problem}`);
		cursor = nextCursor;
		const wanted = data.slice(0, limit - read);
		read += wanted.length;
		yield wanted;
	}
}

/**
 * Checks the end of a list that may be a scroll of three pages. A lost attempt for page 2 moves the scroll on, so the retry gets
 * page 3. This page is the last and names no cursor, so EndlessWatch cannot notice. No later page needs the check, because a
 * scroll's second page names the cursor of the first. A cursor that is no scroll returns its page again. A scroll that is over
 * returns no record.
 * @returns the problem with the page, to follow the word "it"; `undefined` if there is none.
 */
async function problemAtEnd(
	ctx: RequestContext,
	call: Call,
	page: LaterPage,
	{ data, nextCursor, result }: Page,
): Promise<string | undefined> {
	if (page.number !== 2 || nextCursor !== null || result.moves === 1) return undefined;
	if (data.length > 0) {
		const again = await readPage(ctx, call, page);
		if (again.nextCursor === null && JSON.stringify(again.data) === JSON.stringify(data)) return undefined;
	}
	return `ends the list, after ${result.moves} attempts, so a page may be missing`;
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
