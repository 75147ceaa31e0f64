import type { CursorContent } from '../cursor.ts';
import type { OperationResponse } from '../response.ts';
import { ServiceError } from '../serviceError.ts';
import type { Condition, KeysetQuery, KeysetRow } from '../storage/keyset.ts';
import { selectPage } from '../storage/keyset.ts';
import { switchDuration } from '../switches.ts';
import type { Call, Operation } from './operation.ts';

const DEFAULT_PAGE_SIZE = 50;

/** How one list is read and shown. `T` is a stored row. */
interface ListKind<T> extends Pick<Operation, 'id' | 'scope'> {
	table: KeysetQuery['table'];
	/** Returns the column of the ascending and descending orders. */
	orderColumn(call: Call): string;
	/** Query parameters that narrow the list; a cursor is bound to them. */
	filters: readonly string[];
	conditions(call: Call, filters: Record<string, string>): Condition[];
	present(call: Call, row: T): unknown;
}

/** Where a page starts and which filters hold on it. */
type PageStart = Pick<CursorContent, 'after' | 'offset' | 'pagesBefore' | 'scroll' | 'filters' | 'page'>;

/** Makes the operation that returns a list page by page. */
export function pagedList<T>(list: ListKind<T>): Operation {
	const { id, scope } = list;
	return { id, kind: 'read', scope, perform: (call) => pageResponse(call, list) };
}

/** Returns one page of a list in its envelope (API document, Resources, Page envelope). */
function pageResponse<T>(call: Call, list: ListKind<T>): OperationResponse {
	const { order: direction } = call.organization.switches;
	const column = direction === 'shuffled' ? 'shuffle' : list.orderColumn(call);
	const order = `${direction} ${column}`;
	const size = Number(call.query['page_size'] ?? DEFAULT_PAGE_SIZE);
	const start = startOf(call, list, order, size);
	const { pagesBefore, offset = pagesBefore === undefined ? undefined : pagesBefore * size } = start;
	const rows = selectPage<T>(call.database, {
		table: list.table,
		organization: call.organization.number,
		column,
		descending: direction === 'descending',
		after: offset === undefined ? start.after : null,
		...(offset !== undefined && { offset }),
		conditions: list.conditions(call, start.filters),
		limit: size + 1,
	});
	const more = rows.length > size;
	const shown = more ? rows.slice(0, size) : rows;
	const content = { organization: call.organization.number, operation: list.id, order, issued: call.now };
	// A scroll moves past the last page, too.
	const next = call.cursors.seal({ ...content, ...pageAfter(call, start, shown, size) });
	return {
		status: 200,
		headers: {},
		page: { ...start, ...content },
		body: { data: shown.map((row) => list.present(call, row)), next_cursor: more ? next : null },
	};
}

/** Returns where the next page starts, in the terms of the organization's cursors. */
function pageAfter(
	call: Call,
	{ after, offset = 0, pagesBefore = 0, scroll, filters, page }: PageStart,
	shown: readonly KeysetRow[],
	size: number,
): PageStart & Pick<CursorContent, 'pageSize'> {
	const last = shown.at(-1);
	const next: PageStart = { after: last ? [last.order_value, last.position] : after, filters, page: page + 1 };
	switch (call.organization.switches.cursors) {
		case 'position':
			return next;
		case 'offset':
			return { ...next, offset: offset + shown.length };
		case 'page-number':
			return { ...next, pagesBefore: pagesBefore + 1 };
		case 'page-size':
			return { ...next, pageSize: size };
		case 'scroll':
			return { ...next, scroll: scroll ?? call.cursors.newScroll() };
	}
}

function startOf<T>(call: Call, list: ListKind<T>, order: string, size: number): PageStart {
	const filters: Record<string, string> = {};
	for (const name of list.filters) {
		if (call.query[name] !== undefined) filters[name] = String(call.query[name]);
	}
	const { cursor } = call.query;
	if (cursor === undefined || call.cursorRule === 'first-page') return { after: null, filters, page: 1 };

	const { switches } = call.organization;
	const content = call.cursorRule === 'expired' ? undefined : call.cursors.open(String(cursor));
	const fresh = content && call.now - content.issued < switchDuration(switches, 'cursor-lifetime');
	const own =
		content &&
		content.organization === call.organization.number &&
		content.operation === list.id &&
		content.order === order;
	const sameFilters =
		switches['cursor-filters'] === 'carried' || JSON.stringify(content?.filters) === JSON.stringify(filters);
	const sameSize = (content?.pageSize ?? size) === size;
	if (!content || !fresh || !own || !sameFilters || !sameSize) {
		throw new ServiceError(
			Number(switches['cursor-rejection']),
			'The cursor is invalid or has expired; start over without a cursor',
			{ fields: { cursor: ['is invalid or has expired'] } },
		);
	}
	return content;
}
