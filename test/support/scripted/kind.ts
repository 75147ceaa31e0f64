import { Details } from '../../../nodes/shared/trigger/core/memory/details.ts';
import type { RevenueRecord } from '../../../nodes/shared/trigger/core/memory/fingerprint.ts';
import * as fingerprints from '../../../nodes/shared/trigger/core/memory/fingerprint.ts';
import * as savedForms from '../../../nodes/shared/trigger/core/saved/savedForm.ts';
import { transactions } from '../../../nodes/TransactionTrigger/transactions.ts';

/** The kind of record where a test of the core needs any. */
export const KIND = transactions.kind;

export const fingerprintOf = (record: RevenueRecord) => fingerprints.fingerprintOf(record, KIND);

/** Returns what the memory compares of a record. */
export const contentOf = (record: object) => fingerprintOf(record as RevenueRecord).content;

/** Reads what is saved of a trigger for that kind. */
export const readCheckpoint = (saved: Readonly<Record<string, unknown>>, subject: string, keepsContent: boolean) =>
	savedForms.readCheckpoint(saved, subject, keepsContent, KIND.fields);

/** Returns the details of records of that kind. */
export const detailsOf = (text?: string) => new Details(KIND.fields, text);
