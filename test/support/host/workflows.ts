import type { IDataObject } from 'n8n-workflow';
import type { Credential, SavedWorkflow, Workflow, WorkflowNode } from '../../../scripts/n8n/session.ts';
import type { N8nHost } from './n8nHost.ts';

const PACKAGE = 'n8n-nodes-lead-revenue';

/** How a workflow begins: by hand, or by a webhook, whose executions n8n stores before they run. */
export type Start = 'manual' | { webhook: string };

/** The node that a workflow begins with. */
export function startNode(start: Start): WorkflowNode {
	const common = { id: 'start', name: 'Start', position: [0, 0] as [number, number] };
	if (start === 'manual') return { ...common, type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, parameters: {} };
	return {
		...common,
		type: 'n8n-nodes-base.webhook',
		typeVersion: 2,
		webhookId: start.webhook,
		parameters: { path: start.webhook, httpMethod: 'POST', responseMode: 'onReceived' },
	};
}

/** One of this package's nodes on a host, with its credential. */
export function nodeOf(
	name: string,
	type: string,
	credential: Credential,
	parameters: IDataObject,
	settings: object = {},
): WorkflowNode {
	return {
		id: name.toLowerCase(),
		name,
		type: `${PACKAGE}.${type}`,
		typeVersion: 1,
		position: [600, 0],
		parameters,
		credentials: { [credential.type]: { id: credential.id, name: credential.name } },
		...settings,
	};
}

/** One of n8n's own nodes, behind those of this package. */
export function nextNode(
	name: string,
	type: string,
	typeVersion: number,
	parameters: IDataObject,
	credential?: Credential,
): WorkflowNode {
	return {
		id: name.toLowerCase(),
		name,
		type: `n8n-nodes-base.${type}`,
		typeVersion,
		position: [800, 0],
		parameters,
		...(credential !== undefined && { credentials: { [credential.type]: credential } }),
	};
}

/** n8n's Edit Fields node with fixed JSON. */
export function rawItems(name: string, json: IDataObject): WorkflowNode {
	const parameters = { mode: 'raw', jsonOutput: JSON.stringify(json) };
	return { id: name, name, type: 'n8n-nodes-base.set', typeVersion: 3.4, position: [200, 0], parameters };
}

/** n8n's Split Out node: an item for each entry of the field `list`. */
export function splitItems(name: string): WorkflowNode {
	const parameters = { fieldToSplitOut: 'list' };
	return { id: name, name, type: 'n8n-nodes-base.splitOut', typeVersion: 1, position: [400, 0], parameters };
}

/** Start → the given items → the nodes, one after the other. */
export function chain(name: string, start: Start, items: IDataObject[], nodes: WorkflowNode[]): Workflow {
	const all = [startNode(start), rawItems('List', { list: items }), splitItems('Split'), ...nodes];
	const connections = Object.fromEntries(
		all
			.slice(0, -1)
			.map((node, index) => [node.name, { main: [[{ node: all[index + 1]?.name, type: 'main', index: 0 }]] }]),
	);
	return { name, active: false, nodes: all, connections, settings: { executionOrder: 'v1' } };
}

/** Switches a saved workflow on. */
export async function activate({ session }: N8nHost, { id }: SavedWorkflow): Promise<void> {
	await session.publishWorkflow(id);
}

/** List Leads without a credential, as a new user adds it. */
export const listLeadsAlone = chain(
	'Leads',
	'manual',
	[{}],
	[
		{
			id: 'leads',
			name: 'List Leads',
			type: `${PACKAGE}.listLeads`,
			typeVersion: 1,
			position: [600, 0],
			parameters: {},
		},
	],
);
