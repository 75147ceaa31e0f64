import { getManualRecords } from './manualRecords';
import type { RecordFields, RevenueOperation } from './operation';
import { getSummary } from './summary';
import { getTransactions } from './transactions';

/** Every operation, in the order of their names, as n8n's guidelines require. */
export const OPERATIONS: readonly RevenueOperation[] = [getManualRecords, getTransactions, getSummary];

/** The operations that return a list, with the fields of its records. */
export const LISTS: ReadonlyArray<RevenueOperation & { fields: RecordFields }> = OPERATIONS.flatMap((operation) =>
	'list' in operation.returns ? [{ ...operation, fields: operation.returns.list.fields }] : [],
);
