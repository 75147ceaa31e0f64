import { areDetails } from '../memory/details';
import { entriesIn, isMemory } from '../memory/text';
import type { State } from '../state';
import { problemOf } from '../state';
import type { Saved } from './shapes';
import { damageIn } from './shapes';
import { upgradedState } from './upgrade';

/**
 * Reads what was saved. There is no state for a node that never polled, nor for one whose credential, base URL or event
 * has changed since. Anything that this version cannot have written is a problem. `fields`: see RecordKind.
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
	const kept = upgradedState(saved);
	const damage = damageIn(kept);
	if (damage !== undefined) return { problem: damage };
	if (typeof memory !== 'string' || !isMemory(memory, keepsContent)) return { problem: 'its memory is damaged' };
	const texts = { memory, ...(areDetails(details, fields) && { details }) };
	const phase = kept.activatedAt !== null ? 'starting' : kept.sweep !== null ? 'sweeping' : 'between';
	// A copy, because n8n's object is live; but not of its texts, which may be a megabyte.
	const state = { phase, identity, ...(JSON.parse(JSON.stringify(kept)) as object), ...texts } as State;
	const { last } = state;
	if (last !== null && last.added + last.changed > entriesIn(memory, keepsContent))
		return { problem: 'its last emission is damaged' };
	const problem = problemOf(state);
	return problem === undefined ? { state } : { problem };
}

/** The saved form of a state. The phase follows from the rest. */
export function savedFormOf(state: State): Saved {
	const { identity, activatedAt, earliest, watermark, readings, sweep, emissions, census, memory, details } = state;
	// 0.2.0 reads where a last emission began as a whole.
	const last = state.last && { ...state.last, before: { activatedAt: null, ...state.last.before } };
	const kept = { identity, activatedAt, earliest, watermark, readings, sweep, emissions, last, census, memory };
	return { version: 1, ...kept, ...(details !== undefined && { details }) };
}

/** Writes a state in place, and assigns only what differs: n8n saves what was assigned. */
export function writeState(saved: Record<string, unknown>, state: State): void {
	for (const [name, value] of Object.entries(savedFormOf(state))) {
		const differs =
			typeof value === 'object' ? JSON.stringify(saved[name]) !== JSON.stringify(value) : saved[name] !== value;
		if (differs) saved[name] = value;
	}
}
