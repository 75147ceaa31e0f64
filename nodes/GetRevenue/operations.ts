import type { ILoadOptionsFunctions, NodeHint } from 'n8n-workflow';
import type { EditorList } from '../shared/list/editorFields';
import { FIELDS } from '../shared/list/output';
import type { RecordList } from '../shared/list/recordList';
import type { Call } from '../shared/service/call';
import { LIST_MANUAL_RECORDS, LIST_TRANSACTIONS, revenueCall } from '../shared/service/reads';
import type { Schemas } from '../shared/service/schemas';

/**
 * The maximum number of items for one input item. n8n's declarative engine passes them as arguments of a function: about 120,000
 * overflow the call stack (measured on 1.123 and 2.41). Only a node that stops before can tell the user what to do.
 */
export const MAX_ITEMS_PER_INPUT = 100_000;

export const NARROW_DATES = 'narrow "Date From" and "Date To" under Filters';

/** One operation of Get Revenue: a GET of the service that returns a list or one object. */
export interface RevenueOperation {
	name: string;
	/** `get` and the name of the result, in camelCase. The node shows this name below its own. */
	value: string;
	action: string;
	description: string;
	call: Call;
	/** An error page may be an object, too, so the response must have an object in the field `objectWith`. */
	returns: { list: RecordList } | { objectWith: string };
}

/** The fields of a manual record, and whether Simplified has them. */
export const MANUAL_RECORD_FIELDS: Readonly<Record<keyof Schemas['ManualRecord'], boolean>> = {
	id: true,
	lead_id: true,
	amount: true,
	status: true,
	payment_type: false,
	installment_counter: false,
	due_at: true,
	paid_at: true,
};

export const getManualRecords: RevenueOperation = {
	name: 'Get Many Manual Records',
	value: 'getManualRecords',
	action: 'Get many manual revenue records',
	description: 'Get a list of revenue that was entered by hand, such as deposits and installments',
	call: LIST_MANUAL_RECORDS,
	returns: { list: listOf('manual-records', MANUAL_RECORD_FIELDS) },
};

/** The fields of a transaction, and whether Simplified has them. `kind` and `status` say whether the amount is money received. */
export const TRANSACTION_FIELDS: Readonly<Record<keyof Schemas['Transaction'], boolean>> = {
	id: true,
	lead_id: true,
	kind: true,
	status: true,
	provider: false,
	product_name: true,
	currency: true,
	amount: true,
	fee: false,
	net: true,
	occurred_at: true,
};

export const getTransactions: RevenueOperation = {
	name: 'Get Many Transactions',
	value: 'getTransactions',
	action: 'Get many transactions',
	description: 'Get a list of payment transactions',
	call: LIST_TRANSACTIONS,
	returns: { list: listOf('transactions', TRANSACTION_FIELDS) },
};

export const getSummary: RevenueOperation = {
	name: 'Get Summary',
	value: 'getSummary',
	action: 'Get revenue summary',
	description: 'Get totals by product and by payment provider for a period',
	call: revenueCall('/v1/revenue/summary/', 'get the revenue summary'),
	returns: { objectWith: 'metrics' },
};

/** All operations. n8n's guidelines require options sorted by name. */
export const OPERATIONS: readonly RevenueOperation[] = [getManualRecords, getTransactions, getSummary];

export const LISTS = OPERATIONS.flatMap(({ value, call, returns }) =>
	'list' in returns ? [{ value, call, list: returns.list }] : [],
);

export function chosenList(functions: ILoadOptionsFunctions): EditorList | undefined {
	const operation = functions.getNodeParameter('operation');
	const found = LISTS.find(({ value }) => value === operation);
	return found && { ...found.list, call: { ...found.call, purpose: 'get a few records for the list of fields' } };
}

const DOCUMENTED = JSON.stringify(Object.fromEntries(LISTS.map(({ value, list }) => [value, list.columns])));

/**
 * A warning about a selected field that is not documented, such as a misspelled one. The editor finds it in the parameters,
 * because a run of a declarative node cannot add hints (read in 2.41.1 and 1.123.81).
 */
export const UNDOCUMENTED_FIELD_HINT: NodeHint = {
	type: 'warning',
	message: `"${FIELDS}" has a field that the service does not document. Records that lack it are returned without it. Check its spelling: upper and lower case differ, and a field inside another one cannot be selected.`,
	displayCondition: `={{ $parameter["output"] === "selectedFields" && String($parameter["fields"] ?? "").split(",").map((name) => name.trim()).some((name) => name !== "" && !(${DOCUMENTED}[$parameter["operation"]] ?? [name]).includes(name)) }}`,
	whenToDisplay: 'always',
	location: 'outputPane',
};

/**
 * @param name the default name of the list's file.
 * @param fields the documented fields of a record (API document, Resources), and whether Simplified has them.
 */
function listOf(name: string, fields: Readonly<Record<string, boolean>>): RecordList {
	return {
		name,
		columns: Object.keys(fields),
		simplified: Object.keys(fields).filter((field) => fields[field]),
		idsOf: (page) => page.map(({ id }) => (typeof id === 'string' ? id : undefined)),
		remembered: MAX_ITEMS_PER_INPUT,
		narrower: NARROW_DATES,
	};
}
