import { withoutLast } from './memory';
import type { Additions } from './memory';
import type { LastEmission, Position, State } from './state';

export interface RepeatSettings {
	/** Whether a changed transaction is emitted again. */
	keepsContent: boolean;
	/** Whether the last emission of a process that is gone is emitted once more. */
	repeatsLast: boolean;
}

export interface TakenBack {
	/** As it was before the last emission. */
	state: State;
	/** How many transactions the poll that goes on from there may emit. */
	most: number;
}

/**
 * Takes the last emission back when n8n may have ended before it stored the execution. A process that polls again has
 * outlived the storing of what it emitted; of another process this is not known.
 *
 * A process that ended before its second poll may have done so because of what it repeated, say for want of memory: then
 * each further one repeats half as much, and leaves the rest to its next poll.
 */
export function takeBack(
	state: State,
	{ keepsContent, repeatsLast }: RepeatSettings,
	process: string | undefined,
): TakenBack | undefined {
	const { last, memory } = state;
	if (!repeatsLast || last === null || last.process === process) return undefined;
	const most = last.repeats ? Math.max(1, Math.ceil((last.added + last.changed) / 2)) : Infinity;
	return { state: { ...state, ...last.before, last: null, memory: withoutLast(memory, keepsContent, last) }, most };
}

/** What this process emitted from `start` on, and n8n may yet end before it stores it. */
export function inDoubt(
	process: string,
	repeats: boolean,
	{ added, changed }: Additions,
	start: Position,
): LastEmission {
	const { activatedAt, watermark, sweep } = start;
	return { process, repeats, added, changed, before: { activatedAt, watermark, sweep } };
}
