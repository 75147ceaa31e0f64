import type { Call } from '../shared/service/call';
import { LIST_MANUAL_RECORDS, LIST_TRANSACTIONS, revenueCall } from '../shared/service/revenue';
import type { Schemas } from '../shared/service/schemas';
import type { Returned } from './returned';
import { objectWith, records } from './returned';

/** One operation of Get Revenue: a GET of the service. */
export interface RevenueOperation {
	name: string;
	/** `get` and what it returns, in camelCase: the node shows that below its name. */
	value: string;
	action: string;
	description: string;
	call: Call;
	returns: Returned;
}

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

/** One item per record, as the service returns it. */
export const getManualRecords: RevenueOperation = {
	name: 'Get Many Manual Records',
	value: 'getManualRecords',
	action: 'Get many manual revenue records',
	description: 'Get a list of revenue that was entered by hand, such as deposits and installments',
	call: LIST_MANUAL_RECORDS,
	returns: records('manual-records', MANUAL_RECORD_FIELDS),
};

/** Without `provider` and `fee`. `kind` and `status` say whether the amount is money received. */
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

/** One item per transaction, as the service returns it. */
export const getTransactions: RevenueOperation = {
	name: 'Get Many Transactions',
	value: 'getTransactions',
	action: 'Get many transactions',
	description: 'Get a list of payment transactions',
	call: LIST_TRANSACTIONS,
	returns: records('transactions', TRANSACTION_FIELDS),
};

/** One item, the summary as the service returns it. */
export const getSummary: RevenueOperation = {
	name: 'Get Summary',
	value: 'getSummary',
	action: 'Get revenue summary',
	description: 'Get totals by product and by payment provider for a period',
	call: revenueCall('/v1/revenue/summary/', 'get the revenue summary'),
	returns: objectWith('metrics'),
};

/** Every operation, in the order of their names, as n8n's guidelines require. */
export const OPERATIONS: readonly RevenueOperation[] = [getManualRecords, getTransactions, getSummary];

/** The operations that return a list. */
export const LISTS = OPERATIONS.filter(({ returns }) => returns.list !== undefined);
