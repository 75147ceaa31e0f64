import { capacityFor, capacityWarning } from '../../../../../../nodes/shared/trigger/core/memory/capacity';
import { KIND } from '../../../../../support/scripted/kind';

test('a memory holds as many as its characters allow', () => {
	expect([capacityFor(false), capacityFor(true), capacityFor(true, 'w')]).toEqual([93_333, 56_000, 40_000]);
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
