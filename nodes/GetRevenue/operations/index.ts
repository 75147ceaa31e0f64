import { getManualRecords } from './manualRecords';
import type { RevenueOperation } from './operation';
import { getSummary } from './summary';
import { getTransactions } from './transactions';

/** Every operation, in the order of their names, as n8n's guidelines require. */
export const OPERATIONS: readonly RevenueOperation[] = [getManualRecords, getTransactions, getSummary];

/** The operations that return a list. */
export const LISTS = OPERATIONS.filter(({ returns }) => returns.list !== undefined);
