import type { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { Call, Outcome } from '../call';
import { isWrite } from '../call';
import type { Situation } from '../context';

/** Whether an attempt with this outcome may have made a change: any of a write but a plain rejection, since no error says what was sent. */
export function leavesOpen(call: Call, outcome: Outcome): boolean {
	if (!isWrite(call) || outcome.kind === 'unsent') return false;
	const rejected = outcome.kind === 'response' && outcome.status >= 400 && outcome.status < 500;
	return !rejected || outcome.status === 408 || outcome.status === 409;
}

/** Whether this request or an earlier attempt at the write may have made the change; `null` where that is unknown. */
export function mayHaveBeenMade({ call: { mayHaveBeenMade: before = false }, isOpen }: Situation): boolean | null {
	return isOpen || before;
}

/** Notes on the error of a write what its reader has to know of the change: an error item tells the first two, `isOpenIn` reads the last. */
export function noteChange(error: NodeApiError | NodeOperationError, situation: Situation): void {
	const { idempotencyKey } = situation.call;
	if (idempotencyKey === undefined) return;
	error.context.idempotencyKey = idempotencyKey;
	error.context.mayHaveBeenMade = mayHaveBeenMade(situation);
	error.context.isOpen = situation.isOpen;
}

/** False only when the error says that no attempt of its request can have made the change. */
export function isOpenIn(error: unknown): boolean {
	return (error as { context?: { isOpen?: unknown } } | null | undefined)?.context?.isOpen !== false;
}

/** How to try again. A new execution or tool call has new idempotency keys: it would repeat the changes that were made. */
export function again(situation: Situation): string {
	const { call, audience } = situation;
	if (!isWrite(call)) return audience === 'agent' ? 'try again' : 'run the node again';
	switch (audience) {
		case 'person':
			return 'retry this execution (a new one would repeat the changes that were made)';
		case 'workflow':
			return mayHaveBeenMade(situation)
				? 'send this item again with its idempotencyKey as "Idempotency Key" under Options (without it the change could be made twice)'
				: 'send this item again';
		case 'agent':
			return mayHaveBeenMade(situation)
				? 'find out whether the change was made before you call this tool again: another call is another change'
				: 'call this tool again';
	}
}
