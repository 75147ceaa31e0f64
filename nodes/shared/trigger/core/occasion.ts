import type { Checkpoint } from './delivery';

/**
 * Why n8n makes a poll. Without a checkpoint it is the first one of an activation, or anew: the Base URL of a running trigger was
 * changed, and the checkpoint is that of the former one. Otherwise it is for an activation, or as scheduled. The differences:
 *
 *                                   first               anew                activation     scheduled
 * time and attempts (pollTime.ts)   few                 as scheduled        few            as n8n and the user allow
 * a failure that may recover        is logged           fails the poll: the is logged      fails a poll without progress
 *                                                       checkpoint stays                   (start.ts, fatal.ts)
 * an unknown host, or no JSON       lasts               lasts               may recover    may recover (recordPages.ts)
 * the overlap, with Start From: Now is learned as old   is learned as old   is emitted     is emitted, once the start is
 *                                                                                          finished (start.ts)
 * the census (pollOnce.ts)          waits               waits               waits          continues
 */
export type Occasion = 'first' | 'anew' | 'activation' | 'scheduled';

export function occasionOf(previous: Checkpoint | undefined, isActivation: boolean): Occasion {
	if (previous === undefined) return isActivation ? 'first' : 'anew';
	return isActivation ? 'activation' : 'scheduled';
}

/** Whether the poll has no checkpoint. */
export function isFirst(occasion: Occasion): boolean {
	return occasion === 'first' || occasion === 'anew';
}

/** Whether somebody waits for the poll. A failure that may recover does not fail such a poll. */
export function isAwaited(occasion: Occasion): boolean {
	return occasion === 'first' || occasion === 'activation';
}
