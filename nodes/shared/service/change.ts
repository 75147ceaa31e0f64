import type { IDataObject } from 'n8n-workflow';
import type { Outcome } from './call';
import type { Situation } from './context';
import { runsAsTool } from './context';

/** What a write is to change, and what is known of it. `request` keeps it up to date. */
export interface Change {
	/** The idempotency key, a UUID4. */
	key: string;
	/** Whether the change may have been made before this request; `null` where others may have sent the key. */
	madeBefore: boolean | null;
	/** Whether an attempt of this request may have made it. */
	isOpen: boolean;
}

/** Makes an attempt, and notes whether it may have made the change: one that throws may, too. A read has no change. */
export async function attemptAt(change: Change | undefined, send: () => Promise<Outcome>): Promise<Outcome> {
	if (change === undefined) return await send();
	const { isOpen } = change;
	change.isOpen = true;
	const outcome = await send();
	change.isOpen = isOpen || leavesOpen(outcome);
	return outcome;
}

/** Whether an attempt with this outcome may have made a change: any but a plain rejection, since no error says what was sent. */
function leavesOpen(outcome: Outcome): boolean {
	if (outcome.kind === 'unsent') return false;
	const rejected = outcome.kind === 'response' && outcome.status >= 400 && outcome.status < 500;
	return !rejected || outcome.status === 408 || outcome.status === 409;
}

/** Whether the change of a write may have been made, by this request or before; `null` where that is unknown. */
function mayHaveBeenMade({ madeBefore, isOpen }: Change): boolean | null {
	return isOpen || madeBefore;
}

/** What an error says of a change: two sentences, and what its context has. Of a read it says nothing. */
export function saidOf(change: Change | undefined): { warning: string; key: string; facts: IDataObject } {
	if (change === undefined) return { warning: '', key: '', facts: {} };
	const mayBeMade = mayHaveBeenMade(change);
	return {
		warning: mayBeMade ? 'The change may have been made anyway.' : '',
		key: `Idempotency Key: ${change.key}`,
		facts: { idempotencyKey: change.key, mayHaveBeenMade: mayBeMade },
	};
}

/**
 * How to try again, for who handles the error: the agent that called a tool, the next node, or the person at a failed execution.
 * A new execution or tool call has new idempotency keys: it would repeat the changes that were made.
 */
export function again({ call: { change }, functions, node }: Situation): string {
	const isForAgent = runsAsTool(node);
	if (change === undefined) return isForAgent ? 'try again' : 'run the node again';
	const mayBeMade = mayHaveBeenMade(change);
	if (isForAgent)
		return mayBeMade
			? 'find out whether the change was made before you call this tool again: another call is another change'
			: 'call this tool again';
	const isForWorkflow = 'continueOnFail' in functions && functions.continueOnFail();
	if (!isForWorkflow) return 'retry this execution (a new one would repeat the changes that were made)';
	return mayBeMade
		? 'send this item again with its idempotencyKey as "Idempotency Key" under Options (without it the change could be made twice)'
		: 'send this item again';
}
