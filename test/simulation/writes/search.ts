import type { Exception } from '../../../scripts/lint/writeExceptions.ts';
import { searchWith } from '../search';
import type { NodesLoader } from './modules';
import { checkWrites } from './oracle';
import type { Schedule } from './schedule';
import { schedules } from './schedule';
import type { Tally } from './world';
import { World } from './world';

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
