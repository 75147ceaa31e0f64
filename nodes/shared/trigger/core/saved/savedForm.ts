import { isObject } from '../../../isObject';
import type { Checkpoint, LastEmission } from '../delivery';
import { STAYS_RECENT } from '../delivery';
import { areDetails } from '../memory/details';
import { isMemory, sizeIn } from '../memory/text';
import { problemOfPeriod } from '../period';
import { problemOf } from '../state';
import type { Parts, Saved, SavedLast } from './parts';
import { damageIn } from './parts';
import { positionIn, savedPositionOf, savedStateOf, stateIn } from './savedState';
import { upgradedState } from './upgrade';

/**
 * Reads a saved form. Without a problem, the checkpoint is `undefined` for a node that never polled, and for one whose credential,
 * base URL or event has changed since. If the change is undone before the service has responded, the former state continues. A form
 * that this version would not save is only a problem if it is damaged, or no poll could continue from it.
 */
export function readCheckpoint(
	saved: Saved,
	subject: string,
	keepsContent: boolean,
	fields: readonly string[],
): { checkpoint: Checkpoint | undefined } | { problem: string } {
	if (Object.keys(saved).length === 0) return { checkpoint: undefined };
	const { version, memory, details } = saved;
	if (version !== 1) return { problem: `its version is ${JSON.stringify(version) ?? 'missing'}, not 1` };
	if (typeof saved.identity !== 'string') return { problem: 'it does not say what it is about' };
	if (saved.identity !== subject) {
		const former = formerIn(saved);
		if (former?.identity !== subject) return { checkpoint: undefined };
		// Behind the start, which would otherwise count as the later state.
		return readCheckpoint({ ...former, emissions: revisionOf(saved) + 1 }, subject, keepsContent, fields);
	}
	const upgraded = upgradedState(saved);
	const damage = damageIn(upgraded);
	if (damage !== undefined) return { problem: damage };
	if (typeof memory !== 'string' || !isMemory(memory, keepsContent)) return { problem: 'its memory is damaged' };
	// A copy of n8n's live object, but not of the texts, which may be a megabyte.
	const { emissions: revision, last, ...parts } = JSON.parse(JSON.stringify(upgraded)) as Parts;
	const state = stateIn(parts);
	if (state === undefined || (state.phase === 'starting' && last !== null)) {
		return { problem: 'it does not say where to continue' };
	}
	const problem = problemOf(state) ?? problemOfLast(last, sizeIn(memory, keepsContent));
	if (problem !== undefined) return { problem };
	const kept = { subject, revision, memory, details: areDetails(details, fields) ? details : '' };
	if (state.phase === 'starting') return { checkpoint: { ...kept, state, last: null, former: formerIn(saved) } };
	return { checkpoint: { ...kept, state, last: last && lastEmissionIn(last) } };
}

/** @param size the number of records in the memory. */
function problemOfLast(last: SavedLast | null, size: number): string | undefined {
	if (last === null) return undefined;
	const isPossible = last.added + last.changed <= size && problemOfPeriod(positionIn(last.before)) === undefined;
	return isPossible ? undefined : 'its last emission is damaged';
}

/** Returns the revision in a saved form; 0 if it has none. */
export function revisionOf({ emissions }: Saved): number {
	return typeof emissions === 'number' && Number.isSafeInteger(emissions) ? emissions : 0;
}

/** Returns the saved form from before a start that is not finished. 0.2.0 may have finished it, and leaves that form in place. */
function formerIn(saved: Saved): Saved | undefined {
	const upgraded = upgradedState(saved);
	const isStarting = damageIn(upgraded) === undefined && stateIn(upgraded as Parts)?.phase === 'starting';
	return isStarting && isObject(saved.former) ? copyOf(saved.former) : undefined;
}

/** Returns what a start keeps of what n8n has. */
export function formerFor(saved: Saved): Saved | undefined {
	return formerIn(saved) ?? (isSavedForm(saved) ? copyOf(saved) : undefined);
}

// n8n's object is live.
function copyOf(saved: Saved): Saved {
	return JSON.parse(JSON.stringify(saved)) as Saved;
}

/** Whether n8n's static data has a saved form. Another node's data may be there. */
export function isSavedForm(data: Saved): boolean {
	return ['version', 'identity', 'memory'].some((name) => name in data);
}

export function savedFormOf(checkpoint: Checkpoint): Saved {
	const { subject, revision: emissions, state, memory, details, last: noted, former } = checkpoint;
	const last = noted && savedLastOf(noted);
	const saved = { version: 1, identity: subject, ...savedStateOf(state), emissions, last, memory, details };
	return former === undefined ? saved : { ...saved, former };
}

function lastEmissionIn({ process, repeats, added, changed, before, at }: SavedLast): LastEmission {
	const tail = { new: added, updated: changed };
	return { process, isAfterRestart: repeats, tail, origin: positionIn(before), emittedAt: at ?? STAYS_RECENT };
}

// 0.2.0 needs the whole position where the emission began.
function savedLastOf({ process, isAfterRestart: repeats, emittedAt: at, tail, origin }: LastEmission) {
	const before = { activatedAt: null, ...savedPositionOf(origin) };
	return { process, repeats, ...(at !== STAYS_RECENT && { at }), added: tail.new, changed: tail.updated, before };
}

/** Writes a checkpoint into a saved form, but only the members that differ: n8n saves assigned ones. */
export function writeCheckpoint(saved: Record<string, unknown>, checkpoint: Checkpoint): void {
	const form = savedFormOf(checkpoint);
	if (!('former' in form)) delete saved.former;
	for (const [name, value] of Object.entries(form)) {
		const differs =
			typeof value === 'object' ? JSON.stringify(saved[name]) !== JSON.stringify(value) : saved[name] !== value;
		if (differs) saved[name] = value;
	}
}
