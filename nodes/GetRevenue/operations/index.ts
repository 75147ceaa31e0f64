import { manualRecords } from './manualRecords';
import type { RecordFields, RevenueOperation } from './operation';
import { summary } from './summary';
import { transactions } from './transactions';

/** Every operation, in the order of their names, as n8n's guidelines require. */
export const OPERATIONS: readonly RevenueOperation[] = [manualRecords, transactions, summary];

/** The operations that return a list, with the fields of its records. */
export const LISTS: ReadonlyArray<RevenueOperation & { fields: RecordFields }> = OPERATIONS.flatMap((operation) =>
	'list' in operation.returns ? [{ ...operation, fields: operation.returns.list.fields }] : [],
);
