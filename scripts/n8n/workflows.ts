import { PACKAGE } from '../lib/repository.ts';
import type { Credential, Workflow, WorkflowNode } from './session.ts';

type Parameters = Record<string, unknown>;

/** How a workflow begins: by hand, or by a webhook, whose executions n8n stores before they run. */
export type Start = 'manual' | { webhook: string };

/** Seconds between two polls: n8n rejects a poll time with a step in its seconds, but accepts many with a fixed second. */
export const POLL_EVERY_S = 5;

/** Poll Times every few seconds, one for each. */
export const POLL_TIMES = Array.from({ length: 60 / POLL_EVERY_S }, (_, index) => ({
	mode: 'custom',
	cronExpression: `${index * POLL_EVERY_S} * * * * *`,
}));

/** Makes one of this package's nodes. @param settings what a user sets under the node's Settings. */
export function nodeOf(
	name: string,
	type: string,
	credential: Credential | undefined,
	parameters: Parameters,
	settings: object = {},
): WorkflowNode {
	return { ...node(name, `${PACKAGE.name}.${type}`, 1, parameters, credential), ...settings };
}

/** Makes one of n8n's own nodes. */
export function n8nNode(
	name: string,
	type: string,
	typeVersion: number,
	parameters: Parameters = {},
	credential?: Credential,
): WorkflowNode {
	return node(name, `n8n-nodes-base.${type}`, typeVersion, parameters, credential);
}

/** Makes one of n8n's nodes for AI. */
export function langchainNode(
	name: string,
	type: string,
	typeVersion: number,
	parameters: Parameters,
	more: object = {},
): WorkflowNode {
	return { ...node(name, `@n8n/n8n-nodes-langchain.${type}`, typeVersion, parameters, undefined), ...more };
}

/** Returns what a resource locator holds when it names its resource by ID. */
export function byId(value: string) {
	return { __rl: true, mode: 'id', value };
}

/** Returns a chat model whose credential leads to a scripted one. */
export function chatModelNode({ id, name }: Pick<Credential, 'id' | 'name'>): WorkflowNode {
	return langchainNode(
		'Model',
		'lmChatOpenAi',
		1.2,
		{ model: byId('scripted'), options: { maxRetries: 0 } },
		{ credentials: { openAiApi: { id, name } } },
	);
}

/** Returns the only connection of a node, to another one or several. */
export const linkTo = (nodes: string | readonly string[], type = 'main') => ({
	[type]: [[nodes].flat().map((node) => ({ node, type, index: 0 }))],
});

/** Adds nodes that others use, such as the tools of an agent. */
export function attached(
	workflow: Workflow,
	nodes: readonly WorkflowNode[],
	to: string | readonly string[],
	type = 'ai_tool',
): Workflow {
	const links = Object.fromEntries(nodes.map(({ name }) => [name, linkTo(to, type)]));
	return { ...workflow, nodes: [...workflow.nodes, ...nodes], connections: { ...workflow.connections, ...links } };
}

/** Returns a webhook that a workflow begins with. */
export function webhookNode(path: string, parameters: Parameters): WorkflowNode {
	return { ...n8nNode('Start', 'webhook', 2, { path, ...parameters }), webhookId: path };
}

/** Returns the node that a workflow begins with. */
export function startNode(start: Start): WorkflowNode {
	return start === 'manual'
		? n8nNode('Start', 'manualTrigger', 1)
		: webhookNode(start.webhook, { httpMethod: 'POST', responseMode: 'onReceived' });
}

/** Returns a workflow of nodes one after the other, from left to right. */
export function chain(name: string, nodes: readonly WorkflowNode[], settings: Parameters = {}): Workflow {
	const connections = Object.fromEntries(
		nodes.slice(0, -1).map((from, index) => [from.name, linkTo((nodes[index + 1] as WorkflowNode).name)]),
	);
	return {
		name,
		active: false,
		nodes: nodes.map((one, index) => ({ ...one, position: [index * 200, 0] as [number, number] })),
		connections,
		settings: { executionOrder: 'v1', ...settings },
	};
}

function node(
	name: string,
	type: string,
	typeVersion: number,
	parameters: Parameters,
	credential: Credential | undefined,
): WorkflowNode {
	const credentials = credential && {
		credentials: { [credential.type]: { id: credential.id, name: credential.name } },
	};
	return { id: name.toLowerCase(), name, type, typeVersion, position: [0, 0], parameters, ...credentials };
}
