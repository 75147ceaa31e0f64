import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { byId } from '../../../scripts/n8n/workflows.ts';
import type { Written } from './expressions.ts';

/** An item, with the item of Start that it comes from: n8n finds that one through pairedItem. */
export interface Item {
	json: IDataObject;
	start: IDataObject;
}

export type OnError = 'stopWorkflow' | 'continueRegularOutput' | 'continueErrorOutput';

/** A node of ours in a workflow. */
export interface WriteNode {
	name: string;
	kind: 'write';
	type: 'tagLead' | 'createKeywordAutomation';
	/** The lead or the name, and what the oracle knows about it. */
	written: Written;
	/** The tag or a reply. */
	second: Written;
	ownKey: Written;
	settings: {
		onError: OnError;
		retryOnFail: boolean;
		executeOnce: boolean;
		maxTries: number;
		waitBetweenTries: number;
	};
	/** Options of the node. */
	maxAttempts: number;
	timeout: number;
	isPinned: boolean;
}

/** A node that is not ours. */
type OtherNode =
	| { name: string; kind: 'start' }
	/** Reads something again, in a re-run perhaps something else. */
	| { name: string; kind: 'fetch'; what: 'the same' | 'with the time' | 'in any order' | 'more' | 'other values' }
	/** Loop Over Items. */
	| { name: string; kind: 'loop'; batchSize: number }
	/** Passes its items to two outputs. */
	| { name: string; kind: 'fork'; isIf: boolean }
	/** Passes its items on in its first runs only. */
	| { name: string; kind: 'limit'; runs: number }
	/** Fails now and then. */
	| { name: string; kind: 'check' }
	/** Stores the execution, and continues it later. */
	| { name: string; kind: 'wait' }
	| AgentNode
	/** Runs another workflow with its items. */
	| { name: string; kind: 'call'; retryOnFail: boolean; workflow: WorkflowModel };

/** An AI Agent with one of our nodes as its tool. */
export interface AgentNode {
	name: string;
	kind: 'agent';
	/** 1 and 2 call tools themselves; from 3 on, n8n runs them as nodes. */
	version: 2 | 3;
	tool: WriteNode;
	/** What the model calls the tool with, turn by turn. */
	turns: string[][];
	/** How many items it works on at once; version 2 only. */
	batchSize: number;
	retryOnFail: boolean;
}

export type NodeModel = WriteNode | OtherNode;

export interface WorkflowModel {
	id: string;
	/** In the order in which n8n stores them. */
	nodes: NodeModel[];
	/** By node and output. */
	connections: Record<string, Array<string | undefined>>;
}

/** What a node's run left in the execution's data. */
export interface TaskData {
	outputs?: Item[][];
	error?: string;
	/** Put there by n8n after a crash; it does not say what the run did. */
	isArtificial?: boolean;
	/** The arguments of a tool call. */
	args?: IDataObject;
}

/** What n8n will run next. */
export interface StackEntry {
	node: NodeModel;
	items: Item[];
	source?: object;
	/** The run index of a tool call by an AI Agent 3, and of the agent when it continues. */
	runIndex?: number;
	/** The arguments of a tool call by an AI Agent 3. */
	toolCall?: IDataObject;
	/** How many turns of an AI Agent 3 are over. */
	turn?: number;
}

/** The data of an execution. Plain JSON, as n8n stores it. */
export interface ExecutionData {
	resumeToken?: string;
	stack: StackEntry[];
	runData: Record<string, TaskData[]>;
	contextData: Record<string, IDataObject>;
	lastNode?: string;
	/** The model's own: the runs of AI Agents of version 1 and 2, in their order. */
	agentRuns?: Array<{ run: string; input: string }>;
	/** The model's own: what each run of a node has seen of earlier attempts. */
	seen: Record<string, number[]>;
}

export type Mode = 'trigger' | 'manual' | 'retry' | 'integrated';

/** An execution as n8n's database has it. */
export interface StoredExecution {
	id: string;
	status: 'running' | 'waiting' | 'success' | 'error' | 'crashed' | 'canceled';
	mode: Mode;
	/** Whether a person started it in the editor. */
	isManual: boolean;
	/** The execution's data as JSON. */
	data: string;
	workflow: WorkflowModel;
	/** The node after which Execute Step ends. */
	onlyTo?: string | undefined;
	/** The execution that it retries, directly or not; itself for a first one. */
	lineage: string;
	/** n8n's log of events, which survives a crash. */
	started: Set<string>;
	finished: Set<string>;
}

/** Returns the parameters of a node of ours, as a workflow has them. */
export function parametersOf({ type, written, second, ownKey, maxAttempts, timeout }: WriteNode): IDataObject {
	const options = { maxAttempts, timeout, ...(ownKey.text === '' ? {} : { idempotencyKey: ownKey.text }) };
	return type === 'tagLead'
		? { lead: byId(written.text), tagId: second.text, options }
		: {
				name: written.text,
				isActive: false,
				keywords: ['price'],
				commentType: 'ANY_POST',
				replies: [second.text],
				options,
			};
}

/** Path and body of the change that these parameters mean now, as the service compares them. */
export function contentFor(type: WriteNode['type'], written: unknown, second: unknown): string {
	return type === 'tagLead'
		? `/v1/leads/${encodeURIComponent(String(written))}/tags/ ${JSON.stringify({ tag_id: Number(second) })}`
		: `/v1/automations/keyword/ ${JSON.stringify({
				name: String(written),
				is_active: false,
				keywords: ['price'],
				comment_type: 'ANY_POST',
				replies: [{ text: second }],
			})}`;
}

/** Returns the items of an output of ours, each with the item of Start that its input item comes from. */
export function itemsFrom(outputs: INodeExecutionData[][], input: Item[]): Item[][] {
	return outputs.map((items) =>
		items.map(({ json, pairedItem }) => ({ json, start: input[(pairedItem as { item: number }).item]?.start ?? {} })),
	);
}
