import type { IDataObject } from 'n8n-workflow';
import type { ChatRequest, Script, ScriptedModel } from '../../../scripts/n8n/scriptedModel.ts';
import { withModel } from '../../../scripts/n8n/scriptedModel.ts';
import type { Credential, Execution, Workflow, WorkflowNode } from '../../../scripts/n8n/session.ts';
import { attached, chain, chatModelNode, langchainNode, startNode } from '../../../scripts/n8n/workflows.ts';
import type { N8nHost } from '../host/n8nHost.ts';
import { fed } from '../host/workflows.ts';
import { HOST } from '../hostUnderTest.ts';

/** Version of a new AI Agent on the n8n under test. */
export const NEWEST_AGENT = HOST === 'n8n-1' ? 3 : 3.1;

/** An AI Agent node and what it does. */
export interface AgentSetUp {
	/** Version of the AI Agent node: 1.x and 2.x call tools themselves, 3.x let the engine run them. The newest unless given. */
	version?: number;
	tools: WorkflowNode[];
	script: Script;
	/** Version of an AI Agent Tool between the agent and the tools, called "Sub". None unless given. */
	subAgent?: number;
	/** The prompt of the agent. "go" unless given. */
	text?: string;
	options?: IDataObject;
	/** The agent's input. One empty item unless given. */
	items?: IDataObject[];
}

/** A saved workflow Start → Agent with a scripted model. */
interface SavedAgent {
	workflowId: string;
	model: ScriptedModel;
}

function agentWorkflow(
	{ version = NEWEST_AGENT, tools, subAgent, text = 'go', options = {}, items }: AgentSetUp,
	modelKey: Credential,
): Workflow {
	const before = items === undefined ? [startNode('manual')] : fed('manual', items);
	const agent = langchainNode('Agent', 'agent', version, { promptType: 'define', text, options });
	const asking = { toolDescription: 'asks', text: `={{ $fromAI('question', '', 'string') }}`, options: {} };
	const subAgents = subAgent === undefined ? [] : [langchainNode('Sub', 'agentTool', subAgent, asking)];
	const agents = attached(chain(`agent ${version}`, [...before, agent]), subAgents, 'Agent');
	const all = ['Agent', ...subAgents.map(({ name }) => name)];
	return attached(attached(agents, [chatModelNode(modelKey)], all, 'ai_languageModel'), tools, all.at(-1)!);
}

/** Runs `work` on a saved agent while its model is up. */
export async function withAgent<Result>(
	{ session }: N8nHost,
	setUp: AgentSetUp,
	work: (agent: SavedAgent) => Promise<Result>,
): Promise<Result> {
	return await withModel(session, setUp.script, async (model, key) => {
		const { id } = await session.createWorkflow(agentWorkflow(setUp, key));
		return await work({ workflowId: id, model });
	});
}

/** Runs an agent once. Returns its execution, and what the model was asked and got. */
export async function runAgent(
	host: N8nHost,
	setUp: AgentSetUp,
): Promise<{ execution: Execution; results: string[]; requests: ChatRequest[] }> {
	return await withAgent(host, setUp, async ({ workflowId, model }) => {
		const execution = await host.session.runWorkflow(workflowId, 'Start');
		return { execution, results: model.toolResults(), requests: model.requests };
	});
}

/** Runs a saved agent, which fails, and has n8n retry the execution, which succeeds. */
export async function retriedAfterFailure({ session }: N8nHost, workflowId: string): Promise<void> {
	const failed = await session.runWorkflow(workflowId, 'Start');
	expect(failed.status).toBe('error');
	expect((await session.runRetry(failed.id)).error).toBeUndefined();
}
