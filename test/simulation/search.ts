import fc from 'fast-check';
import type { Core } from './core';
import { checkInvariants } from './invariants';
import type { Schedule } from './schedule';
import { schedules } from './schedule';
import type { Gaps } from './serviceModel';
import { World } from './world';

/** SIMULATION_SEED repeats a run whose seed fast-check has named. */
const SEED = process.env.SIMULATION_SEED;

/** SIMULATION_SHRINK=no leaves a schedule that fails as long as it is: for who only wants to know that one does. */
const ENDS_AT_ONCE = process.env.SIMULATION_SHRINK === 'no';

/** Every combination of the gaps. */
export const COMBINATIONS: Gaps[] = (['ascending', 'descending', 'shuffled'] as const).flatMap((order) =>
	(['inclusive', 'exclusive'] as const).flatMap((bound) =>
		(['updatedAt', 'createdAt', 'occurredAt'] as const).flatMap((compared) =>
			(['present', 'absent'] as const).map((dateHeader) => ({ order, bound, compared, dateHeader })),
		),
	),
);

export function nameOf({ order, bound, compared, dateHeader }: Gaps): string {
	return `${order}, ${bound}, ${compared}, Date ${dateHeader}`;
}

export async function simulate(core: Core, gaps: Gaps, schedule: Schedule): Promise<void> {
	const world = new World(core, gaps, schedule);
	await world.run();
	checkInvariants(world, gaps, schedule);
}

/** Runs schedules until one fails; fast-check then shrinks it and names the seed. */
export async function search(core: Core, gaps: Gaps, numRuns: number, seed: string | undefined = SEED): Promise<void> {
	await fc.assert(
		fc.asyncProperty(schedules, async (schedule) => await simulate(core, gaps, schedule)),
		{ numRuns, endOnFailure: ENDS_AT_ONCE, ...(seed === undefined ? {} : { seed: Number(seed) }) },
	);
}

