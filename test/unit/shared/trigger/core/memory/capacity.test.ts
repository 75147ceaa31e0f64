import { capacityFor, capacityWarning } from '../../../../../../nodes/shared/trigger/core/memory/capacity.ts';
import { watchIdOf } from '../../../../../../nodes/shared/trigger/core/memory/fingerprint.ts';
import { savedFormOf } from '../../../../../../nodes/shared/trigger/core/saved/savedForm.ts';
import { fingerprintOf, KIND } from '../../../../../support/scripted/kind.ts';
import { TestMemory } from '../../../../../support/scripted/memory.ts';
import { checkpointOf, nextAt, NOW, sweepFrom, sweepingWith } from '../../../../../support/scripted/ports.ts';

const TODAY = 20_000;

test('a memory holds as many as its characters allow', () => {
	expect([capacityFor(false, ''), capacityFor(true, ''), capacityFor(true, 'w')]).toEqual([93_333, 56_000, 40_000]);
});

test.each([
	[7, 8, /filling up: 8 of 10$/],
	[0, 9, /filling up: 9 of 10$/],
	[8, 9, undefined],
	[9, 7, undefined],
	[9, 10, /is full \(10\): those that occurred first .* count as old/],
	[0, 10, /is full \(10\)/],
	[12, 10, /is full \(10\)/],
	[10, 10, undefined],
])('from %i to %i of 10 the user reads: %s', (from, to, expected) => {
	const warning = capacityWarning(KIND, { from, to, capacity: 10 });
	if (expected === undefined) expect(warning).toBeUndefined();
	else expect(warning).toMatch(expected);
});

test('where no field says when a record occurred, what was learned first is forgotten, and new again', () => {
	const { occurredAt: _occurredAt, ...undated } = KIND;
	expect(capacityWarning(undated, { from: 0, to: 10, capacity: 10 })).toMatch(/learned first .* count as new/);
});

test.each<[string, boolean, readonly string[]]>([
	['New', false, []],
	['New or Updated', true, []],
	['fields to watch', true, ['status']],
])('the largest state stays below 1 MB: %s', (_what, keepsContent, fieldsToWatch) => {
	const capacity = capacityFor(keepsContent, watchIdOf(keepsContent ? fieldsToWatch : []));
	const memory = new TestMemory('', { keepsContent, today: TODAY, capacity, fieldsToWatch, kind: KIND });
	const YEARS = 10;
	const at = (number: number) => {
		const occurred_at = new Date((TODAY - ((number * 7) % (YEARS * 365))) * 86_400_000).toISOString();
		return fingerprintOf({ id: number, occurred_at });
	};
	// The records that the largest poll may add to the end come from any day.
	for (let number = 0; number < capacity; number++) {
		if (number < capacity - 30_000) memory.learn(at(number), 'known');
		else memory.remember(at(number), 'new');
	}
	const { text, tail, details } = memory.write();
	expect([tail.new, memory.size]).toEqual([30_000, capacity]);
	const next = nextAt('c'.repeat(1_000), { mark: 'm'.repeat(22), steps: 1e6, reach: 1e6 });
	const sweep = sweepFrom(NOW, { horizon: TODAY, startDate: NOW, startedAt: NOW, next });
	const reading = { startedAt: NOW, horizon: TODAY, startDate: NOW };
	const readings = [reading, reading];
	const census = { walk: sweep.walk, walks: 2, startDate: NOW, pages: 1e6, learned: 1e6, readAt: NOW };
	const origin = { phase: 'sweeping' as const, watermark: NOW, readings, sweep };
	const emission = { isAfterRestart: true, tail: { new: 1e5, updated: 1e5 }, origin, emittedAt: NOW };
	const last = { process: 'p'.repeat(36), ...emission };
	const checkpoint = checkpointOf(sweepingWith(sweep, { readings, census }), { memory: text, details, last });
	expect(JSON.stringify(savedFormOf(checkpoint)).length).toBeLessThan(1_000_000);
	expect(details !== '').toBe(keepsContent);
	if (keepsContent) expect(text.length + details.length).toBeGreaterThan(949_900);
});

test('fields to watch leave room for fewer: a memory that is nearly full by that is said to be, once it is written', () => {
	const settings = { keepsContent: true, today: TODAY };
	const before = new TestMemory('', settings);
	for (let number = 0; number < 33_000; number++) before.learn(fingerprintOf({ id: number }), 'known');
	const watching = (text: string) => new TestMemory(text, { ...settings, fieldsToWatch: ['status'] });
	const written = before.write();
	expect([written.warning, watching(written.text).write().warning]).toEqual([undefined, undefined]);
	const memory = watching(written.text);
	memory.remember(fingerprintOf({ id: 'new' }), 'new');
	const after = memory.write();
	expect(after.warning).toMatch(/filling up: 33001 of 40000$/);
	const later = watching(after.text);
	later.remember(fingerprintOf({ id: 'newer' }), 'new');
	expect(later.write().warning).toBeUndefined();
});
