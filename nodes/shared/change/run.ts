import { randomUUID } from 'node:crypto';
import type { IExecuteFunctions } from 'n8n-workflow';
import { digestOfValues } from '../digest';
import { argumentsOf } from '../tool/toolCall';
import type { SentWrite } from './earlierWrites';
import type { FormerWrite } from './former';
import { upgradedWrites } from './former';
import { writtenKeyOf } from './options';

/**
 * A run of a node. All attempts at it have the same Run: those of Retry On Fail and of n8n's Retry and, from n8n 2.14 on, those
 * after a crash, which leaves only the name.
 */
export interface Run {
	name: readonly string[];
	/** The writes that this attempt and earlier ones have sent. n8n stores them with a failed execution. */
	sent: SentWrite[];
	/** How many writes of an identity have got a key so far, by identity. */
	alike: Record<string, number>;
	/** Whether a crash may have lost an attempt. In n8n's Retry it may, even where an earlier attempt is known. */
	mayHaveLostAttempt: boolean;
}

/** A node's part of n8n's execution data, where a retried execution finds it. */
interface NodeContext {
	/** Names the execution and its retries, where n8n has no token. */
	lineage?: string;
	/** The current run of the node, with n8n's run index when it began. */
	run?: number;
	runIndex?: number;
	sent?: Array<SentWrite | FormerWrite>;
	/** The runs of agents that have called the node as a tool, in their order. Each execution counts from zero, even a retry. */
	agentRuns?: Record<string, { executionId: string; alike: Run['alike'] }>;
}

const MAY_REPEAT =
	'This n8n keeps nothing of an execution in which it crashed. If you are retrying one, each change that it had made is made a second time: compare. n8n 2.14 and later makes it once, and so does any n8n with an "Idempotency Key".';

const PROCESS = randomUUID();

const toolCalls = new WeakMap<object, Run>();

/**
 * Returns the current run.
 *
 * Measured: n8n gives a retried execution a new id. n8n 2.41 creates a token with an execution's first data and passes it to
 * every retry, even after a crash; nodes see it in the resume URL. n8n 2.14 has a token; 1.123, 2.8 and 2.11 have none.
 * Without a token, the node's context keeps a name. A retry of a *failed* execution inherits the context. A crash
 * leaves nothing of the context: then only a key that the user set (option Idempotency Key) stays the same.
 *
 * The node is identified by its name, as in n8n's Retry: a node that was deleted and added again under the same name has
 * another id.
 * @param parameters those of the content, as the workflow has them, and the option Idempotency Key.
 */
export function runOf(functions: IExecuteFunctions, parameters: readonly unknown[]): Run {
	const toolCall = argumentsOf(functions);
	// n8n raises the run index with every attempt at a tool call.
	const known = toolCall && toolCalls.get(toolCall);
	if (known !== undefined) return known;
	const context = contextOf(functions);
	let found: Partial<Run> & Pick<Run, 'name'>;
	if (context === undefined) found = { name: [randomUUID()] };
	else if (toolCall === undefined) found = runOfNode(functions, context, parameters);
	else found = runOfAgent(functions, context);
	const run = { sent: [], alike: {}, mayHaveLostAttempt: functions.getMode() === 'retry', ...found };
	if (toolCall !== undefined) toolCalls.set(toolCall, run);
	return run;
}

/**
 * Returns n8n's context of the node. It is `undefined` where n8n runs a tool without the data of an execution, as its MCP
 * Server Trigger and Agents do (measured on 2.41.1 and 1.123.81): such a run has no link to any other.
 */
function contextOf(functions: IExecuteFunctions): NodeContext | undefined {
	try {
		return functions.getContext('node') as NodeContext;
	} catch {
		return undefined;
	}
}

/** Runs are counted here: after a crash n8n adds artificial entries to the run data, which shift its own run index. */
function runOfNode(functions: IExecuteFunctions, context: NodeContext, parameters: readonly unknown[]) {
	const isNamed = context.lineage !== undefined || tokenIn(functions) !== undefined;
	if (functions.getMode() === 'retry' && !isNamed && writtenKeyOf(functions) === '') {
		functions.addExecutionHints({ message: MAY_REPEAT, type: 'warning', location: 'outputPane' });
	}
	const runIndex = functions.getWorkflowDataProxy(0).$runIndex as number;
	if (context.runIndex !== runIndex) {
		context.run = context.run === undefined ? firstRun(functions, runIndex) : context.run + 1;
		context.runIndex = runIndex;
		context.sent = [];
	}
	const name = [...nodeName(functions, context), String(context.run ?? 0)];
	return { name, sent: upgradedWrites((context.sent ??= []), functions.getInputData(), parameters) };
}

/**
 * Returns the number of a run whose context is empty. In n8n's Engine 2.0 each run has an empty context, so n8n's own index
 * counts there. The usual engine shifts that index only in a retry. n8n names the executions of Engine 2.0 by a UUID, all
 * others by a number (read in 2.41.1).
 */
function firstRun(functions: IExecuteFunctions, runIndex: number): number {
	const isNumbered = /^\d+$/.test(functions.getExecutionId() ?? '');
	return functions.getMode() === 'retry' && isNumbered ? 0 : runIndex;
}

/**
 * Returns the run of a tool call by an agent. Identical tool calls are numbered (`alike`). A retried execution repeats the
 * agent's failed run from its start, so the numbers start over. It does not repeat the runs before. An agent's run is
 * identified by its input, and by how many runs before had the same input: a tool gets nothing else of the run.
 */
function runOfAgent(functions: IExecuteFunctions, context: NodeContext) {
	const executionId = functions.getExecutionId() || '';
	const { data, source, node } = functions.getExecuteData();
	const input = digestOfValues(data);
	const agentRun = `${input} ${digestOfValues(node.name, source)}`;
	const runs = (context.agentRuns ??= {});
	if (runs[agentRun]?.executionId !== executionId) runs[agentRun] = { executionId, alike: {} };
	const { alike } = runs[agentRun];
	const number = Object.keys(runs)
		.filter((name) => name.startsWith(input))
		.indexOf(agentRun);
	const name = [...nodeName(functions, context), 'tool call', input, ...(number === 0 ? [] : [String(number)])];
	return { name, alike };
}

function nodeName(functions: IExecuteFunctions, context: NodeContext): string[] {
	const lineage = tokenIn(functions) ?? (context.lineage ??= newLineage(functions));
	return [lineage, functions.getWorkflow().id ?? '', functions.getNode().name];
}

/**
 * Names an execution. While n8n starts, it may run one twice: one that is retried just before n8n looks for executions that wait to
 * run (measured on 1.123.81). The id alone names none: it is a number that repeats in a second n8n, and once n8n has been moved
 * to an empty database, for which it is started again.
 */
function newLineage(functions: IExecuteFunctions): string {
	const executionId = functions.getExecutionId() || '';
	return executionId === '' ? randomUUID() : `${PROCESS} ${executionId}`;
}

/** Returns the resume token, which n8n 2.14 and later have. */
function tokenIn(functions: IExecuteFunctions): string | undefined {
	const resumeUrl: unknown = functions.getWorkflowDataProxy(0).$execution?.resumeUrl;
	if (typeof resumeUrl !== 'string' || !URL.canParse(resumeUrl)) return undefined;
	return new URL(resumeUrl).searchParams.get('signature') ?? undefined;
}
