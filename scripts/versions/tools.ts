import { findInstallation } from '../n8n/installation.ts';
import { connectMcpOnceRegistered } from '../n8n/mcpClient.ts';
import { withModel } from '../n8n/scriptedModel.ts';
import type { Credential, Workflow, WorkflowNode } from '../n8n/session.ts';
import { attached, byId, chain, chatModelNode, langchainNode, n8nNode, nodeOf, startNode } from '../n8n/workflows.ts';
import type { Account } from '../verify/account.ts';
import type { LadderN8n } from './ladderN8n.ts';
import { Broken } from './outcome.ts';
import { succeeded } from './reads.ts';

export async function servesMcp(n8n: LadderN8n): Promise<void> {
	const account = await n8n.account();
	const path = 'ladder';
	const trigger = langchainNode('MCP', 'mcpTrigger', 2, { path, authentication: 'none' }, { webhookId: path });
	const { id } = await n8n.session.createWorkflow(attached(chain('MCP', [trigger]), [tagTool(account)], 'MCP'));
	await n8n.session.publishWorkflow(id);
	const url = `${n8n.session.url}/mcp/${path}`;
	const client = await connectMcpOnceRegistered(findInstallation('n8n-2'), 'streamableHttp', url);
	try {
		const { content } = await client.callTool({ name: 'Tag', arguments: { lead: account.leads[0] } });
		await taggedOnce(account, content.map(({ text }) => text).join(''));
	} finally {
		await client.close();
	}
}

export async function servesAgent(n8n: LadderN8n): Promise<void> {
	const account = await n8n.account();
	const { execution, result } = await asked(n8n, tagTool(account), { lead: account.leads[0] });
	succeeded(execution);
	await taggedOnce(account, result);
}

/** The model of an AI Agent gets the error of a tool as text. */
export async function tellsAgent(n8n: LadderN8n): Promise<void> {
	const { execution, result } = await asked(n8n, tagTool(await n8n.account()), { lead: 'nobody' });
	if (execution.status !== 'success') throw new Broken('n8n stops the agent');
	if (!result.includes('did not find')) throw new Broken(`the model gets another text: ${result}`);
}

/** A model sends a tool a value that the tool does not ask for, under the name of a field that the tool reads. */
export async function keepsAuthorsValues(n8n: LadderN8n): Promise<void> {
	const account = await n8n.account();
	const { control } = n8n.sandbox;
	const { tags } = await control.organization(account.organization.id);
	const tag = tags.find(({ id, manual }) => manual && id !== account.tagId)?.id;
	const call = { lead: account.leads[0], tag };
	const { execution, result } = await asked(n8n, tagTool(account, '={{ $json.tag }}'), call, { tag: account.tagId });
	const applied = await control.tagApplications(account.organization.id);
	if (applied.some(({ tag_id: id }) => id === tag)) throw new Broken("the model's value replaces a field of `$json`");
	if (result === '' && execution.error === undefined) throw new Broken('the tool is not called');
}

/** Returns a tool with which a model tags a lead of its choice. */
function tagTool({ credential, tagId }: Account, tag = String(tagId)): WorkflowNode {
	const lead = byId("={{ $fromAI('lead', '', 'string') }}");
	return nodeOf('Tag', 'tagLeadTool', credential, { lead, tagId: tag });
}

async function taggedOnce(account: Account, result: string): Promise<void> {
	const tagged = (await account.tagged()).length;
	if (tagged !== 1) throw new Broken(`${tagged} changes instead of 1: ${result}`);
	if (!result.includes('idempotencyKey')) throw new Broken(`the caller gets no receipt: ${result}`);
}

function agentWorkflow(model: Credential, tool: WorkflowNode, item: object): Workflow {
	const row = chain('agent', [
		startNode('manual'),
		n8nNode('Item', 'set', 3.4, { mode: 'raw', jsonOutput: JSON.stringify(item) }),
		langchainNode('Agent', 'agent', 3, { promptType: 'define', text: 'go', options: {} }),
	]);
	return attached(attached(row, [chatModelNode(model)], 'Agent', 'ai_languageModel'), [tool], 'Agent');
}

/** Returns what a model that calls the tool gets back, and how the agent's execution ends. */
async function asked(n8n: LadderN8n, tool: WorkflowNode, call: object, item: object = {}) {
	return await withModel(n8n.session, [[{ name: 'Tag', arguments: call }]], async (model, key) => {
		const execution = await n8n.session.runNew(agentWorkflow(key, tool, item));
		return { execution, result: model.toolResults().join() };
	});
}
