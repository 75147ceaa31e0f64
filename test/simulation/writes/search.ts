import { searchWith } from '../search';
import type { Exception } from './exceptions';
import type { Loader } from './modules';
import { checkWrites } from './oracle';
import type { Schedule } from './schedule';
import { schedules } from './schedule';
import type { Tally } from './world';
import { World } from './world';

/** Runs one schedule. @throws Violation. */
export async function simulate(load: Loader, schedule: Schedule, tally?: Tally): Promise<Set<Exception>> {
	const world = new World(load, schedule, tally);
	await world.run();
	return checkWrites(world);
}

/** Runs schedules until one fails. @throws Error with the shrunk schedule and how to keep it; its cause is the failure. */
export async function search(
	load: Loader,
	numRuns: number,
	seed: number,
	{ shrinks, tally, met }: { shrinks?: boolean; tally?: Tally; met?: Set<Exception> } = {},
): Promise<void> {
	await searchWith(
		schedules,
		async (schedule) => {
			for (const exception of await simulate(load, schedule, tally)) met?.add(exception);
		},
		{ numRuns, seed, list: 'test/simulation/writes/counterexamples.ts', ...(shrinks === undefined ? {} : { shrinks }) },
	);
}
