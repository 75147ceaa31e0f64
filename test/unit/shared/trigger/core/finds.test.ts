import type { Rules } from '../../../../../nodes/shared/trigger/core/decide.ts';
import { Finds } from '../../../../../nodes/shared/trigger/core/finds.ts';
import { Memory } from '../../../../../nodes/shared/trigger/core/memory/memory.ts';
import { fingerprintOf } from '../../../../support/scripted/kind.ts';
import { SWEEP_RULES } from '../../../../support/verdicts.ts';

const recordOf = (id: string) => ({ id, occurred_at: '2026-01-20T12:00:00Z' });
const inSweep: Rules = { ...SWEEP_RULES, keepsContent: false };

function finding(rules: Rules, maxRecords?: number) {
	const memory = new Memory('', { keepsContent: false });
	const logged: string[] = [];
	const finds = new Finds(memory, rules, ({ id }, { verdict }) => logged.push(`${String(id)} ${verdict}`), maxRecords);
	const visit = (id: string) => finds.visit(fingerprintOf(recordOf(id)));
	return { finds, visit, logged, memory };
}

test('a new record is emitted once, and each decision is logged', () => {
	const { finds, visit, logged } = finding(inSweep);
	expect([visit('a'), visit('a'), visit('b')]).toEqual([true, true, true]);
	expect(finds.emitted).toEqual([
		{ record: recordOf('a'), event: 'new' },
		{ record: recordOf('b'), event: 'new' },
	]);
	expect(logged).toEqual(['a new', 'a known', 'b new']);
});

test('beyond the most that a poll emits, a new record is left to the next poll; a known one is taken', () => {
	const { finds, visit, logged, memory } = finding(inSweep, 1);
	expect([visit('a'), visit('b'), visit('a')]).toEqual([true, false, true]);
	expect(finds.emitted).toHaveLength(1);
	expect(logged).toEqual(['a new', 'b new', 'a known']);
	expect(memory.entryOf(fingerprintOf(recordOf('b')))).toBeUndefined();
});

test.each<[Rules, string, number]>([
	[{ reader: 'start' }, 'known', 0],
	[{ reader: 'census' }, 'unconfirmed', 1],
	[{ ...inSweep, matches: () => false, hasCensus: true } as Rules, 'waiting', 0],
])('what %j finds is remembered as %s', (rules, status, learned) => {
	const { finds, visit, memory } = finding(rules);
	visit('a');
	expect(finds.emitted).toEqual([]);
	expect(memory.entryOf(fingerprintOf(recordOf('a')))).toMatchObject({ status });
	expect(finds.learned).toBe(learned);
});
