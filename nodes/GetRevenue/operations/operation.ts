import type { Call } from '../../shared/service/call';

/** The documented fields of a record (API document, Resources), and whether Simplified has them. */
export type RecordFields = Readonly<Record<string, boolean>>;

/** One operation of Get Revenue: a GET of the service. index.ts derives from it what n8n and the editor need. */
export interface RevenueOperation {
	name: string;
	/** `get` and what it returns, in camelCase: the node shows that below its name. */
	value: string;
	action: string;
	description: string;
	call: Call;
	/**
	 * One item per record of a list, or one file of them, named `name`; or one item for an object, which has at least the field
	 * `required`: an error page may be an object, too.
	 */
	returns: { list: { name: string; fields: RecordFields } } | { object: { required: string } };
}
