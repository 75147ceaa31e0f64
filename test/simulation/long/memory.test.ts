import { manualRecords } from '../../../nodes/ManualRecordTrigger/manualRecords.ts';
import type { RecordKind } from '../../../nodes/shared/trigger/core/memory/fingerprint.ts';
import { transactions } from '../../../nodes/TransactionTrigger/transactions.ts';
import { create, EMPTY, outage, poll, pollWith, QUIET, republish, restart, update, wait } from '../calm.ts';
import type { Core } from '../core.ts';
import { loadCore } from '../core.ts';
import type { Counterexample } from '../counterexamples.ts';
import { checkInvariants } from '../invariants.ts';
import type { Breakage } from '../moduleLoader.ts';
import type { Schedule } from '../schedule.ts';
import { schedules } from '../schedule.ts';
import { COMBINATIONS, nameOf, searchWith, seedFor } from '../search.ts';
import type { Gaps } from '../serviceModel.ts';
import { MINUTE, SECOND } from '../serviceModel.ts';
import { World } from '../world.ts';

/** Schedules for each combination; SIMULATION_SCHEDULES, of transactionTrigger.test.ts, runs more. */
const RUNS = Math.max(20, Math.ceil(Number(process.env.SIMULATION_SCHEDULES ?? 0) / COMBINATIONS.length));
const SMALL = 5;

/** Seeds with which it once failed. */
const COUNTEREXAMPLES: Counterexample[] = [
	{
		seed: 20260321,
		schedules: 324,
		found:
			'what n8n reported as not stored after five minutes no longer went back as far as what was redelivered before it',
		shrunk: {
			...EMPTY,
			actions: [
				pollWith({ before: 0, after: 0, change: create(2) }, QUIET, { before: 0, after: 0, change: create(1) }),
				wait(253215),
				create(4),
				wait(748),
				create(1),
				wait(8117),
				wait(36470),
				poll,
				poll,
				update(0),
				update(0),
				wait(0),
				poll,
			],
			rejectedEvery: 2,
			toldAfter: 4,
		},
	},
];

/** The size of a state without its memory and its details; the cursors of the model are short. */
const REST_OF_THE_STATE = 1_500;

/** The details of one version, of which it may keep any. */
const ROW = 50;

async function run(core: Core, gaps: Gaps, schedule: Schedule, kind?: RecordKind): Promise<World> {
	const world = new World(core, gaps, schedule, { capacity: SMALL, ...(kind && { kind }) });
	// It repeats itself until the overlap has passed; the test also shows that it comes to rest.
	await world.run();
	checkInvariants(world, gaps, schedule, { repeats: true });
	return world;
}

describe.each([
	['transactions', transactions.kind],
	['manual records', manualRecords.kind],
])('a memory too small for the traffic: %s', (_what, kind) => {
	const core = loadCore();
	test.each(COMBINATIONS.map((gaps) => [nameOf(gaps), gaps] as const))(
		'loses nothing and stays within its size: %s',
		async (_name, gaps) => {
			let forgot = false;
			const check = async (drawn: Schedule) => {
				const world = await run(core, gaps, { ...drawn, maxRecords: 1_000, filtered: false }, kind);
				const versions = world.service.kept.reduce((sum, record) => sum + record.versions.length, 0);
				forgot ||= world.service.kept.length > SMALL;
				expect(world.largestState).toBeLessThanOrEqual(REST_OF_THE_STATE + SMALL * 31 + versions * ROW);
			};
			const each = { list: 'test/simulation/long/memory.test.ts', combinations: COMBINATIONS.length };
			for (const { shrunk } of COUNTEREXAMPLES) await check(shrunk);
			await searchWith(schedules, check, { ...each, numRuns: RUNS, seed: seedFor(gaps) });
			expect(forgot).toBe(true);
		},
		3_600_000,
	);
});

const FROM_DATE: Omit<Schedule, 'actions'> = { ...EMPTY, startFrom: 'earlier', maxRecords: 1_000 };

/** What a memory that forgets would lose of a start date: created after it, with an earlier date, so learned unconfirmed. */
const FORGETTING: Array<[name: string, breakage: Breakage, gaps: Gaps, schedule: Schedule]> = [
	[
		'while the last of the sweeps from a date is under way',
		{ file: 'period.ts', line: 'watermark: earliestStart(counted)', instead: 'watermark: reading.startedAt' },
		{ order: 'descending', bound: 'inclusive', compared: 'updatedAt', dateHeader: 'present' },
		{
			...FROM_DATE,
			past: [wait(599_000)],
			readsPerPoll: 3,
			actions: [
				poll,
				wait(488),
				{ ...poll, death: 'state saved, execution not stored' },
				poll,
				poll,
				poll,
				create(3),
				{ ...poll, death: 'execution stored, state not saved' },
				create(2),
				poll,
				{ ...poll, death: 'state saved, execution not stored' },
				create(1, 3_101),
			],
		},
	],
	[
		'after the last of the sweeps from a date',
		{ file: 'period.ts', line: 'stays ? watermark : earliestStart(readings)', instead: 'earliestStart(readings)' },
		{ order: 'shuffled', bound: 'exclusive', compared: 'updatedAt', dateHeader: 'absent' },
		{
			...FROM_DATE,
			event: 'new or updated',
			activation: [outage],
			actions: [create(3), wait(10 * MINUTE - 50), create(3, SECOND + 1), restart, republish()],
		},
	],
];

describe.each(FORGETTING)('what is unconfirmed and forgotten %s', (_name, breakage, gaps, schedule) => {
	test('is lost where the next sweep does not reach back behind the first', async () => {
		await expect(run(loadCore(breakage), gaps, schedule)).rejects.toThrow('lost');
	});

	test('is not lost', async () => {
		for (const every of COMBINATIONS) await run(loadCore(), every, schedule);
	});
});
