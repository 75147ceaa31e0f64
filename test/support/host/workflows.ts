import type { IDataObject } from 'n8n-workflow';
import type { N8nSession, Workflow, WorkflowNode } from '../../../scripts/n8n/session.ts';
import type { Start } from '../../../scripts/n8n/workflows.ts';
import { chain, n8nNode, nodeOf, startNode } from '../../../scripts/n8n/workflows.ts';

/** n8n's Edit Fields node with fixed JSON. */
export function rawItems(name: string, json: IDataObject): WorkflowNode {
	return n8nNode(name, 'set', 3.4, { mode: 'raw', jsonOutput: JSON.stringify(json) });
}

/** n8n's Split Out node: an item for each entry of the field `list`. */
export function splitItems(name: string): WorkflowNode {
	return n8nNode(name, 'splitOut', 1, { fieldToSplitOut: 'list' });
}

/** Start → the given items. */
export function fed(start: Start, items: IDataObject[]): WorkflowNode[] {
	return [startNode(start), rawItems('List', { list: items }), splitItems('Split')];
}

/** Start → the given items → the nodes, one after the other. */
export function fedChain(name: string, start: Start, items: IDataObject[], nodes: WorkflowNode[]): Workflow {
	return chain(name, [...fed(start, items), ...nodes]);
}

/** Saves a workflow with one of its nodes changed, as the editor does. */
export async function changeNode(
	session: N8nSession,
	workflowId: string,
	name: string,
	change: (node: WorkflowNode) => WorkflowNode,
): Promise<void> {
	const { nodes, connections, versionId } = await session.workflow(workflowId);
	if (!nodes.some((node) => node.name === name)) throw new Error(`The workflow has no node "${name}".`);
	const changed = nodes.map((node) => (node.name === name ? change(node) : node));
	await session.request('PATCH', `/rest/workflows/${workflowId}`, { nodes: changed, connections, versionId });
}

/** List Leads without a credential, as a new user adds it. */
export const listLeadsAlone = fedChain('Leads', 'manual', [{}], [nodeOf('List Leads', 'listLeads', undefined, {})]);
