import { randomUUID } from 'node:crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

/** What a node remembers in n8n's own execution data, where a retried execution finds it again. */
interface NodeMemory {
	lineage?: string;
	/** n8n's run index when `run` was counted. */
	runIndex?: number;
	run?: number;
}

/** What stays the same when n8n runs the same run of a node again, and differs for every other run. */
export interface Lineage {
	/** Names the first execution in a chain of retried ones. */
	execution: string;
	workflowId: string;
	nodeId: string;
	/** How many runs this node had in the execution before this one. */
	run: number;
}

/**
 * Finds the lineage of the present run.
 *
 * Measured: n8n gives a retried execution a new id. n8n 2.41 makes a token together with an execution's first data and
 * hands it on to every retry, also after a crash; nodes see it in the resume URL. n8n 1.123 has none, so there the
 * first execution id is kept in the node's context, which a retry of a *failed* execution inherits; after a crash
 * nothing is left of it, and only a key of the user's own (option Idempotency Key) reaches across.
 *
 * Runs are counted here, because after a crash n8n puts artificial entries into the run data, which shift its own run
 * index.
 */
export function lineageOf(functions: IExecuteFunctions): Lineage {
	const proxy = functions.getWorkflowDataProxy(0);
	const memory = functions.getContext('node') as NodeMemory;
	if (memory.runIndex !== proxy.$runIndex) {
		memory.run = memory.run === undefined ? 0 : memory.run + 1;
		memory.runIndex = proxy.$runIndex;
	}
	// An execution that n8n does not store has no id: without one, all such would be the same to the service.
	memory.lineage ??= functions.getExecutionId() || randomUUID();
	return {
		execution: tokenIn(proxy.$execution?.resumeUrl) ?? memory.lineage,
		workflowId: functions.getWorkflow().id ?? '',
		nodeId: functions.getNode().id,
		run: memory.run ?? 0,
	};
}

function tokenIn(resumeUrl: unknown): string | undefined {
	if (typeof resumeUrl !== 'string' || !URL.canParse(resumeUrl)) return undefined;
	return new URL(resumeUrl).searchParams.get('signature') ?? undefined;
}
