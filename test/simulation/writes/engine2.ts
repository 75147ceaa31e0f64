import type { CallsWorld } from './calls.ts';
import { callNode } from './calls.ts';
import type { RunContext } from './functions.ts';
import type { Item, NodeModel, StoredExecution, WriteNode } from './n8n.ts';
import { itemsFrom } from './n8n.ts';
import { fetched, NodeFailed } from './nodes.ts';
import type { Process } from './process.ts';
import { uuidFrom } from './process.ts';
import { begin } from './records.ts';

export interface Engine2World extends CallsWorld {
	failsNow(): boolean;
	/**
	 * Whose resume token a step has. In n8n 2.41.1 each step has its own, by chance: V1StepExecutor makes new execution data for
	 * each, and with it a token. That all steps of an execution have one token is what n8n may do instead.
	 */
	tokenOf: 'step' | 'execution';
}

/**
 * An execution by n8n's Engine 2.0 (read in @n8n/engine and @n8n/node-engine-compatibility of n8n 2.41.1): each step gets the
 * node's context empty, and the number of its round as its run index. There is no Retry On Fail, no error output, no tool and
 * no Retry of an execution; a step that n8n died in does not run again (StepReadyHandler claims queued steps only).
 */
export async function runOnEngine2(
	world: Engine2World,
	process: Process,
	stored: StoredExecution,
	items: Item[],
	signal: AbortSignal,
): Promise<void> {
	const { nodes } = stored.workflow;
	const token = uuidFrom(world.random);
	const loopAt = nodes.findIndex(({ kind }) => kind === 'loop');
	const before = loopAt < 0 ? nodes : nodes.slice(0, loopAt);
	const within = loopAt < 0 ? [] : nodes.slice(loopAt + 1);
	const step = async (node: NodeModel, input: Item[], iteration: number): Promise<Item[]> => {
		await process.breath();
		switch (node.kind) {
			case 'fetch':
				return fetched(node.what, input, world);
			case 'check':
				if (world.failsNow()) throw new NodeFailed('not now');
				return input;
			case 'write': {
				const resumeToken = world.tokenOf === 'step' ? uuidFrom(world.random) : token;
				const { id: executionId, mode, workflow } = stored;
				const context = { process, workflowId: workflow.id, executionId, mode, resumeToken, signal };
				return await write(world, context, node, input, iteration);
			}
			default:
				return input;
		}
	};
	const inRow = async (row: NodeModel[], input: Item[], iteration: number): Promise<Item[]> => {
		let output = input;
		for (const node of row) output = output.length === 0 ? [] : await step(node, output, iteration);
		return output;
	};
	try {
		const all = await inRow(before, items, 0);
		const loop = nodes[loopAt];
		if (loop?.kind === 'loop') {
			for (let round = 0; round * loop.batchSize < all.length; round++) {
				await inRow(within, all.slice(round * loop.batchSize, (round + 1) * loop.batchSize), round);
			}
		}
		stored.status = 'success';
	} catch (error) {
		if (!(error instanceof Error) || !(error instanceof NodeFailed || 'node' in error)) throw error;
		stored.status = 'error';
	}
}

async function write(
	world: Engine2World,
	context: RunContext & { executionId: string },
	node: WriteNode,
	items: Item[],
	iteration: number,
): Promise<Item[]> {
	const { executionId } = context;
	const scope = `${executionId}/${node.name}/${iteration}`;
	const outputs = await callNode(world, {
		...context,
		node,
		type: `n8n-nodes-lead-revenue.${node.type}`,
		items,
		runIndex: iteration,
		context: {},
		attempt: begin(world.attempts, { scope, lineage: executionId, executionId, node, size: items.length }),
	});
	return itemsFrom(outputs, items)[0] ?? [];
}
