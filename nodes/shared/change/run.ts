import { randomUUID } from 'node:crypto';
import type { IExecuteFunctions } from 'n8n-workflow';
import { argumentsOf } from '../tool/call';
import { digestOfValues } from '../digest';
import type { SentWrite } from './earlierWrites';
import type { FormerWrite } from './former';
import { upgraded } from './former';
import { writtenKeyOf } from './options';

/**
 * A run of a node: the same in every attempt at it, and another for every other run. Attempts are those of Retry On
 * Fail and of n8n's Retry, from n8n 2.14 on also after a crash, which leaves only the name.
 */
export interface Run {
	name: readonly string[];
	/** What this attempt and earlier ones have sent; n8n stores it with a failed execution. */
	sent: SentWrite[];
	/** How many writes have had identical parts of a key so far, by the digest of those parts. */
	alike: Record<string, number>;
	/** Whether a crash may have lost an attempt, even where an earlier one is known: so in n8n's Retry of an execution. */
	mayHaveLostAttempt: boolean;
}

/** A node's part of n8n's execution data, where a retried execution finds it. */
interface NodeContext {
	/** Names the execution, where n8n has no token. */
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

const toolCalls = new WeakMap<object, Run>();

/**
 * The current run.
 *
 * Measured: n8n gives a retried execution a new id. n8n 2.41 creates a token with an execution's first data and passes it
 * to every retry, even after a crash; nodes see it in the resume URL. n8n 2.14 has a token; 1.123, 2.8 and 2.11 have
 * none. The node's context keeps a random name where there is no token. A retry of a *failed* execution inherits the context.
 * Nothing of it is left after a crash, and only a key that the user set (option Idempotency Key) stays the same.
 *
 * The node is identified by its name, because n8n's Retry finds it by name: a node that was deleted and added again under
 * the same name has another id.
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
 * `undefined` where n8n runs a tool without the data of an execution, as its MCP Server Trigger and Agents do (measured on
 * 2.41.1 and 1.123.81): such a run has no link to any other.
 */
function contextOf(functions: IExecuteFunctions): NodeContext | undefined {
	try {
		return functions.getContext('node') as NodeContext;
	} catch {
		return undefined;
	}
}

/** Counts runs itself: after a crash n8n adds artificial entries to the run data, which shift its own run index. */
function runOfNode(functions: IExecuteFunctions, context: NodeContext, parameters: readonly unknown[]) {
	const isNamed = context.lineage !== undefined || tokenIn(functions) !== undefined;
	if (functions.getMode() === 'retry' && !isNamed && writtenKeyOf(functions) === '')
		functions.addExecutionHints({ message: MAY_REPEAT, type: 'warning', location: 'outputPane' });
	const runIndex = functions.getWorkflowDataProxy(0).$runIndex as number;
	if (context.runIndex !== runIndex) {
		context.run = context.run === undefined ? firstRun(functions, runIndex) : context.run + 1;
		context.runIndex = runIndex;
		context.sent = [];
	}
	const name = [...nodeName(functions, context), String(context.run ?? 0)];
	return { name, sent: upgraded((context.sent ??= []), functions.getInputData(), parameters) };
}

/**
 * The number of a run that finds nothing of another one. Each run in n8n's Engine 2.0 is such a run, because each gets an
 * empty context: n8n's own index counts there. The usual engine shifts that index only in a retry. n8n names the executions
 * of Engine 2.0 by a UUID, all others by a number (read in 2.41.1).
 */
function firstRun(functions: IExecuteFunctions, runIndex: number): number {
	const isNumbered = /^\d+$/.test(functions.getExecutionId() ?? '');
	return functions.getMode() === 'retry' && isNumbered ? 0 : runIndex;
}

/**
 * A call by a run of an agent. Identical calls differ by their number. A retried execution repeats the run of the agent that
 * failed from its start, so its numbers start over, but it does not repeat the runs before it. A run is identified by the
 * agent's input, and by how many runs before had the same: a tool gets nothing else of it.
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
		.filter((one) => one.startsWith(input))
		.indexOf(agentRun);
	const name = [...nodeName(functions, context), 'tool call', input, ...(number === 0 ? [] : [String(number)])];
	return { name, alike };
}

function nodeName(functions: IExecuteFunctions, context: NodeContext): string[] {
	// The execution's id would not do: numbers repeat in a second n8n, and after a move to an empty database.
	const lineage = tokenIn(functions) ?? (context.lineage ??= randomUUID());
	return [lineage, functions.getWorkflow().id ?? '', functions.getNode().name];
}

/** The resume token of n8n 2.14 and later. */
function tokenIn(functions: IExecuteFunctions): string | undefined {
	const resumeUrl: unknown = functions.getWorkflowDataProxy(0).$execution?.resumeUrl;
	if (typeof resumeUrl !== 'string' || !URL.canParse(resumeUrl)) return undefined;
	return new URL(resumeUrl).searchParams.get('signature') ?? undefined;
}
