import type { Switches } from '../../../sandbox/src/client.ts';
import { organization } from '../service.ts';

/** How many records of each list `filled` has: three pages. */
export const RECORDS = 250;

/** The lists, by the node and the operation that return them. */
export const LEAD_LIST = { type: 'listLeads', operation: 'getMany' };
export const TRANSACTION_LIST = { type: 'getRevenue', operation: 'getTransactions' };
export const MANUAL_RECORD_LIST = { type: 'getRevenue', operation: 'getManualRecords' };
export const LISTS = [LEAD_LIST, TRANSACTION_LIST, MANUAL_RECORD_LIST];

/** Returns an organization whose lists have several pages. */
export const filled = async (switches: Switches = {}) =>
	await organization({ leads: RECORDS, transactions: RECORDS, manual_records: RECORDS, switches });
