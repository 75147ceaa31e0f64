import type { Core } from './core';
import { loadCore } from './core';
import type { Counterexample } from './counterexamples';
import { checkInvariants } from './invariants';
import type { Schedule } from './schedule';
import { COMBINATIONS, nameOf, searchWith, seedFor } from './search';
import { World } from './world';

/** Schedules for each combination; SIMULATION_SCHEDULES, of transactionTrigger.test.ts, runs more. */
const RUNS = Math.max(40, Math.ceil(Number(process.env.SIMULATION_SCHEDULES ?? 0) / COMBINATIONS.length));
const SMALL = 5;

/** Seeds with which it once failed. */
const COUNTEREXAMPLES: Counterexample[] = [];

/** The size of a state without its memory; the cursors of the model are short. */
const REST_OF_THE_STATE = 1_520;

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
				forgot ||= world.service.kept.length > SMALL;
				expect(world.largestState).toBeLessThanOrEqual(REST_OF_THE_STATE + SMALL * 25);
			};
			const list = 'test/simulation/memory.test.ts';
			for (const { seed, schedules, shrunk } of COUNTEREXAMPLES) {
				await run(shrunk);
				await searchWith(run, { numRuns: Math.ceil(schedules / COMBINATIONS.length), seed, list });
			}
			await searchWith(run, { numRuns: RUNS, seed: seedFor(gaps), list });
			expect(forgot).toBe(true);
		},
		3_600_000,
	);
});
