import type { IDataObject } from 'n8n-workflow';
import { callTools, placeholdersFor } from './agent.ts';
import type { CallsWorld } from './calls.ts';
import { callNode } from './calls.ts';
import type { RunContext } from './functions.ts';
import type { AgentNode, ExecutionData, Item, StackEntry, StoredExecution, WorkflowModel, WriteNode } from './n8n.ts';
import { itemsFrom } from './n8n.ts';
import { fetched, NodeFailed, triesOf } from './nodes.ts';
import type { Process } from './process.ts';
import type { Attempt } from './records.ts';
import { begin } from './records.ts';

/** What an execution needs of n8n around it. */
export interface ExecutionWorld extends CallsWorld {
	host: 'n8n 2' | 'n8n 1';
	/** Whether the workflow's setting Save Execution Progress is on. */
	savesProgress: boolean;
	/** Whether a node that is not ours, or a model, fails now. */
	failsNow(): boolean;
	/** Runs a workflow for a node of another one, and waits for its end. @throws when it fails. */
	runSubWorkflow(workflow: WorkflowModel, items: Item[], process: Process): Promise<Item[]>;
}

type NodeRun = { outputs: Item[][] } | { error: string } | 'has asked for tools';

/**
 * One execution of a workflow by n8n's engine: read in WorkflowExecute.processRunExecutionData of n8n-core 2.41.1 and
 * 1.123.81, of which it keeps what a node of ours can notice.
 */
export class Execution {
	private readonly data: ExecutionData;

	constructor(
		private readonly world: ExecutionWorld,
		private readonly process: Process,
		private readonly stored: StoredExecution,
		private readonly signal: AbortSignal,
	) {
		this.data = JSON.parse(stored.data) as ExecutionData;
	}

	/** Runs to the end, and stores it. */
	async run(): Promise<void> {
		const status = await this.runNodes();
		await this.process.breath();
		this.store();
		this.stored.status = status;
	}

	private store(): void {
		this.stored.data = JSON.stringify(this.data);
	}

	private async runNodes(): Promise<StoredExecution['status']> {
		const { data } = this;
		for (let entry = data.stack.shift(); entry !== undefined; entry = data.stack.shift()) {
			if (this.signal.aborted) return 'canceled';
			const { node } = entry;
			const runIndex = entry.runIndex ?? data.runData[node.name]?.length ?? 0;
			this.stored.started.add(node.name);
			await this.process.breath();
			const outcome = await this.runWithRetries(entry, runIndex);
			if (outcome === 'has asked for tools') continue;
			data.lastNode = node.name;
			const runs = (data.runData[node.name] ??= []);
			if ('error' in outcome) {
				const { error } = outcome;
				if (!this.continues(entry)) {
					// n8n 1.x adds the failure behind what a tool's run has already.
					if (this.world.host === 'n8n 1') runs.push({ error });
					else runs[runIndex] = { ...runs[runIndex], error };
					data.stack.unshift(entry);
					if (this.world.savesProgress && !this.signal.aborted) this.store();
					return this.signal.aborted ? 'canceled' : 'error';
				}
				runs[runIndex] = { ...runs[runIndex], error, outputs: [] };
			} else {
				runs[runIndex] = { ...runs[runIndex], outputs: outcome.outputs };
				this.passOn(entry, outcome.outputs, runIndex);
			}
			await this.process.breath();
			this.stored.finished.add(node.name);
			// n8n stores the execution, and continues it later.
			if (node.kind === 'wait') return 'waiting';
			if (this.world.savesProgress) this.store();
		}
		return this.signal.aborted ? 'canceled' : 'success';
	}

	/** The error of a tool goes to the model, unless the node says otherwise (n8n 2.25 and later). */
	private continues({ node, toolCall }: StackEntry): boolean {
		return node.kind === 'write' && toolCall !== undefined && this.world.host === 'n8n 2';
	}

	private passOn({ node: { name }, toolCall }: StackEntry, outputs: Item[][], runIndex: number): void {
		if (toolCall !== undefined || this.stored.onlyTo === name) return;
		for (const [index, next] of (this.stored.workflow.connections[name] ?? []).entries()) {
			const items = outputs[index] ?? [];
			const source = { main: [{ previousNode: name, previousNodeOutput: index, previousNodeRun: runIndex }] };
			const node = this.stored.workflow.nodes.find((one) => one.name === next);
			// A node without input items does not run.
			if (node !== undefined && items.length > 0) this.data.stack.unshift({ node, items, source });
		}
	}

	/** Returns the tries of Retry On Fail, as n8n makes them. */
	private async runWithRetries(entry: StackEntry, runIndex: number): Promise<NodeRun> {
		const { node, items } = entry;
		const { tries, waitMs } = triesOf(node);
		let error = '';
		for (let tryIndex = 0; tryIndex < tries; tryIndex++) {
			if (tryIndex > 0) await this.process.outlives(this.world.time.wait(waitMs));
			try {
				let outputs = await this.runNode(entry, runIndex);
				// With Continue, n8n tries again if the first item failed.
				while (outputs?.[0]?.[0]?.json.error !== undefined && tryIndex !== tries - 1) {
					await this.process.outlives(this.world.time.wait(waitMs));
					outputs = await this.runNode(entry, runIndex);
					tryIndex++;
				}
				if (outputs === undefined) return 'has asked for tools';
				return { outputs: node.kind === 'write' ? splitByError(node, outputs, items) : outputs };
			} catch (thrown) {
				if (!(thrown instanceof Error) || !(thrown instanceof NodeFailed || 'node' in thrown)) throw thrown;
				error = thrown.message;
			}
		}
		return { error };
	}

	/** Returns what the node puts out; nothing of an agent that has asked for tools. */
	private async runNode(entry: StackEntry, runIndex: number): Promise<Item[][] | undefined> {
		const { node, items } = entry;
		switch (node.kind) {
			case 'start':
			case 'wait':
				return [items];
			case 'fetch':
				return [fetched(node.what, items, this.world)];
			case 'loop':
				return this.nextBatch(node.name, node.batchSize, items);
			case 'fork':
				if (!node.isIf) return [items, items];
				return ['x', 'y'].map((org) => items.filter(({ json }) => json.org === org));
			case 'limit':
				return [runIndex < node.runs ? items : []];
			case 'check':
				if (this.world.failsNow()) throw new NodeFailed('not now');
				return [items];
			case 'call':
				return [
					await this.world.runSubWorkflow(node.workflow, items, this.process).catch(() => {
						throw new NodeFailed('the sub-workflow failed');
					}),
				];
			case 'agent':
				return node.version === 2 ? await this.runAgent2(entry, node, runIndex) : this.runAgent3(entry, node, runIndex);
			case 'write':
				return node.isPinned ? [items] : await this.write(entry, node, runIndex);
		}
	}

	/** Loop Over Items (read in n8n-nodes-base 2.41.1, SplitInBatchesV3): what is left is in the node's context. */
	private nextBatch(name: string, batchSize: number, items: Item[]): Item[][] {
		const context = this.contextOf(name) as { left?: Item[] | undefined; done?: Item[] };
		if (context.left === undefined) {
			context.left = [...items];
			context.done = [];
		} else context.done = [...(context.done ?? []), ...items];
		const batch = context.left.splice(0, batchSize);
		if (batch.length > 0) return [[], batch];
		const { done } = context;
		context.left = undefined;
		return [done ?? []];
	}

	private contextOf(name: string): IDataObject {
		return (this.data.contextData[`node:${name}`] ??= {});
	}

	private async write(entry: StackEntry, node: WriteNode, runIndex: number): Promise<Item[][]> {
		const { toolCall } = entry;
		const items = node.settings.executeOnce ? entry.items.slice(0, 1) : entry.items;
		const attempt = this.newAttempt(node, `${node.name}/${this.runsBefore(node.name, runIndex)}`, items.length);
		const outputs = await callNode(this.world, {
			...this.context,
			node,
			type: `n8n-nodes-lead-revenue.${node.type}${toolCall === undefined ? '' : 'Tool'}`,
			items,
			runIndex,
			context: this.contextOf(node.name),
			attempt,
			...(toolCall !== undefined && { fromAi: (name) => toolCall[name] }),
		});
		const all = itemsFrom(outputs, items);
		const split = splitByError(node, all, items);
		// The error output has fields of the input, perhaps the receipt of another node.
		for (const [index, { json }] of (split[1] ?? []).entries()) {
			const failed = attempt.items.filter((item) => item?.failed !== undefined)[index]?.failed;
			if (failed !== undefined) failed.key = (json.idempotencyKey as string | null | undefined) ?? null;
		}
		return all;
	}

	/** An AI Agent 1 or 2 calls its tools itself: see agent.ts. */
	private async runAgent2({ items, source }: StackEntry, node: AgentNode, runIndex: number): Promise<Item[][]> {
		const { world, stored } = this;
		const scope = this.scopeOfCalls(node, items, runIndex);
		const caller = {
			...this.context,
			world,
			context: () => this.contextOf(node.tool.name),
			runs: (this.data.runData[node.tool.name] ??= []),
			node: { name: node.name, type: '@n8n/n8n-nodes-langchain.agent' },
			input: items,
			source: source ?? null,
			newAttempt: () => this.newAttempt(node.tool, scope, 1, `execution ${stored.id}`),
		};
		const outputs: Item[] = [];
		for (let at = 0; at < items.length; at += node.batchSize) {
			const batch = items.slice(at, at + node.batchSize);
			await Promise.all(batch.map(async (item) => await callTools(caller, node, item)));
			if (world.failsNow()) throw new NodeFailed('the model failed');
			outputs.push(...batch);
		}
		return [outputs];
	}

	/** An AI Agent 3 has n8n run its tools as nodes (read in requests-response.js of n8n-core 2.41.1), and then continues. */
	private runAgent3(entry: StackEntry, node: AgentNode, runIndex: number): Item[][] | undefined {
		if (this.world.failsNow()) throw new NodeFailed('the model failed');
		const { turn = 0, items } = entry;
		const calls = node.turns[turn];
		if (calls === undefined) return [items];
		const runs = (this.data.runData[node.tool.name] ??= []);
		const entries = placeholdersFor(calls, node, items, runs);
		this.data.stack.unshift(...entries, { ...entry, turn: turn + 1, runIndex });
		return undefined;
	}

	/** Names a run of an agent by its input, and by how many of its runs before had the same. */
	private scopeOfCalls(node: AgentNode, items: Item[], runIndex: number): string {
		const run = `${node.name}/${this.runsBefore(node.name, runIndex)}`;
		const input = JSON.stringify(items.map(({ json }) => json));
		const runs = (this.data.agentRuns ??= []);
		if (!runs.some((one) => one.run === run)) runs.push({ run, input });
		const before = runs.slice(
			0,
			runs.findIndex((one) => one.run === run),
		);
		return `${node.tool.name}/calls for ${input} no. ${before.filter((one) => one.input === input).length}`;
	}

	/** Returns how many runs a node had, not counting what n8n made up after a crash. */
	private runsBefore(name: string, runIndex: number): number {
		return (this.data.runData[name] ?? []).slice(0, runIndex).filter(({ isArtificial }) => !isArtificial).length;
	}

	/** What n8n gives all runs of this execution. */
	private get context(): RunContext {
		const { process, stored, data, signal } = this;
		const { id: executionId, mode, workflow } = stored;
		return { process, workflowId: workflow.id, executionId, mode, resumeToken: data.resumeToken, signal };
	}

	private newAttempt(node: WriteNode, part: string, size: number, unit?: string): Attempt {
		const { data, stored } = this;
		const { attempts } = this.world;
		const seen = (data.seen[part] ??= []);
		const everSeen = (data.seen[node.name] ??= []);
		const attempt = begin(attempts, {
			scope: `${stored.lineage}/${part}`,
			...(unit !== undefined && { unit }),
			inherits: [...seen],
			lineage: data.resumeToken ?? `memory since ${everSeen[0] ?? attempts.length}`,
			executionId: stored.id,
			node,
			size,
		});
		seen.push(attempt.id);
		everSeen.push(attempt.id);
		return attempt;
	}
}

/** Returns the error output (read in WorkflowExecute.handleNodeErrorOutput): failed items, merged with their input. */
function splitByError({ settings }: WriteNode, outputs: Item[][], input: Item[]): Item[][] {
	if (settings.onError !== 'continueErrorOutput') return outputs;
	const [all = []] = outputs;
	const failed = all.map((item, index) => ({ item, index })).filter(({ item }) => item.json.error !== undefined);
	return [
		all.filter(({ json }) => json.error === undefined),
		failed.map(({ item, index }) => ({ ...item, json: { ...input[index]?.json, ...item.json } })),
	];
}
