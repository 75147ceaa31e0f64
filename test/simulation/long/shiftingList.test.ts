import { manualRecords } from '../../../nodes/ManualRecordTrigger/manualRecords.ts';
import type { Started } from '../../../nodes/shared/trigger/core/state.ts';
import { positionOf } from '../../../nodes/shared/trigger/core/state.ts';
import { transactions } from '../../../nodes/TransactionTrigger/transactions.ts';
import type { Core } from '../core.ts';
import { loadCore } from '../core.ts';
import { MINUTE } from '../serviceModel.ts';
import type { ListOptions, Traffic } from '../shiftingList.ts';
import { ShiftingList } from '../shiftingList.ts';

const HOUR = 60 * MINUTE;
// API document, Limits.
const READS_A_MINUTE = 120;

const core = loadCore();
const readingOnce = loadCore({ file: 'period.ts', line: 'READINGS = 3', instead: 'READINGS = 1' });

/**
 * Returns a trigger that knows so many records. All change, and one more is created, before it polls again after an hour.
 */
async function afterAnOutage(on: Core, known: number): Promise<{ list: ShiftingList; unknown: string }> {
	const list = new ShiftingList(on);
	list.create(known);
	while (list.state?.phase === undefined || list.state.phase === 'starting' || list.state.census !== null) {
		await list.poll();
		list.pass(MINUTE);
	}
	list.pass(HOUR);
	// It is the first one of the second page.
	list.changeAll(100);
	list.pass(HOUR);
	return { list, unknown: `tx_${known + 1}` };
}

describe('when a record moves out of the list in front of it, the only new one of many is skipped, and found by the next sweep', () => {
	const MOVES = ['change', 'remove'] as const;
	test.each([300, 1_500, 20_000].flatMap((known) => MOVES.map((move) => [known, move] as const)))(
		'%i known ones, %s of one',
		async (known, move) => {
			for (const [on, found] of [
				[readingOnce, false],
				[core, true],
			] as const) {
				const { list, unknown } = await afterAnOutage(on, known);
				list.atPage.set(2, () => list[move](0));
				await list.poll();
				expect(list.arrived.has(unknown)).toBe(false);
				list.atPage.clear();
				await list.run(5 * HOUR, HOUR);
				expect([on === core, list.arrived.has(unknown)]).toEqual([on === core, found]);
				expect(list.repeated()).toEqual([]);
			}
		},
	);
});

const KINDS = [
	['transactions', transactions.kind],
	['manual records', manualRecords.kind],
] as const;

describe.each(KINDS)('a list that never stands still: %s', (_what, kind) => {
	const A_CHANGE_IN_10_S: Traffic = { changed: 0.1 };
	const BUSY: Traffic = { changed: 1, created: 0.3, deleted: 0.05 };

	// Three sweeps of the backlog, three readings of the census, and what the polls after that read.
	test.each<[count: number, every: number, traffic: Traffic, hours: number, options: ListOptions, most: number]>([
		[15_000, MINUTE, A_CHANGE_IN_10_S, 2, {}, 3 * 150 + 3 * 150 + 130 * 5],
		[20_000, MINUTE, {}, 1, { pagesOverlap: true }, 3 * 203 + 3 * 203 + 70 * 7],
		[300, MINUTE, BUSY, 2, {}, 3 * 3 + 3 * 100 + 130 * 7],
		[20_000, 15 * MINUTE, BUSY, 6, {}, 3 * 200 + 3 * 300 + 32 * 35],
		[3_000, HOUR, BUSY, 8, { pagesOverlap: true }, 3 * 31 + 3 * 150 + 16 * 60],
		[20_000, HOUR, BUSY, 12, { order: 'descending' }, 3 * 250 + 3 * 350 + 20 * 60],
	])(
		'%i records, a poll each %i ms, %p: all arrive once, every sweep ends, and the rate limit lasts',
		async (count, every, traffic, hours, options, most) => {
			const startFrom = Date.parse('2026-03-01T11:00:00Z');
			const list = new ShiftingList(core, { keepsContent: true, startFrom }, { ...options, kind });
			list.create(count);
			list.pass(1_000);
			list.traffic = traffic;
			await list.run(hours * HOUR, every);
			list.traffic = {};
			await list.run(8 * every, every);
			expect([list.lost(), list.repeated()]).toEqual([[], []]);
			const { phase, watermark } = positionOf(list.state as Started);
			expect(phase).toBe('between');
			expect(list.now - (watermark ?? 0)).toBeLessThan(4 * every + MINUTE);
			expect(list.mostRequestsIn(MINUTE)).toBeLessThanOrEqual(READS_A_MINUTE);
			expect(list.requests.length).toBeLessThan(most);
		},
	);
});
