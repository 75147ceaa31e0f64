import { randomUUID } from 'node:crypto';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { argumentsOf } from '../toolCall';
import { digestOf } from './digest';

/** A change that a run of a node has sent. Plain JSON: n8n stores it with a failed execution. */
export interface SentChange {
	/** Digest of the input item and of the parameters' texts as they stand in the workflow. */
	item: string;
	content: IDataObject;
	key: string;
	/** Whether the change is known not to have been made. */
	refused?: boolean;
}

/** What stays the same however often n8n tries one run of a node, and differs for every other run. */
export interface Run {
	name: readonly string[];
	/** What earlier tries of this run have sent, and this one. */
	sent: SentChange[];
	/** How many changes had the same beginnings of a key so far, by their digest. */
	alike: Record<string, number>;
	/** Whether each try counts on, so that only `sent` tells that a change is tried again. */
	countsOn: boolean;
}

/** What a node remembers in n8n's own execution data, where a retried execution finds it again. */
interface NodeMemory {
	lineage?: string;
	/** n8n's run index when `run` was counted. */
	runIndex?: number;
	run?: number;
	sent?: SentChange[];
	/** Of tool calls: counted from the start again by each execution, a retried one included. */
	calls?: { executionId: string; alike: Record<string, number> };
}

/**
 * The present run.
 *
 * Measured: n8n gives a retried execution a new id. n8n 2.41 makes a token together with an execution's first data and
 * hands it on to every retry, also after a crash; nodes see it in the resume URL. n8n 1.123 has none, so there the
 * first execution id is kept in the node's context, which a retry of a *failed* execution inherits; after a crash
 * nothing is left of it, and only a key of the user's own (option Idempotency Key) reaches across.
 *
 * The node goes by its name, because that is how n8n's Retry finds it: one that was deleted and added again under the
 * same name has another id.
 */
export function runOf(functions: IExecuteFunctions): Run {
	const toolCall = argumentsOf(functions);
	return toolCall === undefined ? runOfNode(functions) : runOfToolCall(functions, toolCall);
}

/** Runs are counted here: after a crash n8n puts artificial entries into the run data, which shift its own run index. */
function runOfNode(functions: IExecuteFunctions): Run {
	const memory = contextOf(functions);
	if (memory === undefined) return { ...unrelated(), sent: [], countsOn: false };
	const { $runIndex: runIndex } = functions.getWorkflowDataProxy(0);
	if (memory.runIndex !== runIndex) {
		memory.run = memory.run === undefined ? 0 : memory.run + 1;
		memory.runIndex = runIndex as number;
		memory.sent = [];
	}
	memory.sent ??= [];
	return {
		name: [...nodeName(functions, memory), String(memory.run ?? 0)],
		sent: memory.sent,
		alike: {},
		countsOn: false,
	};
}

const toolCalls = new WeakMap<object, Run>();

/** n8n raises the run index with every try of a tool call. */
function runOfToolCall(functions: IExecuteFunctions, toolCall: object): Run {
	const known = toolCalls.get(toolCall);
	if (known !== undefined) return known;
	const run = { ...nameOfToolCall(functions), sent: [], countsOn: true };
	toolCalls.set(toolCall, run);
	return run;
}

/**
 * Calls of one agent that say the same are told apart by their number. A retried execution runs the agent again from its
 * start, so the number starts over with it. The agent goes by its input: what a tool is given tells no more of it.
 */
function nameOfToolCall(functions: IExecuteFunctions): Pick<Run, 'name' | 'alike'> {
	const memory = contextOf(functions);
	if (memory === undefined) return unrelated();
	const executionId = functions.getExecutionId() || '';
	if (memory.calls?.executionId !== executionId) memory.calls = { executionId, alike: {} };
	const agent = digestOf(functions.getExecuteData()?.data);
	return { name: [...nodeName(functions, memory), 'tool call', agent], alike: memory.calls.alike };
}

/** A run that nothing links to any other. */
function unrelated(): Pick<Run, 'name' | 'alike'> {
	return { name: [randomUUID()], alike: {} };
}

/** n8n's MCP Server Trigger and Agents run a tool without the data of an execution (measured on 2.41.1 and 1.123.81). */
function contextOf(functions: IExecuteFunctions): NodeMemory | undefined {
	try {
		return functions.getContext('node') as NodeMemory;
	} catch {
		return undefined;
	}
}

function nodeName(functions: IExecuteFunctions, memory: NodeMemory): string[] {
	// An execution that n8n does not store has no id: without one, all such would be the same to the service.
	memory.lineage ??= functions.getExecutionId() || randomUUID();
	const execution = tokenIn(functions.getWorkflowDataProxy(0).$execution?.resumeUrl) ?? memory.lineage;
	return [execution, functions.getWorkflow().id ?? '', functions.getNode().name];
}

function tokenIn(resumeUrl: unknown): string | undefined {
	if (typeof resumeUrl !== 'string' || !URL.canParse(resumeUrl)) return undefined;
	return new URL(resumeUrl).searchParams.get('signature') ?? undefined;
}
