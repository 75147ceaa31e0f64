import type { IDataObject } from 'n8n-workflow';
import type { Workflow, WorkflowNode } from '../../../scripts/n8n/session.ts';
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

/** List Leads without a credential, as a new user adds it. */
export const listLeadsAlone = fedChain('Leads', 'manual', [{}], [nodeOf('List Leads', 'listLeads', undefined, {})]);
