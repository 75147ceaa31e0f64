import type { Checkpoint } from './delivery';
import { mayRecover, NoPage } from './failures';

/**
 * Why n8n makes a poll. A poll without a checkpoint is the "first" if it is that of an activation, and "unattended" if that is n8n's
 * own start: nobody sees its failure, so the start is saved even if the request for the time fails for good, and later polls fail.
 * Any other begins "anew": the Base URL of a running trigger was changed, no state has been stored since the start, or n8n has lost
 * it. The differences:
 *
 *                                   first, unattended   anew                activation     scheduled
 * time and attempts (pollTime.ts)   few                 as scheduled        few            as n8n and the user allow
 * the request for the time fails
 *   and may recover                 is logged           fails               is logged      fails (start.ts)
 *   and lasts                       fails; unattended,  fails               fails          fails (start.ts)
 *                                   is logged
 * a page of the overlap fails       is logged           is logged           (none)         (none: learnOverlap in start.ts)
 * a page of a sweep fails
 *   and may recover                 is logged           is logged           is logged      fails a poll without progress, unless
 *                                                                                          it has finished the start (fatal.ts)
 *   and lasts                       fails a poll without progress, on each occasion (fatal.ts)
 * an unknown host, or no JSON       lasts               lasts               may recover    may recover (recordPages.ts)
 * the overlap, with Start From: Now is learned as old   is learned as old   is emitted     is emitted, once the start is
 *                                                                                          finished (start.ts)
 * the census (pollOnce.ts)          waits               waits               waits          continues
 */
export type Occasion = 'first' | 'unattended' | 'anew' | 'activation' | 'scheduled';

/** @param isAtStart see Claim. */
export function occasionOf(previous: Checkpoint | undefined, isActivation: boolean, isAtStart = false): Occasion {
	if (previous !== undefined) return isActivation ? 'activation' : 'scheduled';
	if (!isActivation) return 'anew';
	return isAtStart ? 'unattended' : 'first';
}

/** Whether the poll has no checkpoint. */
export function begins(occasion: Occasion): boolean {
	return occasion === 'first' || occasion === 'unattended' || occasion === 'anew';
}

/** Whether n8n waits for the poll, and perhaps a person. A failure that may recover does not fail such a poll. */
export function isAwaited(occasion: Occasion): boolean {
	return occasion === 'first' || occasion === 'unattended' || occasion === 'activation';
}

/** Whether a failure of the request for the time is only logged. */
export function isOnlyLogged(occasion: Occasion, failure: unknown): failure is NoPage {
	if (!(failure instanceof NoPage)) return false;
	return occasion === 'unattended' || (isAwaited(occasion) && mayRecover(failure));
}
