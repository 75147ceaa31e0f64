import type { Credential, Workflow } from '../n8n/session.ts';
import { byId, chain, n8nNode, nodeOf, POLL_TIMES, startNode } from '../n8n/workflows.ts';

type Parameters = Record<string, unknown>;

/** What each transaction passes that `EVERY_TRIGGER_PARAMETER` lets pass. */
export const PASSING = {
	currency: 'EUR',
	kind: 'payment',
	product_name: 'Starter Course',
	provider: 'stripe',
	status: 'succeeded',
};

export const OVERLAP_MINUTES = 7;

/** Each parameter of the trigger as the previous release saved it, none at its default; `fieldsToWatch` needs another event. */
export const EVERY_TRIGGER_PARAMETER: Parameters = {
	authentication: 'apiKey',
	event: 'newTransaction',
	startFrom: 'date',
	startDate: '2026-01-01T00:00:00Z',
	filters: Object.fromEntries(Object.entries(PASSING).map(([name, value]) => [name, [value]])),
	options: {
		afterRestart: 'continue',
		maxAttempts: 4,
		maxTransactions: 500,
		maxWait: 60,
		overlap: OVERLAP_MINUTES,
		timeout: 30,
	},
};

/**
 * Returns a workflow that tags the lead of each transaction that its trigger emits, so that one emitted twice shows at the
 * service.
 */
export function payments(name: string, credential: Credential, tagId: number, parameters: Parameters): Workflow {
	return chain(name, [
		nodeOf('Transactions', 'transactionTrigger', credential, { pollTimes: { item: POLL_TIMES }, ...parameters }),
		nodeOf('Tag', 'tagLead', credential, { lead: byId('={{ $json.lead_id }}'), tagId: String(tagId) }),
	]);
}

/** Returns a workflow that tags one lead, waits to be resumed, then tags another and drafts an automation. */
export function waiting(webhook: string, credential: Credential, tagId: number, leads: [string, string]): Workflow {
	const tag = (name: string, lead: string) =>
		nodeOf(name, 'tagLead', credential, { lead: byId(lead), tagId: String(tagId) });
	const resume = { mode: 'raw', jsonOutput: '={{ { "url": $execution.resumeUrl } }}' };
	const draft = { name: 'After', keywords: ['price'], replies: ['Here it is.'] };
	return chain('waiting', [
		startNode({ webhook }),
		tag('Before', leads[0]),
		n8nNode('Resume', 'set', 3.4, resume),
		{ ...n8nNode('Wait', 'wait', 1.1, { resume: 'webhook', options: {} }), webhookId: `${webhook}-wait` },
		tag('After', leads[1]),
		nodeOf('Draft', 'createKeywordAutomation', credential, draft),
	]);
}

const RETRIES = { maxAttempts: 2, maxWait: 1, timeout: 1 };
const DATES = { dateFrom: '2025-01-01', dateTo: '2026-06-30' };
const SINCE = { ...DATES, updatedSince: '2025-02-03T04:05:06Z' };

/** The nodes of `everyParameter` that read. */
export const READERS = [
	'Records',
	'Transactions',
	'Amounts',
	'Transaction file',
	'Leads',
	'Some leads',
	'Lead emails',
	'Lead file',
	'Summary',
];

/**
 * Returns the action nodes with each of their parameters as the previous release saved it. A failed node passes an item on
 * to the next one.
 */
export function everyParameter(credential: Credential, tagId: number, lead: string): Workflow {
	const fromList = { __rl: true, mode: 'list', value: lead, cachedResultName: 'A lead' };
	const automation = {
		operation: 'create',
		name: 'Price list',
		keywords: ['price', '={{ "cost, fee" }}'],
		commentType: 'OTHER',
		otherCommentType: 'STORY',
		replies: ['Here it is.', '={{ ["One.", "Two."] }}'],
	};
	const actions: Array<[name: string, type: string, parameters: Parameters]> = [
		[
			'Records',
			'getRevenue',
			{
				operation: 'getManualRecords',
				returnAll: true,
				filters: { ...SINCE, paymentType: 'FULL', status: 'COMPLETE' },
			},
		],
		['Transactions', 'getRevenue', { operation: 'getTransactions', returnAll: false, limit: 7, filters: SINCE }],
		[
			'Amounts',
			'getRevenue',
			{ operation: 'getTransactions', returnAll: true, output: 'selectedFields', fields: ['amount'] },
		],
		['Transaction file', 'getRevenue', { operation: 'getTransactions', returnAll: true, ...file('transactions.csv') }],
		['Leads', 'listLeads', { operation: 'getMany', returnAll: true }],
		['Some leads', 'listLeads', { operation: 'getMany', returnAll: false, limit: 3 }],
		[
			'Lead emails',
			'listLeads',
			{ operation: 'getMany', returnAll: true, output: 'selectedFields', fields: ['email'] },
		],
		['Lead file', 'listLeads', { operation: 'getMany', returnAll: true, ...file('leads.csv') }],
		['Listed', 'tagLead', { operation: 'addTag', lead: fromList, tagId: String(tagId) }],
		[
			'Keyed',
			'tagLead',
			{ operation: 'addTag', lead: byId(lead), tagId: `={{ ${tagId} }}`, options: { idempotencyKey: 'order 1' } },
		],
		['Draft', 'createKeywordAutomation', { ...automation, agentMayActivate: true, isActive: false }],
		[
			'Active',
			'createKeywordAutomation',
			{ ...automation, commentType: 'ANY_POST', isActive: true, options: { idempotencyKey: 'order 2' } },
		],
		['Summary', 'getRevenue', { operation: 'getSummary', filters: { ...DATES, memberId: 2 } }],
	];
	const nodes = actions.map(([name, type, { options = {}, ...parameters }]) => ({
		...nodeOf(name, type, credential, {
			authentication: 'apiKey',
			toolDescription: 'Only a tool has it',
			...parameters,
			options: { ...RETRIES, ...(options as Parameters) },
		}),
		executeOnce: true,
		onError: 'continueRegularOutput',
	}));
	return chain('every parameter', [startNode('manual'), ...nodes]);
}

function file(fileName: string): Parameters {
	return {
		output: 'file',
		fileFormat: 'csv',
		fileOptions: { fileName, keepFormulas: true, binaryPropertyName: 'export' },
	};
}
