import type { Breakage } from './core';
import { loadCore } from './core';
import { CALM } from './counterexamples';
import type { Schedule } from './schedule';
import { COMBINATIONS, simulate } from './search';
import type { Gaps } from './serviceModel';
import { MINUTE, SECOND } from './serviceModel';

const QUIET = { before: 50, after: 50 };
const create = (count: number) => ({ kind: 'create' as const, count, late: 0, backdated: 0, status: 'paid' });
const poll = { kind: 'poll' as const, interruptions: [] };

/** Breakages that random schedules do not find, each with a schedule that does under these gaps. */
const RARE: Array<[string, Breakage, Gaps, Schedule]> = [
	[
		'a pass ignores what it met twice',
		{ file: 'sweep.ts', line: 'if (met?.has(id) === true) steady = false;', instead: '' },
		{ order: 'ascending', bound: 'inclusive', compared: 'updatedAt', dateHeader: 'present' },
		{
			...CALM,
			maxTransactions: 1_000,
			cursors: 'offset',
			past: [],
			activation: [],
			actions: [
				create(2),
				poll,
				// The third transaction is between two that are known, and longer ago than the overlap of the next sweep.
				create(1),
				{ kind: 'wait', ms: SECOND },
				{ kind: 'update', pick: 1, status: 'paid' },
				{ kind: 'wait', ms: 12 * MINUTE },
				// The first one moves to the end of the list, and so the third one onto the page that was read already.
				{
					kind: 'poll',
					interruptions: [QUIET, { ...QUIET, change: { kind: 'update', pick: 0, status: 'paid' } }],
				},
			],
		},
	],
	[
		'a sweep that was taken back confirms what is in doubt',
		{
			file: 'pollOnce.ts',
			line: '{ ...state.sweep, startedAt, confirmsNothing: true }',
			instead: '{ ...state.sweep, startedAt }',
		},
		{ order: 'shuffled', bound: 'inclusive', compared: 'updatedAt', dateHeader: 'present' },
		{
			...CALM,
			maxTransactions: 1_000,
			past: [],
			activation: [],
			actions: [
				create(4),
				{ kind: 'wait', ms: 2 * SECOND },
				// The second pass stops after its first page.
				{ kind: 'poll', interruptions: [QUIET, QUIET, QUIET, QUIET, { ...QUIET, fault: 'time is up' }] },
				// The eighth transaction is listed before the cursor, the other three behind it.
				create(4),
				// The sweep emits the three, and the census learns the eighth.
				poll,
				{ kind: 'restart' },
				poll,
			],
		},
	],
	[
		'the census of a start date takes what occurs since for old',
		{
			file: 'census.ts',
			line: "if (census.before !== undefined && occurredAt >= census.before) return 'known';",
			instead: '',
		},
		{ order: 'ascending', bound: 'inclusive', compared: 'updatedAt', dateHeader: 'present' },
		{
			...CALM,
			maxTransactions: 1_000,
			startFrom: 'earlier',
			// Created before the start date, with a date after it, as a scheduled payment may have.
			past: [{ ...create(1), backdated: -30 * MINUTE }],
			activation: [],
			actions: [
				poll,
				{ kind: 'wait', ms: MINUTE },
				poll,
				{ kind: 'wait', ms: 20 * MINUTE },
				{ kind: 'update', pick: 0, status: 'paid' },
				poll,
			],
		},
	],
	[
		'what is pending does not go back as far as what was not stored',
		{ file: 'takeBack.ts', line: 'emission.before = first.before;', instead: 'void emission;' },
		{ order: 'ascending', bound: 'inclusive', compared: 'updatedAt', dateHeader: 'present' },
		{
			...CALM,
			maxTransactions: 1_000,
			refusedEvery: 1,
			toldAfter: 4,
			past: [create(1)],
			activation: [],
			actions: [
				{ kind: 'wait', ms: SECOND },
				create(1),
				{ kind: 'wait', ms: 10 * MINUTE },
				poll,
				create(1),
				poll,
				poll,
				poll,
				// Goes back to the first poll, and stops before the transaction that n8n did not store.
				{ kind: 'poll', interruptions: [QUIET, { ...QUIET, fault: 'outage' }] },
			],
		},
	],
	[
		'what is pending is not in doubt for the next process',
		{ file: 'pollOnce.ts', line: '[...pending, emission]', instead: '[emission]' },
		{ order: 'ascending', bound: 'inclusive', compared: 'updatedAt', dateHeader: 'present' },
		{
			...CALM,
			past: [],
			activation: [],
			refusedEvery: 2,
			toldAfter: 4,
			actions: [
				create(1),
				poll,
				// n8n does not store this execution, and ends before it says so. The poll after it reaches back less far.
				create(1),
				{ kind: 'wait', ms: 10 * MINUTE },
				poll,
				create(1),
				poll,
				{ kind: 'restart' },
			],
		},
	],
	[
		'a sweep from a date that was taken back starts later',
		{
			file: 'pollOnce.ts',
			line: 'state.sweep.startedAt ?? sweep?.startedAt ?? watermark',
			instead: 'state.sweep.startedAt',
		},
		{ order: 'ascending', bound: 'inclusive', compared: 'updatedAt', dateHeader: 'present' },
		{
			...CALM,
			startFrom: 'earlier',
			toldAfter: 4,
			past: [{ kind: 'wait', ms: 11 * MINUTE }, create(2)],
			activation: [{ ...QUIET, fault: 'outage' }],
			actions: [
				poll,
				{ kind: 'wait', ms: SECOND },
				// Created after the start, with a date before it: the sweep under way learns it in doubt.
				{ ...create(1), backdated: 30 * MINUTE },
				poll,
				{ kind: 'restart' },
				{ kind: 'wait', ms: 30 * MINUTE },
			],
		},
	],
];

describe.each(RARE)('%s', (_name, breakage, gaps, schedule) => {
	test('is found', async () => {
		await expect(simulate(loadCore(breakage), gaps, schedule)).rejects.toThrow('lost');
	});

	test('is not found where it is not', async () => {
		for (const every of COMBINATIONS) await simulate(loadCore(), every, schedule);
	});
});
