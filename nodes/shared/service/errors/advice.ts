import type { IDataObject } from 'n8n-workflow';
import type { Call } from '../call';
import type { Change } from '../change';
import type { Situation } from '../context';
import { isEditorList, isPoll, runsAsTool } from '../context';

/** Whether the change of a write may have been made, by this request or before; `null` if this is unknown. */
function mayHaveBeenMade({ wasOpen, isOpen }: Change): boolean | null {
	return isOpen || wasOpen;
}

/** Returns the parts of an error about a change: two sentences, and values for the error's context. For a read they are empty. */
export function aboutChange(change: Change | undefined): { warning: string; key: string; context: IDataObject } {
	if (change === undefined) return { warning: '', key: '', context: {} };
	const mayBeMade = mayHaveBeenMade(change);
	return {
		warning: mayBeMade ? 'The change may have been made anyway.' : '',
		key: `Idempotency Key: ${change.key}`,
		context: { idempotencyKey: change.key, mayHaveBeenMade: mayBeMade },
	};
}

/**
 * Returns how to retry, for whoever handles the error: the agent that called a tool, the next node, or the person at a failed
 * execution. A new execution or tool call has new idempotency keys, so it repeats the changes that were made.
 */
export function howToRetry({
	call: { change },
	functions,
	node,
}: Pick<Situation, 'functions' | 'node'> & { call: Pick<Call, 'change'> }): string {
	const isForAgent = runsAsTool(node);
	// n8n's Retry of a failed poll does not poll: it ends with one empty item, and as successful (measured on 2.41.1).
	if (isPoll(functions)) return 'let the next poll try again';
	// To run Tag Lead for its list of leads would tag a lead.
	if (isEditorList(functions)) return 'open this list again';
	const continues = 'continueOnFail' in functions && functions.continueOnFail();
	const mode = functions.getMode?.() ?? 'manual';
	// n8n also shows the error in the parent's execution, whose retry starts the sub-workflow anew, with other keys. The editor
	// offers a retry of the sub-workflow's own execution (both measured on 2.41.1).
	const which =
		mode === 'integrated' ? 'the execution of this sub-workflow, not the one that called it' : 'this execution';
	if (change === undefined) {
		if (isForAgent) return 'try again';
		// A person cannot run a node of a production execution, and a new execution would repeat what other nodes have written.
		return continues || mode === 'manual' ? 'run the node again' : `retry ${which}`;
	}
	const mayBeMade = mayHaveBeenMade(change);
	if (isForAgent) {
		return mayBeMade
			? 'find out whether the change was made before you call this tool again: another call is another change'
			: 'call this tool again';
	}
	if (!continues) return `retry ${which} (a new one would repeat the changes that were made)`;
	return mayBeMade
		? 'send this item again with its idempotencyKey as "Idempotency Key" under Options (without it the change could be made twice)'
		: 'send this item again';
}
