import type { VirtualTime } from '../time.ts';
import type { Item, NodeModel } from './n8n.ts';

/** What a node that is not ours throws. */
export class NodeFailed extends Error {}

/** Returns what a node makes of its items that reads something again. */
export function fetched(
	what: (NodeModel & { kind: 'fetch' })['what'],
	items: Item[],
	{ random, time }: { random: () => number; time: VirtualTime },
): Item[] {
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

/** Returns how often n8n runs a node, and how long it waits in between (read in WorkflowExecute.getRetryParams, 2.41.1). */
export function triesOf(node: NodeModel): { tries: number; waitMs: number } {
	switch (node.kind) {
		case 'write': {
			const { retryOnFail, maxTries, waitBetweenTries } = node.settings;
			if (!retryOnFail) return { tries: 1, waitMs: 0 };
			return {
				tries: Math.min(5, Math.max(2, maxTries || 3)),
				waitMs: Math.min(5_000, Math.max(0, waitBetweenTries || 1_000)),
			};
		}
		case 'call':
		case 'agent':
			return { tries: node.retryOnFail ? 2 : 1, waitMs: 100 };
		default:
			return { tries: 1, waitMs: 0 };
	}
}
