import type { Credential, Workflow, WorkflowNode } from '../scripts/n8n/session.ts';

const PACKAGE = 'n8n-nodes-lead-revenue';

function node(
	name: string,
	type: string,
	typeVersion: number,
	parameters: Record<string, unknown>,
	credential?: Credential,
): WorkflowNode {
	return {
		id: name,
		name,
		type,
		typeVersion,
		position: [0, 0],
		parameters,
		...(credential && { credentials: { [credential.type]: { id: credential.id, name: credential.name } } }),
	};
}

const manually = node('Start', 'n8n-nodes-base.manualTrigger', 1, {});

function chain(name: string, nodes: WorkflowNode[], { start = manually, settings = {} } = {}): Workflow {
	const all = [start, ...nodes];
	const connections = Object.fromEntries(
		all
			.slice(0, -1)
			.map((one, index) => [one.name, { main: [[{ node: all[index + 1]?.name, type: 'main', index: 0 }]] }]),
	);
	return { name, active: false, nodes: all, connections, settings: { executionOrder: 'v1', ...settings } };
}

/** Responds with the first item of the last node, once the execution has ended. */
const webhook = (hook: string) => ({
	...node('Start', 'n8n-nodes-base.webhook', 2, { path: hook, responseMode: 'lastNode', options: {} }),
	webhookId: hook,
});

const leadsFrom = (credential: Credential) =>
	node('Leads', `${PACKAGE}.listLeads`, 1, { returnAll: true, options: {} }, credential);

export const empty = chain('empty', []);

export function withListLeads(credential: Credential): Workflow {
	return chain('List Leads', [leadsFrom(credential)]);
}

/** Lists all leads when its webhook is called; the response is the last lead, once the execution has ended. */
export function listLeadsWebhook(credential: Credential, hook: string, settings: Record<string, unknown>): Workflow {
	const last = node('Last', 'n8n-nodes-base.limit', 1, { maxItems: 1, keep: 'lastItems' });
	return chain(hook, [leadsFrom(credential), last], { start: webhook(hook), settings });
}

/** The pages of the list with n8n's own HTTP Request 4.5, which follows the cursor, and Split Out. */
function pagesOf(bearer: Credential, baseUrl: string): WorkflowNode[] {
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
		node('Pages', 'n8n-nodes-base.httpRequest', 4.5, request, bearer),
		node('Leads', 'n8n-nodes-base.splitOut', 1, { fieldToSplitOut: 'data', options: {} }),
	];
}

export function withHttpRequest(bearer: Credential, baseUrl: string): Workflow {
	return chain('HTTP Request + Split Out', pagesOf(bearer, baseUrl));
}

/** Writes all leads to a CSV file when its webhook is called; the response is the item with the file. */
export function leadsFileWebhook(
	hook: string,
	from: { own: Credential; convert?: boolean } | { bearer: Credential; baseUrl: string; convert: true },
): Workflow {
	const file = { returnAll: true, output: 'file', options: {} };
	const leads =
		'bearer' in from
			? pagesOf(from.bearer, from.baseUrl)
			: from.convert === true
				? [leadsFrom(from.own)]
				: [node('Leads', `${PACKAGE}.listLeads`, 1, file, from.own)];
	const convert =
		from.convert === true ? [node('File', 'n8n-nodes-base.convertToFile', 1.1, { operation: 'csv' })] : [];
	return chain(hook, [...leads, ...convert], { start: webhook(hook), settings: { saveDataSuccessExecution: 'all' } });
}

export function withTagLead(credential: Credential, count: number, tagId: number): Workflow {
	return chain('Tag Lead', tagging(credential, count, tagId));
}

/** The same when its webhook is called, without waiting for the tags. */
export function tagLeadWebhook(credential: Credential, hook: string, count: number, tagId: number): Workflow {
	const start = {
		...node('Start', 'n8n-nodes-base.webhook', 2, { path: hook, responseMode: 'onReceived', options: {} }),
		webhookId: hook,
	};
	return chain(hook, tagging(credential, count, tagId), { start });
}

function tagging(credential: Credential, count: number, tagId: number): WorkflowNode[] {
	return [
		node('Leads', `${PACKAGE}.listLeads`, 1, { returnAll: false, limit: count, options: {} }, credential),
		node(
			'Tag',
			`${PACKAGE}.tagLead`,
			1,
			{ lead: { __rl: true, mode: 'id', value: '={{ $json.id }}' }, tagId, options: {} },
			credential,
		),
	];
}
