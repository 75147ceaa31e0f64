import type { RecordList } from '../../shared/list/recordList';
import type { Call } from '../../shared/service/call';
import type { FilterName } from '../filters';

/**
 * The most items for one input item. n8n's declarative engine passes them as arguments of a function: about 120,000 overflow the
 * call stack (measured on 1.123 and 2.41). Only a node that stops before can tell the user what to do.
 */
export const MAX_ITEMS_PER_INPUT = 100_000;

export const NARROW_DATES = 'narrow "Date From" and "Date To" under Filters';

export interface RevenueOperation {
	name: string;
	/** `get` and the name of the result, in camelCase. The node shows this name below its own. */
	value: string;
	action: string;
	description: string;
	/** The names of its filters (`filters.ts`), besides those that no operation names: all operations have these. */
	filters: ReadonlyArray<Exclude<FilterName, 'dateFrom' | 'dateTo'>>;
	call: Call;
	/** An error page may be an object, too, so the response must have an object in the field `objectWith`. */
	returns: { list: RecordList } | { objectWith: string };
}

/** @param fields the documented fields of a record (API document, Resources), and whether Simplified has them. */
export function listOf(name: string, fields: Readonly<Record<string, boolean>>): RecordList {
	return {
		name,
		columns: Object.keys(fields),
		simplified: Object.keys(fields).filter((field) => fields[field]),
		idsOf: (page) => page.map(({ id }) => (typeof id === 'string' ? id : undefined)),
		remembered: MAX_ITEMS_PER_INPUT,
		narrower: NARROW_DATES,
	};
}
