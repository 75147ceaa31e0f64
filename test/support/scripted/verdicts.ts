import type { Decision, SweepRules } from '../../../nodes/shared/trigger/core/decide.ts';
import { decide } from '../../../nodes/shared/trigger/core/decide.ts';
import { Finds } from '../../../nodes/shared/trigger/core/finds.ts';
import type { EmittedKeys } from '../../../nodes/shared/trigger/core/memory/emitted.ts';
import type { Tail } from '../../../nodes/shared/trigger/core/memory/emitted.ts';
import { emittedLast, redeliveredEntries } from '../../../nodes/shared/trigger/core/memory/emitted.ts';
import type { Fingerprint } from '../../../nodes/shared/trigger/core/memory/fingerprint.ts';
import type { Memory } from '../../../nodes/shared/trigger/core/memory/memory.ts';
import { readMemory, writeMemory } from '../../../nodes/shared/trigger/core/memory/text.ts';
import { NO_LOG } from './pages.ts';

/** Returns a memory without what some polls emitted, oldest first. */
export function without(text: string, keepsContent: boolean, emissions: readonly EmittedKeys[]): string {
	const memory = readMemory(text, keepsContent);
	for (const [id, entry] of redeliveredEntries(memory, emissions, 0)) memory.entries.set(id, entry);
	return writeMemory(memory);
}

/** Returns a memory without what is at its end, as another process redelivers it. */
export function withoutLast(text: string, keepsContent: boolean, last: Tail): string {
	return without(text, keepsContent, [emittedLast(readMemory(text, keepsContent), last)]);
}

/** The rules of the first sweep that reads the same, without filters and without a census. */
export const SWEEP_RULES: SweepRules = {
	reader: 'sweep',
	firstHorizon: 0,
	sweepHorizon: 0,
	startDate: null,
	failedFilter: () => undefined,
	keepsContent: true,
	hasCensus: false,
};

/** Returns what a sweep without filters decides for a record; by default one that began with the memory as it is. */
export function decisionOf(memory: Memory, fingerprint: Fingerprint, over: Partial<SweepRules> = {}): Decision {
	const { keepsContent } = memory.options;
	const { horizon: firstHorizon } = memory;
	return decide(memory, fingerprint, { ...SWEEP_RULES, firstHorizon, keepsContent, ...over });
}

export const verdictOf = (memory: Memory, fingerprint: Fingerprint) => decisionOf(memory, fingerprint).verdict;

/** Whether the memory knows nothing at all of a record. */
export function isNew(memory: Memory, fingerprint: Fingerprint): boolean {
	return decide(memory, fingerprint, { reader: 'start' }).verdict === 'old';
}

/** A sweep reads a record that does not pass the filters. */
export function filterOut(memory: Memory, fingerprint: Fingerprint, { hasCensus }: { hasCensus: boolean }): void {
	const { keepsContent } = memory.options;
	const rules = { ...SWEEP_RULES, failedFilter: () => 'Status', keepsContent, hasCensus };
	new Finds(memory, rules, NO_LOG).visit([fingerprint], 0);
}
