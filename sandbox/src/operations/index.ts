import { createKeywordAutomation } from './createKeywordAutomation.ts';
import { listLeads } from './listLeads.ts';
import { listManualRecords } from './listManualRecords.ts';
import { listTransactions } from './listTransactions.ts';
import type { Operation } from './operation.ts';
import { revenueSummary } from './revenueSummary.ts';
import { tagLead } from './tagLead.ts';

/** Every operation of the service. */
export const OPERATIONS: readonly Operation[] = [
	listManualRecords,
	revenueSummary,
	listTransactions,
	listLeads,
	tagLead,
	createKeywordAutomation,
];
