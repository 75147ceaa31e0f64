import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { functionsFor } from './functions';
import type { FunctionsWorld } from './functions';
import type { ExecutionData, Item, NodeModel, StoredExecution, WorkflowModel, WriteNode } from './n8n';
import { itemsFrom } from './n8n';
import type { Process } from './process';
import type { Attempt, ItemAttempt } from './records';
import { contentOf } from './service';

/** What an execution needs of n8n around it. */
export interface ExecutionWorld extends FunctionsWorld {
	attempts: Attempt[];
	/** Whether the workflow's setting Save Execution Progress is on. */
	savesProgress: boolean;
	/** Whether a node that is not ours fails now. */
	failsNow(): boolean;
	/** Runs a workflow for a node of another one, and waits for its end. @throws when it fails. */
	runSubWorkflow(workflow: WorkflowModel, items: Item[], process: Process): Promise<Item[]>;
	count(what: 'runs of our nodes'): void;
}

class NodeFailed extends Error {}

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
		this.stored.data = JSON.stringify(this.data);
		this.stored.status = status;
	}

	private async runNodes(): Promise<StoredExecution['status']> {
		const { data } = this;
		for (let entry = data.stack.shift(); entry !== undefined; entry = data.stack.shift()) {
			if (this.signal.aborted) return 'canceled';
			const { node, items } = entry;
			const runIndex = data.runData[node.name]?.length ?? 0;
			this.stored.started.add(node.name);
			await this.process.breath();
			const outcome = await this.runWithRetries(node, items, runIndex);
			data.lastNode = node.name;
			const kept = (data.runData[node.name] ??= []);
			if ('error' in outcome) {
				kept.push({ error: outcome.error });
				data.stack.unshift(entry);
				return this.signal.aborted ? 'canceled' : 'error';
			}
			kept.push({ outputs: outcome.outputs });
			this.passOn(node, outcome.outputs);
			await this.process.breath();
			this.stored.finished.add(node.name);
			if (this.world.savesProgress) this.stored.data = JSON.stringify(data);
		}
		return this.signal.aborted ? 'canceled' : 'success';
	}

	private passOn({ name }: NodeModel, outputs: Item[][]): void {
		for (const [index, next] of (this.stored.workflow.connections[name] ?? []).entries()) {
			const items = outputs[index] ?? [];
			const node = this.stored.workflow.nodes.find((one) => one.name === next);
			// A node without input items does not run.
			if (node !== undefined && items.length > 0) this.data.stack.unshift({ node, items });
		}
	}

	/** The tries of Retry On Fail, as n8n makes them. */
	private async runWithRetries(
		node: NodeModel,
		items: Item[],
		runIndex: number,
	): Promise<{ outputs: Item[][] } | { error: string }> {
		const retries = node.kind === 'write' ? node.settings.retryOnFail : node.kind === 'call' && node.retryOnFail;
		const settings = node.kind === 'write' ? node.settings : { maxTries: 2, waitBetweenTries: 100 };
		const tries = retries ? Math.min(5, Math.max(2, settings.maxTries)) : 1;
		let error = '';
		for (let tryIndex = 0; tryIndex < tries; tryIndex++) {
			if (tryIndex > 0) await this.process.outlives(this.world.time.wait(settings.waitBetweenTries));
			try {
				let outputs = await this.runNode(node, items, runIndex);
				// With Continue, n8n tries again if the first item failed.
				while (outputs[0]?.[0]?.json.error !== undefined && tryIndex !== tries - 1) {
					await this.process.outlives(this.world.time.wait(settings.waitBetweenTries));
					outputs = await this.runNode(node, items, runIndex);
					tryIndex++;
				}
				return { outputs: node.kind === 'write' ? this.splitByError(node, outputs, items) : outputs };
			} catch (thrown) {
				error = thrown instanceof Error ? thrown.message : 'failed';
				if (thrown instanceof Error && !(thrown instanceof NodeFailed) && !('node' in thrown)) throw thrown;
			}
		}
		return { error };
	}

	private async runNode(node: NodeModel, items: Item[], runIndex: number): Promise<Item[][]> {
		switch (node.kind) {
			case 'start':
				return [items];
			case 'fetch':
				return [this.fetched(node.what, items)];
			case 'loop':
				return this.nextBatch(node.name, node.batchSize, items);
			case 'check':
				if (this.world.failsNow()) throw new NodeFailed('not now');
				return [items];
			case 'call':
				return [
					await this.world.runSubWorkflow(node.workflow, items, this.process).catch(() => {
						throw new NodeFailed('the sub-workflow failed');
					}),
				];
			case 'write':
				return node.isPinned ? [items] : await this.write(node, items, runIndex);
		}
	}

	private fetched(what: (NodeModel & { kind: 'fetch' })['what'], items: Item[]): Item[] {
		const { random, time } = this.world;
		switch (what) {
			case 'the same':
				return items;
			case 'with the time':
				return items.map(({ json, start }) => ({ json: { ...json, fetchedAt: time.now + random() }, start }));
			case 'in any order':
				return items
					.map((item) => [random(), item] as const)
					.sort(([a], [b]) => a - b)
					.map(([, item]) => item);
			case 'more':
				return [...items, ...items.slice(0, Math.floor(random() * 3))];
			case 'other values':
				return items.map(({ json, start }) => ({ json: { ...json, seen: `seen${Math.floor(random() * 3)}` }, start }));
		}
	}

	/** Loop Over Items (read in n8n-nodes-base 2.41.1, SplitInBatchesV3): what is left is in the node's context. */
	private nextBatch(name: string, batchSize: number, items: Item[]): Item[][] {
		const context = (this.data.contextData[`node:${name}`] ??= {}) as { left?: Item[] | undefined; done?: Item[] };
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

	private async write(node: WriteNode, items: Item[], runIndex: number): Promise<Item[][]> {
		const { world, process, stored, data } = this;
		const attempt = this.newAttempt(node, items.length);
		const functions = functionsFor(world, {
			process,
			workflowId: stored.workflow.id,
			executionId: stored.id,
			mode: stored.mode,
			node,
			type: `n8n-nodes-lead-revenue.${node.type}`,
			items,
			runIndex,
			context: (data.contextData[`node:${node.name}`] ??= {}),
			resumeToken: data.resumeToken,
			signal: this.signal,
			attempt,
		});
		const { changeItems, tagLead, createKeywordAutomation, MAX_IN_FLIGHT } = process.nodes;
		world.count('runs of our nodes');
		const outputs = await (
			node.type === 'tagLead'
				? changeItems(functions, tagLead, MAX_IN_FLIGHT)
				: changeItems(functions, createKeywordAutomation)
		).catch((error: unknown) => {
			recordFailure(attempt, error, world.time.now);
			throw error;
		});
		recordOutputs(attempt, outputs, world.time.now);
		// n8n stores what a node puts out as JSON, without the error that marks an item for the error output.
		return itemsFrom(outputs, items);
	}

	private newAttempt(node: WriteNode, size: number): Attempt {
		const { world, data, stored } = this;
		const runs = (data.runData[node.name] ?? []).filter(({ isArtificial, error }) => !isArtificial && !error).length;
		const scope = `${stored.lineage}/${node.name}/${runs}`;
		const seen = (data.seen[`${node.name}/${runs}`] ??= []);
		const everSeen = (data.seen[node.name] ??= []);
		const id = world.attempts.length;
		const first = everSeen[0] ?? id;
		const attempt: Attempt = {
			id,
			scope,
			inherits: [...seen],
			lineage: data.resumeToken ?? `memory since ${first}`,
			executionId: stored.id,
			node,
			size,
			items: [],
		};
		seen.push(id);
		everSeen.push(id);
		world.attempts.push(attempt);
		return attempt;
	}

	/** The error output (read in WorkflowExecute.handleNodeErrorOutput): failed items, merged with their input. */
	private splitByError({ settings }: WriteNode, outputs: Item[][], input: Item[]): Item[][] {
		if (settings.onError !== 'continueErrorOutput') return outputs;
		const [all = []] = outputs;
		return [
			all.filter(({ json }) => json.error === undefined),
			all
				.map((item, index) => ({ ...item, json: { ...input[index]?.json, ...item.json } }))
				.filter(({ json }) => json.error !== undefined),
		];
	}
}

interface Told {
	idempotencyKey?: string | null;
	mayHaveBeenMade?: boolean | null;
	itemIndex?: number;
}

function recordFailure(attempt: Attempt, error: unknown, at: number): void {
	attempt.ended = 'failed';
	const { idempotencyKey, mayHaveBeenMade, itemIndex } = (error as { context?: Told }).context ?? {};
	const item = attempt.items[itemIndex ?? -1];
	if (item !== undefined) item.failed = { key: idempotencyKey ?? null, mayHaveBeenMade: mayHaveBeenMade ?? null, at };
}

function recordOutputs(attempt: Attempt, [items = []]: INodeExecutionData[][], at: number): void {
	attempt.ended = 'success';
	for (const { json, pairedItem } of items) {
		const { item: index } = pairedItem as { item: number };
		const item = attempt.items[index] as ItemAttempt;
		if ('error' in json) {
			const { idempotencyKey, mayHaveBeenMade } = json as Told;
			item.failed = { key: idempotencyKey ?? null, mayHaveBeenMade: mayHaveBeenMade ?? null, at };
		} else
			item.made = {
				key: String(json.idempotencyKey),
				id: json.id,
				replayed: json.replayed === true,
				shown: shownBy(attempt, json),
			};
	}
}

/** The content that an item of the output shows; Create Keyword Automation shows none. */
function shownBy({ node }: Attempt, { leadId, tagId }: IDataObject): string | undefined {
	if (node.type !== 'tagLead') return undefined;
	return contentOf({ path: `/v1/leads/${encodeURIComponent(String(leadId))}/tags/`, body: { tag_id: tagId } });
}
