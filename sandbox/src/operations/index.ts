import { createKeywordAutomation } from './create-keyword-automation.ts';
import { listLeads } from './list-leads.ts';
import { listManualRecords } from './list-manual-records.ts';
import { listTransactions } from './list-transactions.ts';
import type { Operation } from './operation.ts';
import { revenueSummary } from './revenue-summary.ts';
import { tagLead } from './tag-lead.ts';

/** Every operation of the service. */
export const OPERATIONS: readonly Operation[] = [
	listManualRecords,
	revenueSummary,
	listTransactions,
	listLeads,
	tagLead,
	createKeywordAutomation,
];
