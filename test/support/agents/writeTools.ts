import type { IDataObject } from 'n8n-workflow';
import type { OrganizationOptions } from '../../../sandbox/src/client.ts';
import type { ChatRequest, ToolCall, Turn } from '../../../scripts/n8n/scriptedModel.ts';
import { toolResultsIn } from '../../../scripts/n8n/scriptedModel.ts';
import type { Credential, WorkflowNode } from '../../../scripts/n8n/session.ts';
import { byId, nodeOf } from '../../../scripts/n8n/workflows.ts';
import { keys } from '../engine/writes.ts';
import { N8nHost } from '../host/n8nHost.ts';
import type { TestOrganization } from '../service.ts';
import { control, leadIds, organization } from '../service.ts';

/** Returns an expression that asks the model for a value. */
export const fromAi = (key: string, type = 'string') => `={{ $fromAI('${key}', '', '${type}') }}`;

/** The shared n8n, and an organization with what tools need to act for it. */
export interface ToolSetUp {
	host: N8nHost;
	org: TestOrganization;
	credential: Credential;
	leads: string[];
}

/** Creates an organization with these records and its credential in the shared n8n. */
export async function setUpTools(records: OrganizationOptions = { leads: 2, transactions: 3 }): Promise<ToolSetUp> {
	const host = N8nHost.shared();
	const org = await organization(records);
	const credential = await host.session.createCredential('tools', 'leadRevenueApi', org.credential);
	return { host, org, credential, leads: await leadIds(org, 50) };
}

/** Tag Lead as the tool "Tag"; the model chooses the lead. */
export function tagTool(
	{ credential, org }: ToolSetUp,
	settings: object = {},
	options: IDataObject = {},
): WorkflowNode {
	const parameters = { lead: byId(fromAi('lead')), tagId: org.manualTag, options };
	return nodeOf('Tag', 'tagLeadTool', credential, parameters, settings);
}

export const tagCall = (lead: string | undefined): ToolCall => ({ name: 'Tag', arguments: { lead } });

/** Create Keyword Automation as the tool "Draft"; the model writes its texts. */
export function draftTool({ credential }: ToolSetUp, settings: object = {}, options: IDataObject = {}): WorkflowNode {
	const parameters = {
		name: fromAi('title'),
		keywords: [fromAi('keywords')],
		commentType: 'ANY_POST',
		replies: [fromAi('reply')],
		isActive: false,
		options,
	};
	return nodeOf('Draft', 'createKeywordAutomationTool', credential, parameters, settings);
}

export const draftCall: ToolCall = {
	name: 'Draft',
	arguments: { title: 'Prices', keywords: 'price, cost', reply: 'Here you are' },
};

/** Create Keyword Automation as the tool "Live", whose author let the model decide on Active. */
export function liveTool(scene: ToolSetUp, settings: object = {}, more: IDataObject = {}): WorkflowNode {
	const parameters = { name: 'Prices', keywords: ['price'], replies: ['Here you are'], ...more };
	const isActive = fromAi('active', 'boolean');
	return nodeOf('Live', 'createKeywordAutomationTool', scene.credential, { ...parameters, isActive }, settings);
}

/** A model that fails once after its tool, and then starts over. */
export function failsOnceAfter(callOf: (failures: number) => ToolCall): (request: ChatRequest) => Turn {
	let failures = 0;
	return (request) => {
		if (toolResultsIn(request).length === 0) return [callOf(failures)];
		return failures++ === 0 ? 'failure' : [];
	};
}

/** Returns the key of each change that the service has made. */
export async function changesMade({ org }: ToolSetUp): Promise<{ tags: string[]; drafts: string[] }> {
	return { tags: keys(await control.tagApplications(org.id)), drafts: keys(await control.automations(org.id)) };
}
