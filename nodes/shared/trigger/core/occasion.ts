import type { Checkpoint } from './delivery';

/**
 * Why n8n makes a poll: "first" without a checkpoint, otherwise for an activation, or as scheduled. The differences:
 *
 *                                   first               activation     scheduled
 * time and attempts (pollTime.ts)   few                 few            as n8n and the user allow
 * a failure that may recover        is logged           is logged      fails a poll without progress (start.ts, fatal.ts)
 * an unknown host, or no JSON       lasts               may recover    may recover (recordPages.ts)
 * the overlap, with Start From: Now is learned as old   is emitted     is emitted, once the start is finished (start.ts)
 * the census (pollOnce.ts)          waits               waits          continues
 *
 * A first poll that no activation makes is the first one after the Base URL was changed. Nobody waits for it, so it has the time of
 * a scheduled one, and any failure of it lasts (recordPages.ts).
 */
export type Occasion = 'first' | 'activation' | 'scheduled';

export function occasionOf(previous: Checkpoint | undefined, isActivation: boolean): Occasion {
	if (previous === undefined) return 'first';
	return isActivation ? 'activation' : 'scheduled';
}

/** Whether somebody waits for the poll. A failure that may recover does not fail such a poll. */
export function isAwaited(occasion: Occasion): boolean {
	return occasion !== 'scheduled';
}
