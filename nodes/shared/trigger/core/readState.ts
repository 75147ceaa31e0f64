import { areDetails } from './memory/details';
import { entriesIn, isMemory } from './memory/text';
import type { State } from './state';
import { damageIn } from './state';
import { upgradedState } from './upgrade';

/**
 * Reads what was saved. There is no state for a node that never polled, nor for one whose credential, base URL or event
 * has changed since. Anything that this version cannot have written is a problem. `fields`: see RecordKind.
 */
export function readState(
	saved: Readonly<Record<string, unknown>>,
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
	const problem = damageIn(kept);
	if (problem !== undefined) return { problem };
	if (typeof memory !== 'string' || !isMemory(memory, keepsContent)) return { problem: 'its memory is damaged' };
	const { last } = kept as Pick<State, 'last'>;
	if (last !== null && last.added + last.changed > entriesIn(memory, keepsContent))
		return { problem: 'its last emission is damaged' };
	// A copy, because n8n's object is live; but not of its texts, which may be a megabyte.
	const copy = JSON.parse(JSON.stringify({ version, identity, ...kept })) as State;
	return { state: { ...copy, memory, ...(areDetails(details, fields) && { details }) } as State };
}

/** Writes a state in place, and assigns only what differs: n8n saves what was assigned. */
export function writeState(saved: Record<string, unknown>, state: State): void {
	for (const [name, value] of Object.entries(state)) {
		const differs =
			typeof value === 'object' ? JSON.stringify(saved[name]) !== JSON.stringify(value) : saved[name] !== value;
		if (differs) saved[name] = value;
	}
}
