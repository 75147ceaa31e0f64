import type { Outcome } from './call';

/** The change that a write asks for. `request` keeps `isOpen` up to date. */
export interface Change {
	/** The idempotency key, a UUID4. */
	key: string;
	/** Whether an earlier request may have made the change; `null` if others may have sent the key. */
	wasOpen: boolean | null;
	/** Whether an attempt of this request may have made the change. */
	isOpen: boolean;
	/** The same without attempts that ended in a conflict (409), which may be that of another change. Only `Keys` reads it. */
	isLost?: boolean;
}

/** Makes an attempt, and notes whether it may have made the change. An attempt that throws may have made it. */
export async function attemptAt(change: Change | undefined, send: () => Promise<Outcome>): Promise<Outcome> {
	if (change === undefined) return await send();
	const { isOpen, isLost = false } = change;
	Object.assign(change, { isOpen: true, isLost: true });
	const outcome = await send();
	change.isOpen = isOpen || leavesOpen(outcome);
	change.isLost = isLost || (leavesOpen(outcome) && !isConflict(outcome));
	return outcome;
}

/** Whether an attempt with this outcome may have made a change. An unsent or plainly rejected request has not made it. */
function leavesOpen(outcome: Outcome): boolean {
	if (outcome.kind === 'unsent') return false;
	if (outcome.kind === 'no response') return outcome.isRejected !== true;
	return outcome.isResent === true || !isPlainRejection(outcome.status);
}

function isConflict(outcome: Outcome): boolean {
	return outcome.kind === 'response' && outcome.status === 409 && outcome.isResent !== true;
}

/** Whether a response with this status shows that its request did nothing. */
export function isPlainRejection(status: number): boolean {
	const isRejected = status >= 400 && status < 500;
	return isRejected && status !== 408 && status !== 409;
}
