import type { Credential, Workflow, WorkflowNode } from '../scripts/n8n/session.ts';
import { byId, chain, n8nNode, nodeOf, startNode, webhookNode } from '../scripts/n8n/workflows.ts';

const manually = startNode('manual');

/** What every execution takes, to subtract. */
export const empty = chain('empty', [manually]);

export function withListLeads(credential: Credential): Workflow {
	return chain('List Leads', [manually, leadsFrom(credential)]);
}

/** Lists all leads when its webhook is called; the response is the last lead, once the execution has ended. */
export function listLeadsWebhook(credential: Credential, hook: string, settings: Record<string, unknown>): Workflow {
	const last = n8nNode('Last', 'limit', 1, { maxItems: 1, keep: 'lastItems' });
	return chain(hook, [respondingWebhook(hook), leadsFrom(credential), last], settings);
}

/** Looks for a lead by its email when its webhook is called; responds with it, or with an empty item. */
export function findLeadWebhook(credential: Credential, hook: string, email: string): Workflow {
	const conditions = { all: [{ field: 'email', condition: 'equals', value: email }] };
	const one = { limit: 1, conditions, options: {} };
	const find = nodeOf('Find', 'listLeads', credential, one, { alwaysOutputData: true });
	return chain(hook, [respondingWebhook(hook), find], { saveDataSuccessExecution: 'none' });
}

/** Makes the same without List Leads. */
export function withHttpRequest(bearer: Credential, baseUrl: string): Workflow {
	return chain('HTTP Request + Split Out', [manually, ...requestedPages(bearer, baseUrl)]);
}

/** Writes all leads to a CSV file when its webhook is called; the response is the item with the file. */
export function leadsFileWebhook(
	hook: string,
	from: { own: Credential; convert?: boolean } | { bearer: Credential; baseUrl: string; convert: true },
): Workflow {
	const file = { returnAll: true, output: 'file', options: {} };
	const leads =
		'bearer' in from
			? requestedPages(from.bearer, from.baseUrl)
			: from.convert === true
				? [leadsFrom(from.own)]
				: [nodeOf('Leads', 'listLeads', from.own, file)];
	const convert = from.convert === true ? [n8nNode('File', 'convertToFile', 1.1, { operation: 'csv' })] : [];
	return chain(hook, [respondingWebhook(hook), ...leads, ...convert], { saveDataSuccessExecution: 'all' });
}

export function withTagLead(credential: Credential, count: number, tagId: number): Workflow {
	return chain('Tag Lead', [manually, ...tagging(credential, count, tagId)]);
}

/** Tags the same leads when its webhook is called, without waiting for the tags. */
export function tagLeadWebhook(credential: Credential, hook: string, count: number, tagId: number): Workflow {
	return chain(hook, [startNode({ webhook: hook }), ...tagging(credential, count, tagId)]);
}

/** Responds with the first item of the last node, once the execution has ended. */
function respondingWebhook(path: string): WorkflowNode {
	return webhookNode(path, { responseMode: 'lastNode', options: {} });
}

function leadsFrom(credential: Credential): WorkflowNode {
	return nodeOf('Leads', 'listLeads', credential, { returnAll: true, options: {} });
}

/** Reads the pages of the list with n8n's own HTTP Request 4.5, which follows the cursor, and Split Out. */
function requestedPages(bearer: Credential, baseUrl: string): WorkflowNode[] {
	const pagination = {
		parameters: { parameters: [{ type: 'qs', name: 'cursor', value: '={{ $response.body.next_cursor }}' }] },
		paginationCompleteWhen: 'other',
		completeExpression: '={{ $response.body.next_cursor === null }}',
	};
	const request = {
		url: `${baseUrl}/v1/leads/`,
		authentication: 'genericCredentialType',
		genericAuthType: 'httpBearerAuth',
		sendQuery: true,
		queryParameters: { parameters: [{ name: 'page_size', value: '100' }] },
		options: { pagination: { pagination } },
	};
	return [
		n8nNode('Pages', 'httpRequest', 4.5, request, bearer),
		n8nNode('Leads', 'splitOut', 1, { fieldToSplitOut: 'data', options: {} }),
	];
}

function tagging(credential: Credential, count: number, tagId: number): WorkflowNode[] {
	const lead = byId('={{ $json.id }}');
	return [
		nodeOf('Leads', 'listLeads', credential, { returnAll: false, limit: count, options: {} }),
		nodeOf('Tag', 'tagLead', credential, { lead, tagId, options: {} }),
	];
}
