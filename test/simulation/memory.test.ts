import fc from 'fast-check';
import type { Core } from './core';
import { loadCore } from './core';
import { checkInvariants } from './invariants';
import type { Schedule } from './schedule';
import { schedules } from './schedule';
import { COMBINATIONS, nameOf } from './search';
import { World } from './world';

const RUNS = 40;
const SMALL = 5;

/** What a state takes beside its memory; the cursors of the model are short. */
const REST_OF_THE_STATE = 700;

describe('a memory too small for the traffic', () => {
	const core: Core = loadCore();
	test.each(COMBINATIONS.map((gaps) => [nameOf(gaps), gaps] as const))('loses nothing and stays within its size: %s', async (_name, gaps) => {
		let forgot = false;
		await fc.assert(
			fc.asyncProperty(schedules, async (drawn) => {
				const schedule: Schedule = { ...drawn, maxTransactions: 1_000, filtered: false };
				const world = new World(core, gaps, schedule, SMALL);
				// It repeats itself until the overlap has passed; that it comes to rest is part of what is shown.
				await world.run();
				checkInvariants(world, gaps, schedule, { repeats: true });
				forgot ||= world.service.kept.length > SMALL;
				expect(world.largestState).toBeLessThanOrEqual(REST_OF_THE_STATE + SMALL * 15);
			}),
			{ numRuns: RUNS },
		);
		expect(forgot).toBe(true);
	});
});
