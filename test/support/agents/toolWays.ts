import { findInstallation } from '../../../scripts/n8n/installation.ts';
import type { McpTransport } from '../../../scripts/n8n/mcpClient.ts';
import { connectMcpOnceRegistered } from '../../../scripts/n8n/mcpClient.ts';
import type { ChatRequest, ToolCall } from '../../../scripts/n8n/scriptedModel.ts';
import { toolResultsIn, withModel } from '../../../scripts/n8n/scriptedModel.ts';
import type { WorkflowNode } from '../../../scripts/n8n/session.ts';
import { attached, chain, langchainNode } from '../../../scripts/n8n/workflows.ts';
import type { N8nHost } from '../host/n8nHost.ts';
import { HOST } from '../hostUnderTest.ts';
import { NEWEST_AGENT, runAgent, withAgent } from './agentRuns.ts';
import { askN8nAgent } from './n8nAgents.ts';

/** A tool as the model or the client sees it. */
interface OfferedTool {
	name: string;
	description: string;
	/** The names of the arguments that it takes. */
	takes: string[];
}

interface ToolRun {
	/** None for a person who calls a tool. */
	offered: OfferedTool[];
	/** In the order of the calls. */
	results: string[];
}

/** A way in which n8n calls a node as a tool. */
interface ToolWay {
	name: string;
	/** Makes the calls, those of one turn together where the way can. */
	call(host: N8nHost, tools: WorkflowNode[], turns: ToolCall[][]): Promise<ToolRun>;
	/** Whether n8n offers the tools to a model or a program, or a person calls them. */
	caller: 'program' | 'person';
	/** Where the description of a tool comes from: the node, or the agent's configuration. */
	describes: 'node' | 'agent';
	/** Whether n8n passes arguments that a tool does not ask for to the node, or drops them. */
	passesExtra: 'always' | 'to tools without arguments' | 'never';
	/** What the caller gets of a tool's error, unless the tool is set to continue: its text, or none because n8n stops. */
	onError: 'text' | 'stop';
	/** Whether tools have the settings of a node, such as Retry On Fail and On Error. */
	settings: boolean;
}

const offeredIn = (request: ChatRequest | undefined): OfferedTool[] =>
	request?.tools?.map(({ function: { name, description, parameters } }) => ({
		name,
		description,
		takes: Object.keys((parameters as { properties?: object }).properties ?? {}),
	})) ?? [];

/** Returns the AI Agent node: up to 2.2 it calls tools itself, from 3 n8n's engine runs them as nodes. */
function aiAgent(version: number): ToolWay {
	return {
		name: `AI Agent ${version}`,
		call: async (host, tools, turns) => {
			const { requests, results } = await runAgent(host, { version, tools, script: turns });
			return { offered: offeredIn(requests[0]), results };
		},
		caller: 'program',
		describes: 'node',
		passesExtra: version >= 3 ? 'always' : 'never',
		onError: version >= 3 && HOST === 'n8n-1' ? 'stop' : 'text',
		settings: true,
	};
}

/** Returns the newest AI Agent, with an AI Agent Tool that has the tools. */
function aiAgentTool(subAgent: number): ToolWay {
	return {
		name: `AI Agent Tool ${subAgent}`,
		call: async (host, tools, turns) => {
			const script = [[{ name: 'Sub', arguments: { question: 'go' } }], ...turns];
			const { requests } = await runAgent(host, { tools, subAgent, script });
			return { offered: offeredIn(requests[1]), results: toolResultsIn(requests[turns.length + 1]) };
		},
		caller: 'program',
		describes: 'node',
		passesExtra: subAgent >= 3 ? 'always' : 'never',
		onError: 'text',
		settings: true,
	};
}

function mcpServer(version: number, transport: McpTransport): ToolWay {
	return {
		name: `MCP Server Trigger ${version}, ${transport}`,
		call: async (host, tools, turns) => {
			const { session, address } = host;
			const path = `mcp-${crypto.randomUUID()}`;
			const settings = { path, authentication: 'none' };
			const trigger = langchainNode('MCP', 'mcpTrigger', version, settings, { webhookId: path });
			const { id } = await session.createWorkflow(attached(chain(path, [trigger]), tools, 'MCP'));
			await session.publishWorkflow(id);
			const client = await connectMcpOnceRegistered(findInstallation(HOST), transport, `${address.url}/mcp/${path}`);
			try {
				const listed = await client.listTools();
				const offered = listed.tools.map(({ name, description = '', inputSchema }) => ({
					name,
					description,
					takes: Object.keys(inputSchema.properties ?? {}),
				}));
				const results: string[] = [];
				for (const turn of turns) {
					const returned = await Promise.all(turn.map(async (call) => await client.callTool(call)));
					results.push(...returned.map(({ content }) => content.map(({ text }) => text).join('')));
				}
				return { offered, results };
			} finally {
				await client.close();
			}
		},
		caller: 'program',
		describes: 'node',
		passesExtra: 'never',
		onError: 'text',
		settings: true,
	};
}

/** n8n's Agents, which are not workflows. */
const agents: ToolWay = {
	name: 'Agents',
	call: async (host, tools, turns) =>
		await withModel(host.session, turns, async (model, { id }) => {
			await askN8nAgent(host, tools, id);
			return { offered: offeredIn(model.requests[0]), results: model.toolResults() };
		}),
	caller: 'program',
	describes: 'agent',
	passesExtra: 'to tools without arguments',
	onError: 'text',
	settings: false,
};

/** The editor's test of a tool. Each call is a separate execution. */
const executeStep: ToolWay = {
	name: 'Execute Step',
	call: async (host, tools, turns) =>
		await withAgent(host, { tools, script: [] }, async ({ workflowId }) => {
			const { session } = host;
			const results: string[] = [];
			for (const { name, arguments: query } of turns.flat()) {
				const { executionId } = (await session.request('POST', `/rest/workflows/${workflowId}/run`, {
					workflowData: await session.workflow(workflowId),
					triggerToStartFrom: { name: 'Start' },
					destinationNode: { nodeName: name, mode: 'inclusive' },
					agentRequest: { query: HOST === 'n8n-1' ? query : { [name]: query }, tool: { name } },
				})) as { executionId: string };
				const { error, runData } = await session.finishedExecution(executionId);
				// The tool's result, as text.
				results.push(error?.message ?? String(runData.PartialExecutionToolExecutor?.[0]?.data?.main?.[0]?.[0]?.json));
			}
			return { offered: [], results };
		}),
	caller: 'person',
	describes: 'node',
	passesExtra: 'never',
	onError: 'text',
	settings: true,
};

/** Every way that the n8n under test has, one of versions that work alike. A test of each takes some seconds. */
export const TOOL_WAYS: ToolWay[] = [
	aiAgent(1.9),
	aiAgent(2.2),
	aiAgent(NEWEST_AGENT),
	aiAgentTool(2.2),
	...(HOST === 'n8n-1' ? [] : [aiAgentTool(3)]),
	mcpServer(2, 'sse'),
	mcpServer(HOST === 'n8n-1' ? 2 : 2.1, 'streamableHttp'),
	...(HOST === 'n8n-1' ? [] : [agents]),
	executeStep,
];
