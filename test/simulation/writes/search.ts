import type { Exception } from '../../../scripts/lint/writeExceptions.ts';
import { searchWith } from '../search.ts';
import type { NodesLoader } from './modules.ts';
import { checkWrites } from './oracle.ts';
import type { Schedule } from './schedule.ts';
import { schedules } from './schedule.ts';
import type { Tally } from './world.ts';
import { World } from './world.ts';

/** Runs one schedule. Returns the exceptions that it needed. @throws Violation. */
export async function simulate(load: NodesLoader, schedule: Schedule, tally?: Tally): Promise<Set<Exception>> {
	const world = new World(load, schedule, tally);
	await world.run();
	return checkWrites(world);
}

/** Runs schedules until one fails. @throws Error with the shrunk schedule and how to keep it; its cause is the failure. */
export async function search(
	load: NodesLoader,
	numRuns: number,
	seed: number,
	{ shrinks }: { shrinks?: boolean } = {},
): Promise<Tally> {
	const tally = { executions: 0, kills: 0, retries: 0, requests: 0, 'runs of our nodes': 0 };
	await searchWith(
		schedules,
		async (schedule) => {
			await simulate(load, schedule, tally);
		},
		{ numRuns, seed, list: 'test/simulation/writes/counterexamples.ts', ...(shrinks === undefined ? {} : { shrinks }) },
	);
	return tally;
}
