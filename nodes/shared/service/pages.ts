import { hash } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import type { Call } from './call';
import type { RequestContext, Result } from './request';
import { request, situationOf } from './request';
import { contractError } from './serviceErrors';

/** Source: API document, Conventions, Pagination. */
export const LARGEST_PAGE = 100;

// A hundred times what was asked for at most.
const LARGEST_PAGE_EVER = 10_000;

// More than a request line carries; the trigger keeps a cursor in its state.
const LONGEST_CURSOR = 16_384;

const MOST_EMPTY_PAGES = 1_000;

interface Envelope {
	data: IDataObject[];
	nextCursor: string | null;
}

/** One page of a list, with the answer it came in. */
export type Page = Envelope & { result: Result };

/**
 * Walks a list, one array of records per page, until `next_cursor` is null or `limit` records have been had.
 * The first request carries no cursor; afterwards the cursor goes back unchanged. Only the caller keeps records.
 *
 * @throws NodeApiError when a page cannot be had, breaks the envelope, names a cursor this walk has already been sent to
 * (a cycle of any length), or is the thousandth in a row without a record; it says how many records had been read. A walk
 * never starts over by itself.
 */
export async function* pages(
	ctx: RequestContext,
	call: Call,
	{ limit = Infinity } = {},
): AsyncGenerator<IDataObject[], void, undefined> {
	const visited = new Set<string>();
	let cursor: string | null | undefined;
	let empty = 0;
	for (let read = 0; read < limit && cursor !== null;) {
		const query: Record<string, string | number> = { ...call.query, page_size: Math.min(LARGEST_PAGE, limit - read) };
		if (cursor !== undefined) query.cursor = cursor;
		const pageNumber = visited.size + 1;
		const pageCall = { ...call, query };
		const envelope = await readPage(ctx, pageCall).catch((error: unknown) => {
			throw withProgress(error, pageNumber, read);
		});
		if (envelope.nextCursor !== null) {
			// A digest, because nothing bounds the length of a cursor.
			const digest = hash('sha256', envelope.nextCursor, 'base64');
			if (visited.has(digest))
				throw withProgress(endless(ctx, pageCall, envelope, 'names a cursor that was already used'), pageNumber, read);
			visited.add(digest);
		}
		empty = envelope.data.length === 0 ? empty + 1 : 0;
		if (empty >= MOST_EMPTY_PAGES)
			throw withProgress(
				endless(ctx, pageCall, envelope, `is page ${empty} in a row without a record`),
				pageNumber,
				read,
			);
		cursor = envelope.nextCursor;
		const wanted = envelope.data.slice(0, limit - read);
		read += wanted.length;
		yield wanted;
	}
}

/**
 * Reads the page that the call's query names. @throws NodeApiError when it cannot be had or breaks the envelope
 * (API document, Resources, Page envelope).
 */
export async function readPage(ctx: RequestContext, call: Call): Promise<Page> {
	const result = await request(ctx, call);
	const envelope = readEnvelope(result.body);
	if (typeof envelope === 'string') {
		throw contractError(situationOf(ctx, call, result.attempts), result, envelope);
	}
	return { ...envelope, result };
}

function readEnvelope(body: unknown): Envelope | string {
	if (typeof body !== 'object' || body === null) return 'a page is not an object';
	if (!('data' in body) || !Array.isArray(body.data)) return 'a page has no "data" array';
	if (body.data.length > LARGEST_PAGE_EVER) return `a page has ${body.data.length} records, not up to ${LARGEST_PAGE}`;
	if (!body.data.every((record) => typeof record === 'object' && record !== null && !Array.isArray(record))) {
		return 'a record is not an object';
	}
	if (!('next_cursor' in body)) return 'a page has no "next_cursor"';
	const nextCursor: unknown = body.next_cursor;
	if (nextCursor !== null && typeof nextCursor !== 'string') return '"next_cursor" is neither text nor null';
	if (nextCursor !== null && nextCursor.length > LONGEST_CURSOR)
		return `"next_cursor" has ${nextCursor.length} characters`;
	return { data: body.data as IDataObject[], nextCursor };
}

function endless(ctx: RequestContext, call: Call, { result }: Page, what: string): NodeApiError {
	return contractError(situationOf(ctx, call, result.attempts), result, `it ${what}, so the list would never end`);
}

// The status for a rejected cursor is a gap of the API document (Errors, Gaps): any of these may mean one.
const MAY_REJECT_A_CURSOR = new Set(['400', '404', '409', '410', '422']);

/** Whether an error for a page that was asked for by its cursor may mean that the service no longer takes the cursor. */
export function mayRejectCursor(error: unknown): error is NodeApiError {
	return error instanceof NodeApiError && MAY_REJECT_A_CURSOR.has(error.httpCode ?? '');
}

function withProgress(error: unknown, pageNumber: number, read: number): unknown {
	if (!(error instanceof Error)) return error;
	const amended = error as Error & { description?: string | null; httpCode?: string | null };
	if (pageNumber === 1) return error;
	const records = read === 1 ? '1 record' : `${read} records`;
	amended.message = `${error.message} (page ${pageNumber}, after ${records} had been read)`;
	const hints = [amended.description ?? ''];
	if (error instanceof NodeApiError && MAY_REJECT_A_CURSOR.has(error.httpCode ?? '')) {
		hints.push('The service may no longer accept the cursor of this page: run the node again to read from the start.');
	}
	if (read > 0) hints.push('Nothing was output, because the list would have been incomplete.');
	amended.description = hints.filter(Boolean).join(' ');
	return error;
}
