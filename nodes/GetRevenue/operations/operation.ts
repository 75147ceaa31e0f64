import type { RecordList } from '../../shared/list/recordList';
import type { Call } from '../../shared/service/call';

/**
 * n8n's declarative engine spreads one input item's output into a call: about 120,000 items overflow the call stack
 * (measured on 1.123 and 2.41). Only a node that stops before can tell the user what to do.
 */
export const MAX_ITEMS_PER_INPUT = 100_000;

export const NARROW_DATES = 'narrow "Date From" and "Date To" under Filters';

/** One operation of Get Revenue: a GET of the service, which returns an item per record, or one item for an object. */
export interface RevenueOperation {
	name: string;
	/** `get` and what it returns, in camelCase: the node shows that below its name. */
	value: string;
	action: string;
	description: string;
	call: Call;
	/** A list, or one object. An error page may be an object as well, so a response must have the field `objectWith`. */
	returns: { list: RecordList } | { objectWith: string };
}

/**
 * @param name of a file of the list.
 * @param fields the documented fields of a record (API document, Resources), and whether Simplified has them.
 */
export function listOf(name: string, fields: Readonly<Record<string, boolean>>): RecordList {
	return {
		name,
		columns: Object.keys(fields),
		simplified: Object.keys(fields).filter((field) => fields[field]),
		keysOf: (page) => page.map(({ id }) => (typeof id === 'string' ? id : undefined)),
		remembered: MAX_ITEMS_PER_INPUT,
		narrower: NARROW_DATES,
	};
}
