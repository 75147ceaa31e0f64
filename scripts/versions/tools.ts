import { until } from '../lib/until.ts';
import { findInstallation } from '../n8n/installation.ts';
import type { McpClient } from '../n8n/mcpClient.ts';
import { connectMcp } from '../n8n/mcpClient.ts';
import { startScriptedModel } from '../n8n/scriptedModel.ts';
import type { Credential, Workflow, WorkflowNode } from '../n8n/session.ts';
import { n8nNode, nodeOf, startNode } from '../n8n/workflows.ts';
import type { Account } from '../verify/account.ts';
import { WITHIN_MS } from '../verify/account.ts';
import type { LadderN8n } from './ladderN8n.ts';
import { Broken } from './outcome.ts';
import { succeeded } from './reads.ts';

/** A tool with which a model tags a lead of its choice. */
function tagTool({ credential, tagId }: Account, tag = String(tagId)): WorkflowNode {
	const lead = { __rl: true, mode: 'id', value: "={{ $fromAI('lead', '', 'string') }}" };
	return nodeOf('Tag', 'tagLeadTool', credential, { lead, tagId: tag });
}

function langchain(name: string, type: string, typeVersion: number, parameters: object, more: object = {}) {
	const node = { id: name.toLowerCase(), name, type: `@n8n/n8n-nodes-langchain.${type}`, typeVersion };
	return { ...node, position: [0, 0], parameters, ...more } as WorkflowNode;
}

const to = (node: string, type: string) => ({ [type]: [[{ node, type, index: 0 }]] });

async function taggedOnce(account: Account, result: string): Promise<void> {
	const tagged = (await account.tagged()).length;
	if (tagged !== 1) throw new Broken(`${tagged} changes instead of 1: ${result}`);
	if (!result.includes('idempotencyKey')) throw new Broken(`the caller gets no receipt: ${result}`);
}

/** A client of n8n's MCP Server Trigger calls a tool. */
export async function servesMcp(n8n: LadderN8n): Promise<void> {
	const account = await n8n.account();
	const path = 'ladder';
	const trigger = langchain('MCP', 'mcpTrigger', 2, { path, authentication: 'none' }, { webhookId: path });
	const { id } = await n8n.session.createWorkflow({
		name: 'MCP',
		active: false,
		nodes: [trigger, tagTool(account)],
		connections: { Tag: to('MCP', 'ai_tool') },
		settings: { executionOrder: 'v1' },
	});
	await n8n.session.publishWorkflow(id);
	const client = await connected(`${n8n.session.url}/mcp/${path}`);
	try {
		const { content } = await client.callTool({ name: 'Tag', arguments: { lead: account.leads[0] } });
		await taggedOnce(account, content.map(({ text }) => text).join(''));
	} finally {
		await client.close();
	}
}

/** n8n responds with 404 until it has published. */
async function connected(url: string): Promise<McpClient> {
	let client: McpClient | undefined;
	let last = '';
	await until('the MCP server', WITHIN_MS, async () => {
		try {
			client = await connectMcp(findInstallation('n8n-2'), 'streamableHttp', url);
			return true;
		} catch (error) {
			last = String(error);
			if (!last.includes('404')) throw error;
			return false;
		}
	});
	if (client === undefined) throw new Error(last);
	return client;
}

function agentWorkflow(model: Credential, tool: WorkflowNode, item: object): Workflow {
	return {
		name: 'agent',
		active: false,
		nodes: [
			startNode('manual'),
			n8nNode('Item', 'set', 3.4, { mode: 'raw', jsonOutput: JSON.stringify(item) }),
			langchain('Agent', 'agent', 3, { promptType: 'define', text: 'go', options: {} }),
			langchain(
				'Model',
				'lmChatOpenAi',
				1.2,
				{ model: { __rl: true, mode: 'id', value: 'scripted' }, options: { maxRetries: 0 } },
				{ credentials: { openAiApi: { id: model.id, name: model.name } } },
			),
			tool,
		],
		connections: {
			Start: to('Item', 'main'),
			Item: to('Agent', 'main'),
			Model: to('Agent', 'ai_languageModel'),
			[tool.name]: to('Agent', 'ai_tool'),
		},
		settings: { executionOrder: 'v1' },
	};
}

/** What a model that calls the tool gets back, and how the agent's execution ends. */
async function asked(n8n: LadderN8n, tool: WorkflowNode, call: object, item: object = {}) {
	const model = await startScriptedModel([[{ name: 'Tag', arguments: call }]]);
	try {
		const key = await n8n.session.createCredential('model', 'openAiApi', { apiKey: 'none', url: model.url });
		const execution = await n8n.run(agentWorkflow(key, tool, item));
		return { execution, result: model.toolResults().join() };
	} finally {
		await model.stop();
	}
}

/** An AI Agent calls a tool. */
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
