import { withoutLast } from './memory';
import type { Additions } from './memory';
import type { Position, State } from './state';

export interface RepeatSettings {
	/** Whether a changed transaction is emitted again. */
	keepsContent: boolean;
	/** Whether the last emission of a process that is gone is emitted once more. */
	repeatsLast: boolean;
}

/**
 * The state as it was before the last emission, when n8n may have ended before it stored the execution; else undefined.
 * A process that polls again has outlived the storing of what it emitted; of another process this is not known.
 */
export function takeBack(state: State, { keepsContent, repeatsLast }: RepeatSettings, process: string | undefined): State | undefined {
	const { last, memory } = state;
	if (!repeatsLast || last === null || last.process === process) return undefined;
	return { ...state, ...last.before, last: null, memory: withoutLast(memory, keepsContent, last) };
}

/** `state` after an emission of this process that started from `start`; n8n may yet end before it stores it. */
export function inDoubt(state: State, start: Position, { added, changed }: Additions, process: string): State {
	const { activatedAt, watermark, sweep } = start;
	return { ...state, last: { process, added, changed, before: { activatedAt, watermark, sweep } } };
}
