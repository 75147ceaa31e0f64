import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { FunctionsWorld, RunOfNode } from './functions.ts';
import { functionsFor } from './functions.ts';
import type { Attempt } from './records.ts';
import { contentOf } from './service.ts';

export interface CallsWorld extends FunctionsWorld {
	attempts: Attempt[];
	count(what: 'runs of our nodes'): void;
}

/** Calls `execute` of a node of ours once, as TagLead.node.ts and CreateKeywordAutomation.node.ts do, and keeps what came of it. */
export async function callNode(world: CallsWorld, run: RunOfNode): Promise<INodeExecutionData[][]> {
	const { attempt, process } = run;
	const { changeItems, tagLead, createKeywordAutomation } = process.nodes;
	world.count('runs of our nodes');
	const functions = functionsFor(world, run);
	try {
		const outputs = await (run.node.type === 'tagLead'
			? changeItems(functions, tagLead)
			: changeItems(functions, createKeywordAutomation));
		await process.restIfDead();
		noteOutputs(attempt, outputs, world.time.now);
		// n8n stores what a node puts out as JSON, without the error that marks an item for the error output.
		return outputs;
	} catch (error) {
		await process.restIfDead();
		noteFailure(attempt, error, world.time.now);
		throw error;
	}
}

interface Told {
	idempotencyKey?: string | null;
	mayHaveBeenMade?: boolean | null;
	itemIndex?: number;
}

function noteFailure(attempt: Attempt, error: unknown, at: number): void {
	attempt.ended = 'failed';
	const { idempotencyKey, mayHaveBeenMade, itemIndex } = (error as { context?: Told }).context ?? {};
	const item = attempt.items[itemIndex ?? -1];
	if (item !== undefined) item.failed = { key: idempotencyKey ?? null, mayHaveBeenMade: mayHaveBeenMade ?? null, at };
}

function noteOutputs(attempt: Attempt, [items = []]: INodeExecutionData[][], at: number): void {
	attempt.ended = 'success';
	for (const { json, pairedItem } of items) {
		// A tool call that is rejected as a whole has read no parameter.
		const item = attempt.items[(pairedItem as { item: number }).item];
		if (item === undefined) attempt.size--;
		else if ('error' in json) {
			const { idempotencyKey, mayHaveBeenMade } = json as Told;
			item.failed = { key: idempotencyKey ?? null, mayHaveBeenMade: mayHaveBeenMade ?? null, at };
		} else {
			const { idempotencyKey, id, replayed } = json;
			item.made = { key: String(idempotencyKey), id, replayed: replayed === true, shown: shownBy(attempt, json) };
		}
	}
}

/** Returns the content that an item of the output shows; Create Keyword Automation shows none. */
function shownBy({ node }: Attempt, { leadId, tagId }: IDataObject): string | undefined {
	if (node.type !== 'tagLead') return undefined;
	return contentOf({ path: `/v1/leads/${encodeURIComponent(String(leadId))}/tags/`, body: { tag_id: tagId } });
}
