import type { IDataObject } from 'n8n-workflow';
import type { Credential, Workflow, WorkflowNode } from '../../../scripts/n8n/session.ts';
import { nodeOf } from '../../support/host/workflows.ts';

export const TAG = 'Tag';
export const LIST = 'List';
const DRAFT = 'Draft';

/** Expression for the lead of an item, after any node. */
const LEAD = '$("Split").item.json["body.leads"]';

interface Wanted {
	tagId?: number;
	/** Whether an automation is created for each lead. */
	drafts?: boolean;
	list?: IDataObject;
	options?: IDataObject;
	/** Whether each change has a key of the caller's, which stays the same when the caller retries. */
	ownKeys?: boolean;
}

/** Webhook → an item for each lead named in its body → Tag Lead → Create Keyword Automation → List Leads; each node only if wanted. */
export function batch(
	webhook: string,
	credential: Credential,
	{ tagId, drafts = false, list, options = {}, ownKeys = false }: Wanted,
): Workflow {
	const keyed = (meaning: string) => ({
		...options,
		...(ownKeys && { idempotencyKey: `={{ "${meaning} " + ${LEAD} }}` }),
	});
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
		nodes.push(nodeOf(TAG, 'tagLead', credential, { lead, tagId, options: keyed('spring campaign') }));
	}
	if (drafts) {
		const definition = {
			name: `={{ ${LEAD} }}`,
			keywords: ['price'],
			commentType: 'ANY_POST',
			replies: ['Here it is.'],
			isActive: false,
		};
		nodes.push(nodeOf(DRAFT, 'createKeywordAutomation', credential, { ...definition, options: keyed('price list') }));
	}
	if (list !== undefined)
		nodes.push(nodeOf(LIST, 'listLeads', credential, { ...list, options }, { executeOnce: true }));
	const connections = Object.fromEntries(
		nodes
			.slice(0, -1)
			.map((node, index) => [node.name, { main: [[{ node: nodes[index + 1]?.name, type: 'main', index: 0 }]] }]),
	);
	return { name: webhook, active: false, nodes, connections, settings: { executionOrder: 'v1' } };
}
