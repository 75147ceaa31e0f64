import { randomUUID } from 'node:crypto';
import type { IExecuteFunctions } from 'n8n-workflow';
import { digestOfValues } from '../digest';
import { orUndefined } from '../orUndefined';
import { argumentsOf } from '../tool/toolCall';
import type { SentWrite } from './earlierWrites';
import type { FormerWrite } from './former';
import { upgradedWrites } from './former';
import { writtenKeyOf } from './options';

/**
 * A run of a node. All attempts by Retry On Fail and by n8n's Retry have the same name and writes. In an execution that began on
 * n8n 2.14 or later, attempts after a crash have the same name, but no writes.
 */
export interface Run {
	name: readonly string[];
	/** The writes of this attempt and of earlier attempts. n8n stores them with a failed execution. */
	sent: SentWrite[];
	/** The number of writes that have a key so far, by identity. */
	alike: Record<string, number>;
	/** Whether a crash may have lost an attempt. In n8n's Retry this is possible even if an earlier attempt is known. */
	mayHaveLostAttempt: boolean;
}

/** A node's part of n8n's execution data. A retried execution finds it there. */
interface NodeContext {
	/** The name of the execution and its retries, if n8n has no token. */
	lineage?: string;
	/** The number of the node's current run, and n8n's run index when this run began. */
	run?: number;
	runIndex?: number;
	sent?: Array<SentWrite | FormerWrite>;
	/** The agents' runs that have called the node as a tool, in order. Each execution, even a retry, counts from zero. */
	agentRuns?: Record<string, { executionId: string; alike: Run['alike'] }>;
}

const MAY_REPEAT =
	'If the execution that you retry crashed, n8n has not kept its idempotency keys, and each change that it had made is made a second time: compare. An execution that begins on n8n 2.14 or later makes each change once, and so does any with an "Idempotency Key".';

const PROCESS = randomUUID();

const toolCalls = new WeakMap<object, Run>();

/**
 * Returns the current run.
 *
 * n8n gives a retried execution a new ID. From 2.14 on, n8n passes a token of an execution's first data to every retry, even
 * after a crash; nodes see it in the resume URL. 1.123, 2.8 and 2.11 have none, and an execution that began there never gets one
 * (all measured). Without a token, the node's context keeps a name, which the retry of a *failed* execution inherits. A crash
 * leaves no context: then only a key that the user set stays the same.
 *
 * The run identifies its node by name, as n8n's Retry does: a node that was deleted and added again has another ID.
 * @param parameters the content's parameters, as the workflow has them, and the option Idempotency Key.
 */
export function runOf(functions: IExecuteFunctions, parameters: readonly unknown[]): Run {
	const toolCall = argumentsOf(functions);
	// n8n raises the run index with every attempt at a tool call, so the call's arguments identify the run.
	const known = toolCall && toolCalls.get(toolCall);
	if (known !== undefined) return known;
	// n8n's MCP Server Trigger and Agents run a tool without an execution's data (measured on 2.41.1 and 1.123.81). Such a run has no
	// link to other runs.
	const context = orUndefined(() => functions.getContext('node') as NodeContext);
	let found: Partial<Run> & Pick<Run, 'name'>;
	if (context === undefined) found = { name: [randomUUID()] };
	else if (toolCall === undefined) found = runOfNode(functions, context, parameters);
	else found = runOfAgent(functions, context);
	const run = { sent: [], alike: {}, mayHaveLostAttempt: functions.getMode() === 'retry', ...found };
	if (toolCall !== undefined) toolCalls.set(toolCall, run);
	return run;
}

/** Returns the run of an ordinary node. After a crash, artificial entries shift n8n's run index, so runs are counted here. */
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
 * Returns the number of a run whose context is empty. In n8n's Engine 2.0, which names an execution by a UUID, not a number,
 * every context is empty, so n8n's run index counts. The usual engine shifts this index only in a retry (read in 2.41.1).
 */
function firstRun(functions: IExecuteFunctions, runIndex: number): number {
	const isNumbered = /^\d+$/.test(functions.getExecutionId() ?? '');
	return functions.getMode() === 'retry' && isNumbered ? 0 : runIndex;
}

/**
 * Returns the run of a tool call by an agent. `alike` numbers identical calls. A retried execution repeats the agent's failed run
 * from its start, but no earlier run, so its numbers start over. A tool gets only the input of an agent's run: the input, and the
 * number of earlier runs with the same input, identify the run.
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
 * The ID of an execution alone repeats in a second n8n, and after a start with an empty database. A starting n8n may run an
 * execution twice if it is retried just before n8n looks for waiting executions (measured on 1.123.81). Both runs have one name.
 */
function newLineage(functions: IExecuteFunctions): string {
	const executionId = functions.getExecutionId() || '';
	return executionId === '' ? randomUUID() : `${PROCESS} ${executionId}`;
}

/** Returns the resume token; `undefined` before n8n 2.14. */
function tokenIn(functions: IExecuteFunctions): string | undefined {
	const resumeUrl: unknown = functions.getWorkflowDataProxy(0).$execution?.resumeUrl;
	if (typeof resumeUrl !== 'string' || !URL.canParse(resumeUrl)) return undefined;
	return new URL(resumeUrl).searchParams.get('signature') ?? undefined;
}
