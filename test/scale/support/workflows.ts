import type { IDataObject } from 'n8n-workflow';
import type { Credential, Workflow, WorkflowNode } from '../../../scripts/n8n/session.ts';
import { nodeOf } from '../../support/workflows.ts';

export const TAG = 'Tag';
export const LIST = 'List';

/** What a caller means by a tag, however often it asks for it; for the option Idempotency Key. */
export const OWN_KEY = '={{ "spring campaign " + $json["body.leads"] }}';

/** Webhook → an item for each lead named in its body → Tag Lead → List Leads, of which either may be left out. */
export function batch(webhook: string, credential: Credential, wanted: { tagId?: number; list?: IDataObject; options?: IDataObject }): Workflow {
	const { tagId, list, options = {} } = wanted;
	const nodes: WorkflowNode[] = [
		{
			id: 'start',
			name: 'Start',
			type: 'n8n-nodes-base.webhook',
			typeVersion: 2,
			position: [0, 0],
			webhookId: webhook,
			parameters: { path: webhook, httpMethod: 'POST', responseMode: 'onReceived' },
		},
	];
	if (tagId !== undefined) {
		nodes.push({
			id: 'split',
			name: 'Split',
			type: 'n8n-nodes-base.splitOut',
			typeVersion: 1,
			position: [200, 0],
			parameters: { fieldToSplitOut: 'body.leads' },
		});
		const lead = { __rl: true, mode: 'id', value: '={{ $json["body.leads"] }}' };
		nodes.push(nodeOf(TAG, 'tagLead', credential, { lead, tagId, options }));
	}
	if (list !== undefined) nodes.push(nodeOf(LIST, 'listLeads', credential, { ...list, options }, { executeOnce: true }));
	const connections = Object.fromEntries(
		nodes.slice(0, -1).map((node, index) => [node.name, { main: [[{ node: nodes[index + 1]?.name, type: 'main', index: 0 }]] }]),
	);
	return { name: webhook, active: false, nodes, connections, settings: { executionOrder: 'v1' } };
}
