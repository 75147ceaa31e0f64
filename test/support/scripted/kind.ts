import { Details } from '../../../nodes/shared/trigger/core/memory/details';
import type { RevenueRecord } from '../../../nodes/shared/trigger/core/memory/fingerprint';
import * as fingerprints from '../../../nodes/shared/trigger/core/memory/fingerprint';
import * as states from '../../../nodes/shared/trigger/core/saved/savedForm';
import { transactions } from '../../../nodes/TransactionTrigger/transactions';

/** The kind of record where a test of the core needs any. */
export const KIND = transactions.kind;

/** Returns the fingerprint of a record of that kind. */
export const fingerprintOf = (record: RevenueRecord) => fingerprints.fingerprintOf(record, KIND);

/** Returns what the memory compares of a record. */
export const contentOf = (record: object) => fingerprintOf(record as RevenueRecord).content;

/** Reads a saved state of a trigger for that kind. */
export const readState = (saved: Readonly<Record<string, unknown>>, identity: string, keepsContent: boolean) =>
	states.readState(saved, identity, keepsContent, KIND.fields);

/** Returns the details of records of that kind. */
export const detailsOf = (text?: string) => new Details(KIND.fields, text);
