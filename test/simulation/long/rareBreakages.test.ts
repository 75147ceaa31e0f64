import { CALM, create, EMPTY, outage, poll, pollWith, QUIET, requestAfter, restart, update, wait } from '../calm.ts';
import { loadCore } from '../core.ts';
import type { Breakage } from '../moduleLoader.ts';
import type { Schedule } from '../schedule.ts';
import { COMBINATIONS, simulate } from '../search.ts';
import type { Gaps } from '../serviceModel.ts';
import { MINUTE, SECOND } from '../serviceModel.ts';

const later = wait(10 * MINUTE);
const minute = wait(MINUTE);

const USUAL: Gaps = { order: 'ascending', bound: 'inclusive', compared: 'updatedAt', dateHeader: 'present' };
/** Large polls of a list whose cursor is an offset into it. */
const SHIFTING = { ...EMPTY, maxRecords: 1_000, cursors: 'offset' as const };

/** Breakages that random schedules do not find, or not soon, each with a schedule that does under these gaps. */
const RARE: Array<[name: string, breakage: Breakage, gaps: Gaps, schedule: Schedule, found?: string]> = [
	[
		'what was new and has changed since, in one execution that n8n did not store, has only changed',
		{
			file: 'memory/emitted.ts',
			line: 'flatMap((keys) => keys.new.map(',
			instead:
				'flatMap((keys) => keys.new.filter((key) => !keys.updated.some((other) => other.startsWith(key.slice(0, ID_LENGTH)))).map(',
		},
		USUAL,
		{
			...EMPTY,
			event: 'new or updated',
			maxRecords: 1_000,
			rejectedEvery: 1,
			actions: [
				wait(SECOND),
				create(2),
				// The first one moves to the end of the list.
				pollWith(QUIET, requestAfter(update(0))),
			],
		},
		'never new',
	],
	[
		"an activation during an outage uses the local clock for the service's",
		{ file: 'start.ts', line: 'state.activatedAt + (asOf - ports.now())', instead: 'state.activatedAt' },
		USUAL,
		{
			...CALM,
			event: 'new or updated',
			skew: 15 * MINUTE,
			past: [],
			activation: [outage],
			actions: [wait(SECOND), create(1), wait(8 * MINUTE), poll],
		},
	],
	[
		'the last emission is forgotten, but not where it began',
		{
			file: 'pollOnce.ts',
			line: 'redelivered.map((one) => one.origin)',
			instead: 'redelivered.map(() => positionOf(saved))',
		},
		USUAL,
		{
			...EMPTY,
			maxRecords: 1_000,
			rejectedEvery: 1,
			toldAfter: 4,
			actions: [
				wait(SECOND),
				create(1),
				later,
				poll,
				poll,
				poll,
				create(1),
				{ ...poll, death: 'state saved, execution not stored' },
			],
		},
	],
	[
		'everything is read once',
		{ file: 'period.ts', line: 'READINGS = 3', instead: 'READINGS = 1' },
		USUAL,
		{
			...SHIFTING,
			deletes: true,
			actions: [
				create(3),
				poll,
				wait(SECOND),
				create(1),
				later,
				// The first one is deleted, and so the fourth one moves onto a page that was read already.
				pollWith(QUIET, QUIET, QUIET, requestAfter(update(0))),
				later,
			],
		},
	],
	[
		'everything is read twice',
		{ file: 'period.ts', line: 'READINGS = 3', instead: 'READINGS = 2' },
		USUAL,
		{
			...SHIFTING,
			actions: [
				create(3),
				poll,
				wait(MINUTE),
				poll,
				wait(MINUTE),
				poll,
				create(1),
				wait(SECOND),
				update(2),
				wait(12 * MINUTE),
				// One in front of it moves to the end of the list, and so the fourth one onto a page that was read already.
				pollWith(QUIET, QUIET, requestAfter(update(0))),
				wait(12 * MINUTE),
				pollWith(QUIET, requestAfter(update(1))),
				wait(12 * MINUTE),
			],
		},
	],
	[
		'a sweep of several pages that may have skipped it confirms what is unconfirmed',
		{ file: 'pollOnce.ts', line: 'confirm({ ...walked,', instead: 'confirm({ ...walked, hadOnePage: true,' },
		USUAL,
		{
			...SHIFTING,
			actions: [
				wait(SECOND),
				create(3),
				pollWith(
					...[QUIET, QUIET, QUIET],
					// The census learns the fourth record, and the sweep after it skips that.
					...[QUIET, QUIET, requestAfter(create(1)), QUIET],
					...[QUIET, QUIET, QUIET, requestAfter(update(0))],
				),
			],
		},
	],
	[
		'the sweep from a date confirms what it has learned itself',
		{ file: 'pollOnce.ts', line: "if (sweep.mode.kind === 'usual')", instead: "if (sweep.mode.kind !== 'redelivers')" },
		USUAL,
		{
			...CALM,
			startFrom: 'earlier',
			past: [wait(11 * MINUTE)],
			activation: [],
			// Created after the start, with a date before it.
			actions: [wait(SECOND), { ...create(1), backdated: 30 * MINUTE }, poll],
		},
	],
	[
		'what does not pass the filters yet is learned by the census',
		{ file: 'decide.ts', line: "verdict: mayBeNew ? 'waiting' : 'ignored'", instead: "verdict: 'ignored'" },
		USUAL,
		{
			...EMPTY,
			filtered: true,
			actions: [wait(SECOND), { ...create(1), status: 'pending' }, poll, later, poll, update(0)],
		},
	],
	[
		'a sweep that continues after a redelivery confirms what is unconfirmed',
		{ file: 'cycle.ts', line: 'sweep: { ...sweep, walk, mode } }', instead: 'sweep: { ...sweep, walk } }' },
		{ order: 'shuffled', bound: 'inclusive', compared: 'updatedAt', dateHeader: 'present' },
		{
			...EMPTY,
			maxRecords: 1_000,
			filtered: true,
			rejectedEvery: 1,
			actions: [
				create(3),
				// It comes first, and does not pass the filters.
				{ ...create(1), status: 'pending' },
				pollWith({ ...QUIET, fault: 'time is up' }),
				// The eighth record is listed before the cursor, the other three behind it.
				create(4),
				// The sweep emits what is behind the cursor, the census learns the eighth, and the next sweep fails. n8n stores nothing.
				pollWith(...Array.from({ length: 6 + 8 }, () => QUIET), outage),
				poll,
				poll,
				poll,
			],
		},
	],
	[
		'the census of a start date takes what occurs since for old',
		{ file: 'decide.ts', line: 'rules.startDate !== null && occurredAt >= rules.startDate', instead: 'false' },
		USUAL,
		{
			...CALM,
			maxRecords: 1_000,
			startFrom: 'earlier',
			// Created before the start date, with a date after it, as a scheduled payment may have.
			past: [{ ...create(1), backdated: -30 * MINUTE }],
			activation: [],
			actions: [poll, wait(11 * MINUTE), poll, minute, poll, minute, poll, wait(20 * MINUTE), update(0), poll],
		},
	],
	[
		'what is unacknowledged does not go back as far as what was not stored',
		{ file: 'position.ts', line: 'furthestBack([emission.origin], origin)', instead: 'emission.origin' },
		USUAL,
		{
			...EMPTY,
			maxRecords: 1_000,
			rejectedEvery: 1,
			toldAfter: 10,
			actions: [
				...Array.from({ length: 4 }, () => [minute, poll]).flat(),
				// Three executions that are not stored, which n8n says ten polls later of each.
				...[create(1), minute, poll, minute, poll, minute, poll, minute, poll],
				...[create(1), minute, poll, minute, poll],
				...[create(1), minute, poll],
				...Array.from({ length: 3 }, () => [minute, poll]).flat(),
				// Goes back for the first one, and reads all three times. Then it stops after the second one, which it knows.
				...[minute, poll, minute, poll, minute, poll, minute, pollWith(QUIET, QUIET, outage)],
				// Goes back for the second one.
				...[minute, poll, minute, poll, minute, poll, minute, poll],
			],
		},
	],
	[
		'what is unacknowledged is not redelivered by the next process',
		{ file: 'delivery.ts', line: '[...inFlight, emission]', instead: '[emission]' },
		USUAL,
		{
			...EMPTY,
			rejectedEvery: 2,
			toldAfter: 4,
			actions: [
				create(1),
				poll,
				// n8n does not store this execution, and ends before it says so. The poll after it reaches back less far.
				create(1),
				later,
				poll,
				poll,
				poll,
				create(1),
				poll,
				restart,
			],
		},
	],
	[
		'a sweep from a date begins with its first page, not with the activation',
		{ file: 'cycle.ts', line: '{ ...newWalk(startDate), startedAt }', instead: 'newWalk(startDate)' },
		USUAL,
		{
			...CALM,
			startFrom: 'earlier',
			maxRecords: 1_000,
			past: [wait(11 * MINUTE)],
			activation: [outage],
			// Created after the start, with a date before it: the sweep learns it, unconfirmed.
			actions: [wait(SECOND), create(1, 30 * MINUTE), wait(30 * MINUTE), poll],
		},
	],
];

describe.each(RARE)('%s', (_name, breakage, gaps, schedule, found = 'lost') => {
	test('is found', async () => {
		await expect(simulate(loadCore(breakage), gaps, schedule)).rejects.toThrow(found);
	});

	test('is not found where it is not', async () => {
		for (const every of COMBINATIONS) await simulate(loadCore(), every, schedule);
	});
});
