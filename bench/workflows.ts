import type { Credential, Workflow, WorkflowNode } from '../scripts/n8n/session.ts';

const PACKAGE = 'n8n-nodes-lead-revenue';

function node(name: string, type: string, typeVersion: number, parameters: Record<string, unknown>, credential?: Credential): WorkflowNode {
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

function chain(name: string, nodes: WorkflowNode[]): Workflow {
	const all = [node('Start', 'n8n-nodes-base.manualTrigger', 1, {}), ...nodes];
	const connections = Object.fromEntries(
		all.slice(0, -1).map((one, index) => [one.name, { main: [[{ node: all[index + 1]?.name, type: 'main', index: 0 }]] }]),
	);
	return { name, active: false, nodes: all, connections, settings: { executionOrder: 'v1' } };
}

export const empty = chain('empty', []);

export function withListLeads(credential: Credential): Workflow {
	return chain('List Leads', [node('Leads', `${PACKAGE}.listLeads`, 1, { returnAll: true, options: {} }, credential)]);
}

/** The same list with what n8n brings along: HTTP Request 4.5 following the cursor, then Split Out. */
export function withHttpRequest(bearer: Credential, baseUrl: string): Workflow {
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
	return chain('HTTP Request + Split Out', [
		node('Pages', 'n8n-nodes-base.httpRequest', 4.5, request, bearer),
		node('Leads', 'n8n-nodes-base.splitOut', 1, { fieldToSplitOut: 'data', options: {} }),
	]);
}

export function withTagLead(credential: Credential, count: number, tagId: number): Workflow {
	return chain('Tag Lead', [
		node('Leads', `${PACKAGE}.listLeads`, 1, { returnAll: false, limit: count, options: {} }, credential),
		node('Tag', `${PACKAGE}.tagLead`, 1, { lead: { __rl: true, mode: 'id', value: '={{ $json.id }}' }, tagId, options: {} }, credential),
	]);
}
