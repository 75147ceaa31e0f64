import { node as CALM_NODE } from './calm.ts';
import type { Written } from './expressions.ts';
import { computed, fixed, OWN_KEYS, TEXTS, TOOL_TEXTS } from './expressions.ts';
import type { Item, NodeModel, WorkflowModel, WriteNode } from './n8n.ts';
import type { NodeSettings, Schedule, SourceItem } from './schedule.ts';

/** Texts for a tag or a reply. */
const SECONDS: Record<WriteNode['type'], Written[]> = {
	tagLead: [fixed('7'), fixed('={{ $json.tag }}'), computed('={{ 3 + 4 }}')],
	createKeywordAutomation: [
		fixed('Thanks'),
		fixed('=Hello {{ $json.name }}'),
		computed('={{ $now + " " + $json.name }}', '$json.name'),
	],
};

const UUIDS: Record<string, string> = {
	a: '6f1c1e0a-6f3b-4e86-9d0c-2b8f1d6c1a11',
	b: '0F1C1E0A-6f3b-4e86-9d0c-2b8f1d6c1a11',
};

export function itemFrom({ name, org }: SourceItem): Item {
	const json = { name, org, seen: `${name}-seen`, tag: 5, uuid: UUIDS[name] ?? 'no uuid' };
	return { json, start: json };
}

/** Returns a node of ours as a step of a workflow. */
export function nodeOf(name: string, settings: NodeSettings): WriteNode {
	const { type, text, second, ownKey, onError, retryOnFail, executeOnce, maxTries, waitBetweenTries, maxAttempts } =
		settings;
	return {
		name,
		kind: 'write',
		type,
		written: TEXTS[text]!,
		second: SECONDS[type][second]!,
		ownKey: OWN_KEYS[ownKey]!,
		settings: { onError, retryOnFail, executeOnce, maxTries, waitBetweenTries },
		maxAttempts,
		timeout: 40,
		isPinned: false,
	};
}

/** Sets what a user sets in the editor. */
export function edit(node: WriteNode, { text, second, ownKey, executeOnce }: Partial<NodeSettings>): void {
	if (text !== undefined) node.written = TEXTS[text]!;
	if (second !== undefined) node.second = SECONDS[node.type][second]!;
	if (ownKey !== undefined) node.ownKey = OWN_KEYS[ownKey]!;
	if (executeOnce !== undefined) node.settings.executeOnce = executeOnce;
}

/** Returns a node of ours as a tool: its model chooses one text, and there is no item to read the others from. */
export function toolOf(name: string, { ...settings }: NodeSettings): WriteNode {
	const node = nodeOf(name, settings);
	const { onError } = node.settings;
	return {
		...node,
		written: TOOL_TEXTS[settings.toolText]!,
		second: SECONDS[node.type][0]!,
		ownKey: OWN_KEYS[settings.ownKey === 3 ? 3 : 0]!,
		// A tool has no error output.
		settings: { ...node.settings, onError: onError === 'continueErrorOutput' ? 'continueRegularOutput' : onError },
	};
}

const AGAIN: NodeSettings = { ...CALM_NODE, text: 2 };

/** Start, then what the shape says, with the nodes of ours in a row; a loop goes back to its start after the last one. */
export function workflowOf(id: string, schedule: Pick<Schedule, 'shape' | 'node' | 'host'>): WorkflowModel {
	const { shape, host } = schedule;
	const onEngine2 = host.startsWith('engine');
	const { fetch, batchSize, second, again, untilDone, branches, check, sub, wait } = shape;
	// Engine 2.0 rejects what it lacks.
	const node: NodeSettings =
		onEngine2 && schedule.node.onError === 'continueErrorOutput'
			? { ...schedule.node, onError: 'continueRegularOutput' }
			: schedule.node;
	const ours: NodeModel[] = [
		onEngine2 ? nodeOf('Write', node) : firstOf(shape, node),
		...(second === 'none' ? [] : [secondOf(second, node, onEngine2)]),
		...(check ? [{ name: 'Check', kind: 'check' as const }] : []),
	];
	const row: NodeModel[] = [
		{ name: 'Start', kind: 'start' },
		...(fetch === 'none' ? [] : [{ name: 'Fetch', kind: 'fetch' as const, what: fetch }]),
		...(batchSize === 0 ? [] : [{ name: 'Loop', kind: 'loop' as const, batchSize }]),
		...(wait && !onEngine2 ? [{ name: 'Wait', kind: 'wait' as const }] : []),
		...(branches === 'one' || batchSize > 0 || onEngine2
			? []
			: [{ name: 'Fork', kind: 'fork' as const, isIf: branches === 'if' }]),
		...(sub === 'no' || onEngine2 ? ours : [callOf(id, sub === 'with retries', ours)]),
	];
	const workflow = inRow(id, row);
	if (batchSize > 0) workflow.connections[row.at(-1)!.name] = ['Loop'];
	if (again && row.some(({ name }) => name === 'Write') && node.onError === 'continueErrorOutput') {
		// As docs/idempotency.md says, under "Failed items".
		const ownKey = fixed('={{ $json.idempotencyKey }}');
		const { type, text, second: secondText } = node;
		const onError = untilDone ? 'continueErrorOutput' : 'stopWorkflow';
		workflow.nodes.push({ ...nodeOf('Again', { ...AGAIN, type, text, second: secondText, onError }), ownKey });
		workflow.connections.Write = [workflow.connections.Write?.[0], 'Again'];
		if (untilDone) {
			workflow.nodes.push({ name: 'Limit', kind: 'limit', runs: 2 });
			workflow.connections.Again = [undefined, 'Limit'];
			workflow.connections.Limit = ['Again'];
		}
	}
	return workflow;
}

/** With the own key of the first node, which may be unusable after it; with an error output, where there is one. */
function secondOf(type: WriteNode['type'], { ownKey }: NodeSettings, onEngine2: boolean): WriteNode {
	return nodeOf('Second', { ...AGAIN, type, ownKey, onError: onEngine2 ? 'stopWorkflow' : 'continueErrorOutput' });
}

function firstOf({ agent, turns, agentBatch, agentRetries }: Schedule['shape'], node: NodeSettings): NodeModel {
	if (agent === 'none') return nodeOf('Write', node);
	return {
		name: 'Agent',
		kind: 'agent',
		version: agent === 'version 2' ? 2 : 3,
		tool: toolOf('Tool', node),
		turns,
		batchSize: agentBatch,
		retryOnFail: agentRetries,
	};
}

function callOf(id: string, retryOnFail: boolean, ours: NodeModel[]): NodeModel {
	const workflow = inRow(`sub of ${id}`, [{ name: 'Start', kind: 'start' }, ...ours]);
	return { name: 'Call', kind: 'call', retryOnFail, workflow };
}

function inRow(id: string, nodes: NodeModel[]): WorkflowModel {
	const connections: WorkflowModel['connections'] = {};
	for (const [index, { name, kind }] of nodes.entries()) {
		const next = nodes[index + 1]?.name;
		if (next === undefined) continue;
		if (kind === 'fork') connections[name] = [next, next];
		// The second output of Loop Over Items is the loop.
		else connections[name] = kind === 'loop' ? [undefined, next] : [next];
	}
	return { id, nodes, connections };
}
