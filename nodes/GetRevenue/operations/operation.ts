import type { RecordList } from '../../shared/list/recordList';
import type { Call } from '../../shared/service/call';
import { MAX_ITEMS_PER_INPUT, NARROW_DATES } from '../returned';

/** One operation of Get Revenue: a GET of the service. */
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
