import type { OperationResponse } from '../response.ts';
import { ServiceError } from '../serviceError.ts';
import type { CursorContent } from '../cursor.ts';
import { selectPage, type Condition, type KeysetRow, type KeysetQuery } from '../storage/keyset.ts';
import { switchDuration } from '../switches.ts';
import type { Call } from './operation.ts';

const DEFAULT_PAGE_SIZE = 50;

/** How one list is read and shown. `T` is a stored row. */
export interface ListKind<T> {
	operation: string;
	table: KeysetQuery['table'];
	/** Column of the ascending and descending orders. */
	orderColumn(call: Call): string;
	/** Query parameters that narrow the list; a cursor is bound to them. */
	filters: readonly string[];
	conditions(call: Call, filters: Record<string, string>): Condition[];
	present(call: Call, row: T): unknown;
}

/** Where a page starts and which filters hold on it. */
interface PageStart {
	after: [number, number] | null;
	offset?: number;
	filters: Record<string, string>;
	page: number;
}

/** One page of a list in its envelope (Resources: page envelope). */
export function pageResponse<T>(call: Call, kind: ListKind<T>): OperationResponse {
	const { order: direction } = call.organization.switches;
	const column = direction === 'shuffled' ? 'shuffle' : kind.orderColumn(call);
	const order = `${direction} ${column}`;
	const start = startOf(call, kind, order);
	const size = Number(call.query['page_size'] ?? DEFAULT_PAGE_SIZE);
	const { offset } = start;
	const rows = selectPage<T>(call.database, {
		table: kind.table,
		organization: call.organization.number,
		column,
		descending: direction === 'descending',
		after: offset === undefined ? start.after : null,
		...(offset !== undefined && { offset }),
		conditions: kind.conditions(call, start.filters),
		limit: size + 1,
	});
	const more = rows.length > size;
	const shown = more ? rows.slice(0, size) : rows;
	const content = {
		organization: call.organization.number,
		operation: kind.operation,
		order,
		filters: start.filters,
		issued: call.now,
	};
	const last = shown.at(-1);
	const isOffset = call.organization.switches.cursors === 'offset';
	const next = { ...content, ...(isOffset && { offset: (offset ?? 0) + shown.length }) };
	return {
		status: 200,
		headers: {},
		page: { ...content, after: start.after, ...(offset !== undefined && { offset }), page: start.page },
		body: {
			data: shown.map((row) => kind.present(call, row)),
			next_cursor: more && last ? nextCursor(call, next, last, start.page + 1) : null,
		},
	};
}

function nextCursor(call: Call, content: Omit<CursorContent, 'after' | 'page'>, last: KeysetRow, page: number): string {
	return call.cursors.seal({ ...content, after: [last.order_value, last.position], page });
}

function startOf<T>(call: Call, kind: ListKind<T>, order: string): PageStart {
	const filters: Record<string, string> = {};
	for (const name of kind.filters) {
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
		content.operation === kind.operation &&
		content.order === order;
	const sameFilters =
		switches['cursor-filters'] === 'carried' || JSON.stringify(content?.filters) === JSON.stringify(filters);
	if (!content || !fresh || !own || !sameFilters) {
		throw new ServiceError(
			Number(switches['cursor-rejection']),
			'The cursor is invalid or has expired; start over without a cursor',
			{ fields: { cursor: ['is invalid or has expired'] } },
		);
	}
	const { after, offset, page } = content;
	return { after, ...(offset !== undefined && { offset }), filters: content.filters, page };
}
