import type { INodeType } from 'n8n-workflow';
import { manualRecords } from '../../nodes/ManualRecordTrigger/manualRecords.ts';
import { ManualRecordTrigger } from '../../nodes/ManualRecordTrigger/ManualRecordTrigger.node.ts';
import type { Source } from '../../nodes/shared/trigger/source.ts';
import { transactions } from '../../nodes/TransactionTrigger/transactions.ts';
import { TransactionTrigger } from '../../nodes/TransactionTrigger/TransactionTrigger.node.ts';
import type { OrganizationOptions, WrittenManualRecord, WrittenTransaction } from '../../sandbox/src/client.ts';
import { control } from './service.ts';

/** What a test writes of either kind of record. */
type Written = Omit<WrittenTransaction, 'status'> & Omit<WrittenManualRecord, 'status'> & { status?: string };

/** A trigger and what it watches: the tests of both run from one table. */
export interface Watched {
	name: string;
	source: Source;
	/** Its name in workflows. */
	type: string;
	/** The file of the node below nodes/, and its class. */
	file: string;
	className: string;
	nodeType: INodeType;
	/** The name in the editor of the option that limits how many records a poll emits. */
	maxDisplayName: string;
	/** Statuses that records have one after the other. */
	statuses: readonly [pending: string, completed: string, refunded: string];
	/** Two more fields that tests change, and values of them. */
	fields: readonly [second: FieldValues, third: FieldValues];
	/** A filter beside that of the status, and values. */
	filter: { name: string; passes: string; fails: string };
	/** Returns the options of an organization that begins with so many records. */
	of(count: number): OrganizationOptions;
	/** Adds records; returns their ids. */
	make(org: { id: string }, count: number, more?: Written): Promise<string[]>;
	change(org: { id: string }, record: string, more: Written): Promise<unknown>;
	/** Returns the timestamps of a record of that moment. */
	at(moment: string): Written;
	/** Returns a record whose own date, which the user sees, is that moment. */
	dated(moment: string): Written;
}

interface FieldValues {
	name: string;
	values: readonly [string, string, string];
}

const several = <Record>(count: number, more: Record): Record[] => Array.from({ length: count }, () => ({ ...more }));

export const TRANSACTIONS: Watched = {
	name: 'Transaction Trigger',
	source: transactions,
	type: 'transactionTrigger',
	file: 'TransactionTrigger/TransactionTrigger.node',
	className: 'TransactionTrigger',
	nodeType: new TransactionTrigger(),
	maxDisplayName: 'Max Transactions per Poll',
	statuses: ['pending', 'completed', 'refunded'],
	fields: [
		{ name: 'provider', values: ['stripe', 'paypal', 'cash'] },
		{ name: 'kind', values: ['a', 'b', 'c'] },
	],
	filter: { name: 'currency', passes: 'EUR', fails: 'USD' },
	of: (count) => ({ transactions: count }),
	make: async ({ id }, count, more = {}) => (await control.addTransactions(id, several(count, more))).ids,
	change: async ({ id }, record, more) => await control.changeTransaction(id, record, more),
	at: (moment) => ({ created_at: moment, updated_at: moment, occurred_at: moment }),
	dated: (moment) => ({ occurred_at: moment }),
};

export const MANUAL_RECORDS: Watched = {
	name: 'Manual Record Trigger',
	source: manualRecords,
	type: 'manualRecordTrigger',
	file: 'ManualRecordTrigger/ManualRecordTrigger.node',
	className: 'ManualRecordTrigger',
	nodeType: new ManualRecordTrigger(),
	maxDisplayName: 'Max Manual Records per Poll',
	statuses: ['PENDING', 'COMPLETE', 'CANCELLED'],
	fields: [
		{ name: 'installment_counter', values: ['1/3', '2/3', '3/3'] },
		{ name: 'due_at', values: ['2026-01-01', '2026-02-01', '2026-03-01'] },
	],
	filter: { name: 'payment_type', passes: 'INSTALLMENT', fails: 'FULL' },
	of: (count) => ({ manual_records: count }),
	make: async ({ id }, count, more = {}) =>
		(await control.addManualRecords(id, several(count, more as WrittenManualRecord))).ids,
	change: async ({ id }, record, more) => await control.changeManualRecord(id, record, more as WrittenManualRecord),
	at: (moment) => ({ created_at: moment, updated_at: moment, due_at: moment }),
	dated: (moment) => ({ due_at: moment }),
};

export const WATCHED = [TRANSACTIONS, MANUAL_RECORDS];
