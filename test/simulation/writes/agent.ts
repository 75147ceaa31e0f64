import type { IDataObject } from 'n8n-workflow';
import type { CallsWorld } from './calls.ts';
import { callNode } from './calls.ts';
import type { RunContext } from './functions.ts';
import type { AgentNode, Item, StackEntry, TaskData, WriteNode } from './n8n.ts';
import { triesOf } from './nodes.ts';
import type { Attempt } from './records.ts';

/** What calls a node of ours as a tool, outside the workflow's own run: an AI Agent 1 or 2, or the MCP Server Trigger. */
interface Caller extends RunContext {
	world: CallsWorld;
	/** Undefined for an MCP client: n8n throws. */
	context: () => IDataObject | undefined;
	/** The runs of the tool in the execution's data. */
	runs: TaskData[];
	/** The node that calls, its input, and where that comes from. */
	node: { name: string; type: string };
	input: Item[];
	source: object | null;
	newAttempt(): Attempt;
}

/** All turns of the model for one item of an agent; the calls of a turn are made at once. */
export async function callTools(caller: Caller, { turns, tool }: AgentNode, item: Item): Promise<void> {
	const state = { runIndex: caller.runs.length };
	for (const calls of turns) {
		await Promise.all(calls.map(async (title) => await callTool(caller, tool, argumentsFor(tool, title, item), state)));
	}
}

/** Returns what the model says where the tool asks for it; of two items it says different things. */
export function argumentsFor({ written }: WriteNode, title: string, { json }: Item): IDataObject {
	return written.text.includes('$fromAI') ? { title: `${title}-${String(json.name)}` } : {};
}

/** One call with its tries (read in makeHandleToolInvocation, n8n-core 2.41.1 and 1.123.81). Returns what the model gets. */
export async function callTool(
	caller: Caller,
	tool: WriteNode,
	args: IDataObject,
	state: { runIndex: number },
): Promise<'result' | 'error'> {
	const { world, process, runs, signal } = caller;
	const { tries, waitMs } = triesOf(tool);
	const earlier: number[] = [];
	for (let tryIndex = 0; tryIndex < tries; tryIndex++) {
		// Each try has another run index.
		const runIndex = state.runIndex++;
		if (signal?.aborted) return 'error';
		if (tryIndex > 0) await process.outlives(world.time.wait(waitMs));
		runs.push({ args });
		const attempt = caller.newAttempt();
		attempt.inherits = [...earlier];
		attempt.call = args;
		earlier.push(attempt.id);
		try {
			await callNode(world, {
				...caller,
				node: tool,
				type: `n8n-nodes-lead-revenue.${tool.type}Tool`,
				items: caller.input.slice(0, 1),
				runIndex,
				context: caller.context(),
				attempt,
				args,
				// $fromAI reads what was stored under this run index, by whichever call.
				fromAi: (name) => runs[runIndex]?.args?.[name],
				caller,
			});
			return 'result';
		} catch (error) {
			if (!(error instanceof Error) || !('node' in error)) throw error;
		}
	}
	return 'error';
}

/** Returns the tools that an AI Agent 3 asks n8n to run in a turn, each with its place in the execution's data. */
export function placeholdersFor(calls: string[], { tool }: AgentNode, items: Item[], runs: TaskData[]): StackEntry[] {
	const [item = { json: {}, start: {} }] = items;
	return calls.map((title, index) => {
		const runIndex = runs.push({}) - 1;
		const toolCall = argumentsFor(tool, title, item);
		const json = { ...item.json, ...toolCall, toolCallId: `call ${runIndex} ${index}` };
		return { node: tool, items: [{ json, start: item.start }], runIndex, toolCall };
	});
}
