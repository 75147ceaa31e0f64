import type { IDataObject } from 'n8n-workflow';
import type { Credential, Workflow, WorkflowNode } from '../../../scripts/n8n/session.ts';
import { byId, chain, n8nNode, nodeOf, startNode } from '../../../scripts/n8n/workflows.ts';

export const TAG = 'Tag';

/** The node that lists the leads to tag. */
export const LIST = 'List';
const DRAFT = 'Draft';

/** Expression for the lead of an item, after any node. */
const LEAD = '$("Split").item.json["body.leads"]';

/** What a batch does. */
export interface Wanted {
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
	const nodes: WorkflowNode[] = [startNode({ webhook })];
	if (tagId !== undefined) {
		nodes.push(n8nNode('Split', 'splitOut', 1, { fieldToSplitOut: 'body.leads' }));
		const lead = byId('={{ $json["body.leads"] }}');
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
	if (list !== undefined) {
		nodes.push(nodeOf(LIST, 'listLeads', credential, { ...list, options }, { executeOnce: true }));
	}
	return chain(webhook, nodes);
}
