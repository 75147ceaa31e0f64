import type { Core } from './core';
import { loadCore } from './core';
import type { Counterexample } from './counterexamples';
import { CALM } from './counterexamples';
import { checkInvariants } from './invariants';
import type { Schedule } from './schedule';
import { schedules } from './schedule';
import type { Gaps } from './serviceModel';
import { COMBINATIONS, nameOf, searchWith, seedFor } from './search';
import { World } from './world';

/** Schedules for each combination; SIMULATION_SCHEDULES, of transactionTrigger.test.ts, runs more. */
const RUNS = Math.max(40, Math.ceil(Number(process.env.SIMULATION_SCHEDULES ?? 0) / COMBINATIONS.length));
const SMALL = 5;

/** Seeds with which it once failed. */
const COUNTEREXAMPLES: Counterexample[] = [
	{
		seed: 20260321,
		schedules: 324,
		found:
			'what n8n reported as not stored after five minutes no longer went back as far as what was taken back before it',
		shrunk: {
			...CALM,
			past: [],
			activation: [],
			actions: [
				{
					kind: 'poll',
					interruptions: [
						{ before: 0, after: 0, change: { kind: 'create', count: 2, late: 0, backdated: 0, status: 'paid' } },
						{ before: 50, after: 50 },
						{ before: 0, after: 0, change: { kind: 'create', count: 1, late: 0, backdated: 0, status: 'paid' } },
					],
					death: undefined,
				},
				{ kind: 'wait', ms: 253215 },
				{ kind: 'create', count: 4, late: 0, backdated: 0, status: 'paid' },
				{ kind: 'wait', ms: 748 },
				{ kind: 'create', count: 1, late: 0, backdated: 0, status: 'paid' },
				{ kind: 'wait', ms: 8117 },
				{ kind: 'wait', ms: 36470 },
				{ kind: 'poll', interruptions: [], death: undefined },
				{ kind: 'poll', interruptions: [], death: undefined },
				{ kind: 'update', pick: 0, status: 'paid' },
				{ kind: 'update', pick: 0, status: 'paid' },
				{ kind: 'wait', ms: 0 },
				{ kind: 'poll', interruptions: [], death: undefined },
			],
			refusedEvery: 2,
			toldAfter: 4,
		},
	},
];

/** The size of a state without its memory and what its passes met; the cursors of the model are short. */
const REST_OF_THE_STATE = 1_500;

/** A sweep, a census, and where the last emission began each have a pass, with 5 characters for each id. */
const MET = 3 * 5;

/** The details of one version, of which it may keep any. */
const ROW = 50;

describe('a memory too small for the traffic', () => {
	const core: Core = loadCore();
	test.each(COMBINATIONS.map((gaps) => [nameOf(gaps), gaps] as const))(
		'loses nothing and stays within its size: %s',
		async (_name, gaps) => {
			let forgot = false;
			const run = async (drawn: Schedule) => {
				const schedule: Schedule = { ...drawn, maxTransactions: 1_000, filtered: false };
				const world = new World(core, gaps, schedule, SMALL);
				// It repeats itself until the overlap has passed; the test also shows that it comes to rest.
				await world.run();
				checkInvariants(world, gaps, schedule, { repeats: true });
				const versions = world.service.kept.reduce((sum, record) => sum + record.versions.length, 0);
				forgot ||= world.service.kept.length > SMALL;
				expect(world.largestState).toBeLessThanOrEqual(
					REST_OF_THE_STATE + SMALL * 31 + world.service.kept.length * MET + versions * ROW,
				);
			};
			const each = { list: 'test/simulation/memory.test.ts', combinations: COMBINATIONS.length };
			for (const { seed, schedules: number, shrunk } of COUNTEREXAMPLES) {
				await run(shrunk);
				await searchWith(schedules, run, { ...each, numRuns: Math.ceil(number / COMBINATIONS.length), seed });
			}
			await searchWith(schedules, run, { ...each, numRuns: RUNS, seed: seedFor(gaps) });
			expect(forgot).toBe(true);
		},
		3_600_000,
	);
});

test('the counterexample finds that only what is recent goes back as far as what was not stored', async () => {
	const core = loadCore({
		file: 'pollOnce.ts',
		line: 'takeBackNotStored(begun, ports,',
		instead: 'takeBackNotStored(begun, { ...ports, pending },',
	});
	const { shrunk } = COUNTEREXAMPLES[0] as Counterexample;
	const gaps: Gaps = { order: 'descending', bound: 'exclusive', compared: 'createdAt', dateHeader: 'present' };
	const schedule = { ...shrunk, maxTransactions: 1_000 };
	const world = new World(core, gaps, schedule, SMALL);
	await world.run();
	expect(() => checkInvariants(world, gaps, schedule, { repeats: true })).toThrow('lost');
});
