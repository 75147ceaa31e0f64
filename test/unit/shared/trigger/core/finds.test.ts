import type { Rules } from '../../../../../nodes/shared/trigger/core/decide.ts';
import { Finds } from '../../../../../nodes/shared/trigger/core/finds.ts';
import type { Log } from '../../../../../nodes/shared/trigger/core/log.ts';
import { fingerprintOf } from '../../../../support/scripted/kind.ts';
import { TestMemory } from '../../../../support/scripted/memory.ts';
import { NO_LOG } from '../../../../support/scripted/pages.ts';
import { SWEEP_RULES } from '../../../../support/scripted/verdicts.ts';

const recordOf = (id: string) => ({ id, occurred_at: '2026-01-20T12:00:00Z' });
const inSweep: Rules = { ...SWEEP_RULES, keepsContent: false };

function finding(rules: Rules, maxRecords?: number) {
	const memory = new TestMemory('', { keepsContent: false });
	const logged: string[] = [];
	const log: Log = {
		...NO_LOG,
		debug: (message) => logged.push(message),
		decision: ({ id }, { verdict, because }) => logged.push(`${String(id)} ${verdict}, ${because}`),
	};
	const finds = new Finds(memory, rules, log, maxRecords);
	const visit = (id: string) => finds.visit([fingerprintOf(recordOf(id))], 0);
	return { finds, visit, logged, memory };
}

test('a new record is emitted once, and each decision is logged', () => {
	const { finds, visit, logged } = finding(inSweep);
	expect([visit('a'), visit('a'), visit('b')]).toEqual([true, true, true]);
	expect(finds.emitted).toEqual(['a', 'b'].map((id) => ({ record: recordOf(id), event: 'new' })));
	expect(logged).toEqual(['a new, not in the memory', 'a known, seen before', 'b new, not in the memory']);
});

test('beyond the most that a poll emits, a new record is left to the next poll; a known one is taken', () => {
	const { finds, visit, logged, memory } = finding(inSweep, 1);
	expect([visit('a'), visit('b'), visit('a')]).toEqual([true, false, true]);
	expect(finds.emitted).toHaveLength(1);
	const left = 'b new, not in the memory; left to the next poll';
	expect(logged).toEqual(['a new, not in the memory', left, 'a known, seen before']);
	expect(memory.compare(fingerprintOf(recordOf('b')))).toBeUndefined();
});

test('the memory learns the time of each page', () => {
	const { finds, memory } = finding(inSweep);
	const noteTime = jest.spyOn(memory, 'noteTime');
	finds.visit([], 7);
	expect(noteTime).toHaveBeenCalledWith(7);
});

test('a page that is not taken whole is forgotten last, and the log counts what is left of it', () => {
	const { finds, memory, logged } = finding(inSweep, 1);
	const keepLongest = jest.spyOn(memory, 'keepLongest');
	const page = ['a', 'b', 'c'].map((id) => fingerprintOf(recordOf(id)));
	expect(finds.visit(page.slice(0, 1), 0)).toBe(true);
	expect(keepLongest).not.toHaveBeenCalled();
	expect(finds.visit(page, 0)).toBe(false);
	expect(keepLongest).toHaveBeenCalledWith(page);
	expect(logged.at(-1)).toBe('more records on its page that are left to the next poll, too: 1');
});

test.each<[Rules, string, number]>([
	[{ reader: 'start' }, 'unchanged', 0],
	[{ reader: 'census', startDate: null }, 'unconfirmed', 1],
	[{ ...inSweep, failedFilter: () => 'Status', hasCensus: true } as Rules, 'waiting', 0],
])('what %j finds is remembered as %s', (rules, comparison, learned) => {
	const { finds, visit, memory } = finding(rules);
	visit('a');
	expect(finds.emitted).toEqual([]);
	expect(memory.compare(fingerprintOf(recordOf('a')))).toBe(comparison);
	expect(finds.learned).toBe(learned);
});

test('what the memory knows cannot be learned again: it would lose its status', () => {
	const { memory } = finding(inSweep);
	const record = fingerprintOf(recordOf('a'));
	memory.learn(record, 'unconfirmed');
	expect(() => memory.learn(record, 'known')).toThrow('to learn a record does not lead from unconfirmed to known');
});

test('a new record names no changed fields, even if the census learned it with another content', () => {
	const memory = new TestMemory('', { keepsContent: true });
	const census = new Finds(memory, { reader: 'census', startDate: null }, NO_LOG);
	const sweep = new Finds(memory, SWEEP_RULES, NO_LOG);
	census.visit([fingerprintOf({ ...recordOf('a'), status: 'pending' })], 0);
	const paid = { ...recordOf('a'), status: 'paid' };
	sweep.visit([fingerprintOf(paid)], 0);
	expect(sweep.emitted).toEqual([{ record: paid, event: 'new' }]);
});
