import { areDetails } from '../memory/details';
import { sizeOf } from '../memory/memory';
import { isMemory, sizeIn } from '../memory/text';
import type { Kept, LastEmission, Position, State } from '../state';
import { positionOf, problemOf } from '../state';
import type { Parts, Saved, SavedLast, SavedPosition } from './parts';
import { damageIn } from './parts';
import { upgradedState } from './upgrade';

/**
 * Reads what was saved. There is no state for a node that never polled, nor for one whose credential, base URL or event
 * has changed since. Anything that this version cannot have written is a problem.
 * @param fields see RecordKind.
 */
export function readState(
	saved: Saved,
	identity: string,
	keepsContent: boolean,
	fields: readonly string[],
): { state: State | undefined } | { problem: string } {
	if (Object.keys(saved).length === 0) return { state: undefined };
	const { version, memory, details } = saved;
	if (version !== 1) return { problem: `its version is ${JSON.stringify(version) ?? 'missing'}, not 1` };
	if (typeof saved.identity !== 'string') return { problem: 'it does not say what it is about' };
	if (saved.identity !== identity) return { state: undefined };
	const upgraded = upgradedState(saved);
	const damage = damageIn(upgraded);
	if (damage !== undefined) return { problem: damage };
	if (typeof memory !== 'string' || !isMemory(memory, keepsContent)) return { problem: 'its memory is damaged' };
	// A copy, because n8n's object is live; but not of its texts, which may be a megabyte.
	const { emissions: revision, census, ...parts } = JSON.parse(JSON.stringify(upgraded)) as Parts;
	const texts = { memory, details: areDetails(details, fields) ? details : '' };
	const state = inPhase({ identity, revision, census, ...texts }, parts);
	if (state === undefined) return { problem: 'it does not say where to continue' };
	if (parts.last !== null && sizeOf(parts.last) > sizeIn(memory, keepsContent)) {
		return { problem: 'its last emission is damaged' };
	}
	const problem = problemOf(state);
	return problem === undefined ? { state } : { problem };
}

/** Returns the revision of something saved, of whatever identity it is; 0 when it has none. */
export function revisionOf({ emissions }: Saved): number {
	return typeof emissions === 'number' && Number.isSafeInteger(emissions) ? emissions : 0;
}

/** Returns the state in the phase that follows from what is there; `undefined` where that fits no phase. */
function inPhase(
	kept: Kept,
	{ activatedAt, earliest, watermark, readings, sweep, last }: Omit<Parts, 'emissions' | 'census'>,
): State | undefined {
	if (activatedAt !== null) {
		const hasRead = watermark !== null || readings.length > 0 || sweep !== null;
		return earliest !== null || hasRead || last !== null ? undefined : { ...kept, phase: 'starting', activatedAt };
	}
	if (earliest === null) return undefined;
	return { ...kept, earliest, ...positionIn({ watermark, readings, sweep }), last: last && lastEmissionIn(last) };
}

function positionIn({ sweep, ...read }: SavedPosition): Position {
	return sweep === null ? { phase: 'between', ...read } : { phase: 'sweeping', ...read, sweep };
}

function savedPositionOf(position: Position): SavedPosition {
	const { watermark, readings } = position;
	return { watermark, readings, sweep: position.phase === 'sweeping' ? position.sweep : null };
}

export function savedFormOf(state: State): Saved {
	const { identity, revision: emissions, census, memory, details } = state;
	const isStarting = state.phase === 'starting';
	const activatedAt = isStarting ? state.activatedAt : null;
	const earliest = isStarting ? null : state.earliest;
	const last = isStarting || state.last === null ? null : savedLastOf(state.last);
	const position = savedPositionOf(positionOf(state));
	return { version: 1, identity, activatedAt, earliest, ...position, emissions, last, census, memory, details };
}

function lastEmissionIn({ process, repeats, added, changed, before, at }: SavedLast): LastEmission {
	const from = positionIn(before);
	return { process, isAfterRestart: repeats, end: { added, changed }, from, ...(at !== undefined && { at }) };
}

/** Returns the saved form of a last emission. 0.2.0 needs the whole position where it began. */
function savedLastOf({ process, isAfterRestart: repeats, at, end, from }: LastEmission) {
	const before = { activatedAt: null, ...savedPositionOf(from) };
	return { process, repeats, ...(at !== undefined && { at }), ...end, before };
}

/** Writes a state in place, and assigns only what differs: n8n saves what was assigned. */
export function writeState(saved: Record<string, unknown>, state: State): void {
	for (const [name, value] of Object.entries(savedFormOf(state))) {
		const differs =
			typeof value === 'object' ? JSON.stringify(saved[name]) !== JSON.stringify(value) : saved[name] !== value;
		if (differs) saved[name] = value;
	}
}
