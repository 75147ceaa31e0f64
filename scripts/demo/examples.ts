import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { inRepository, PACKAGE } from '../lib/repository.ts';
import type { Credential, Execution, N8nSession, SavedWorkflow, Workflow } from '../n8n/session.ts';
import { outputItems } from '../n8n/session.ts';

const FORM_TRIGGER = 'n8n-nodes-base.formTrigger';
const MANUAL_TRIGGER = 'n8n-nodes-base.manualTrigger';
const MCP_TRIGGER = '@n8n/n8n-nodes-langchain.mcpTrigger';
const N8N_API_NODE = 'n8n-nodes-base.n8n';
const OWN_TRIGGERS = ['manualRecordTrigger', 'transactionTrigger'].map((name) => `${PACKAGE.name}.${name}`);

export interface ExampleRun {
	name: string;
	/** The number of items that each of the package's nodes in it returned. */
	moved: Array<{ node: string; items: number }>;
	seconds: number;
	/** Set unless the run succeeded and every node of the package returned items. */
	problem?: string;
	/** Why it was only imported: a sentence that says what the user has to choose first. */
	waitsFor?: string;
}

/** Returns the importable workflows of `examples/`, by file name. */
export async function readExamples(): Promise<Workflow[]> {
	const folder = inRepository('examples');
	const files = (await readdir(folder)).filter((file) => file.endsWith('.json')).sort();
	return await Promise.all(
		files.map(async (file) => JSON.parse(await readFile(path.join(folder, file), 'utf8')) as Workflow),
	);
}

/**
 * Returns an example as after importing it and choosing the credential in every node of the package, and another in n8n's
 * own API nodes.
 */
export function withCredential(workflow: Workflow, credential: Credential, api?: Credential): Workflow {
	const chosenFor = (nodeType: string) => (isOurs(nodeType) ? credential : nodeType === N8N_API_NODE ? api : undefined);
	return {
		...workflow,
		nodes: workflow.nodes.map((node) => {
			const chosen = chosenFor(node.type);
			if (chosen === undefined) return node;
			return { ...node, credentials: { [chosen.type]: { id: chosen.id, name: chosen.name } } };
		}),
	};
}

/** Imports an example, unless there is already a workflow of its name: that one belongs to the user. */
export async function importExample(
	session: N8nSession,
	example: Workflow,
	credential: Credential,
	api: Credential,
): Promise<SavedWorkflow> {
	const present = (await session.workflows()).find((workflow) => workflow.name === example.name);
	if (present !== undefined) return await session.workflow(present.id);
	return await session.createWorkflow(withCredential(example, credential, api));
}

/** Publishes an example that has a trigger of ours; returns whether it has. */
export async function publishExample(session: N8nSession, workflow: SavedWorkflow): Promise<boolean> {
	if (!workflow.nodes.some(({ type }) => OWN_TRIGGERS.includes(type))) return false;
	await session.publishWorkflow(workflow.id);
	return true;
}

/** Runs an imported example once, from its manual trigger, unless it needs something that only the user can choose. */
export async function runExample(session: N8nSession, workflow: SavedWorkflow): Promise<ExampleRun> {
	const missing = waitsFor(workflow);
	if (missing !== undefined) return { name: workflow.name, moved: [], seconds: 0, waitsFor: missing };
	const trigger = workflow.nodes.find((node) => node.type === MANUAL_TRIGGER);
	if (trigger === undefined) return { name: workflow.name, moved: [], seconds: 0, problem: 'it has no manual trigger' };
	const execution = await session.runWorkflow(workflow.id, trigger.name);
	const moved = workflow.nodes
		.filter((node) => isOurs(node.type) && !OWN_TRIGGERS.includes(node.type) && node.disabled !== true)
		.map((node) => ({ node: node.name, items: outputItems(execution, node.name).length }));
	const problem = problemOf(execution, moved);
	return {
		name: workflow.name,
		moved,
		seconds: (execution.stoppedAt - execution.startedAt) / 1_000,
		...(problem !== undefined && { problem }),
	};
}

function isOurs(nodeType: string): boolean {
	return nodeType.startsWith(`${PACKAGE.name}.`);
}

/**
 * Returns what an example needs that only the user has: a chat model, which costs money and needs a key, what to enter in a
 * form, or a client that calls it.
 */
function waitsFor({ connections, nodes }: Workflow): string | undefined {
	const form = nodes.find(({ type }) => type === FORM_TRIGGER);
	if (form !== undefined && !nodes.some(({ type }) => type === MANUAL_TRIGGER)) {
		return `It starts with a form: publish it and open "${form.name}"`;
	}
	const server = nodes.find(({ type }) => type === MCP_TRIGGER);
	if (server !== undefined) return `It needs an MCP client: choose a token in "${server.name}" and publish it`;
	const model = Object.entries(connections as Record<string, Record<string, unknown>>).find(
		([, outputs]) => 'ai_languageModel' in outputs,
	);
	return model && `It needs a chat model: choose one and its credential in "${model[0]}"`;
}

function problemOf(execution: Execution, moved: ExampleRun['moved']): string | undefined {
	if (execution.status !== 'success') return execution.error?.message ?? `it ended as "${execution.status}"`;
	const idle = moved.find(({ items }) => items === 0);
	if (idle !== undefined) return `"${idle.node}" returned no items`;
	return moved.length === 0 ? 'it has no node of this package' : undefined;
}
