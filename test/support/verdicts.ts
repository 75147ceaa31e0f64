import type { Decision } from '../../nodes/shared/trigger/core/decide';
import { decide } from '../../nodes/shared/trigger/core/decide';
import type { Fingerprint } from '../../nodes/shared/trigger/core/memory/fingerprint';
import { Finds } from '../../nodes/shared/trigger/core/finds';
import type { Memory } from '../../nodes/shared/trigger/core/memory/memory';
import type { Sweep } from '../../nodes/shared/trigger/core/state';
import { newSweep } from '../../nodes/shared/trigger/core/state';

const SWEEP_RULES = { reader: 'sweep' as const, isAgain: false, matches: () => true, hasCensus: false };

/** What a sweep without filters decides for a record; by default one that began with the memory as it is. */
export function decisionOf(memory: Memory, fingerprint: Fingerprint, sweep: Partial<Sweep> = {}): Decision {
	const { keepsContent, horizon } = memory;
	const counts = { ...newSweep(0), horizon, ...sweep };
	const rules = { ...SWEEP_RULES, sweep: counts, keepsContent };
	return decide(memory, fingerprint, rules);
}

export const verdictOf = (memory: Memory, fingerprint: Fingerprint) => decisionOf(memory, fingerprint).verdict;

/** Whether the memory knows nothing at all of a record. */
export function isNew(memory: Memory, fingerprint: Fingerprint): boolean {
	return decide(memory, fingerprint, { reader: 'start' }).verdict === 'old';
}

/** A sweep reads a record that does not pass the filters. */
export function filterOut(memory: Memory, fingerprint: Fingerprint, { hasCensus }: { hasCensus: boolean }): void {
	const { keepsContent } = memory;
	const rules = { ...SWEEP_RULES, sweep: newSweep(0), matches: () => false, keepsContent, hasCensus };
	new Finds(memory, rules, () => undefined).visit(fingerprint);
}
