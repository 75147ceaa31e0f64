import { inspect } from 'node:util';
import fc from 'fast-check';
import type { RecordKind } from '../../nodes/shared/trigger/core/memory/fingerprint.ts';
import { SEED } from '../support/seed.ts';
import type { Core } from './core.ts';
import { checkInvariants } from './invariants.ts';
import type { Schedule } from './schedule.ts';
import { schedules } from './schedule.ts';
import type { Gaps } from './serviceModel.ts';
import { World } from './world.ts';

/** SIMULATION_SHRINK=no does not shrink a failing schedule, for runs that only need to know that one fails. */
const SHRINKS = process.env.SIMULATION_SHRINK !== 'no';

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

/** Returns the seed of a combination. With one seed, all combinations would run the same schedules. */
export function seedFor(gaps: Gaps): number {
	return SEED + COMBINATIONS.indexOf(gaps);
}

export async function simulate(core: Core, gaps: Gaps, schedule: Schedule, kind?: RecordKind): Promise<void> {
	const world = new World(core, gaps, schedule, kind && { kind });
	await world.run();
	checkInvariants(world, gaps, schedule);
}

/** Runs schedules until one fails. @throws Error with the shrunk schedule and how to keep it; its cause is the failure. */
export async function search(
	core: Core,
	gaps: Gaps,
	numRuns: number,
	seed: number | string = seedFor(gaps),
	shrinks = SHRINKS,
	kind?: RecordKind,
): Promise<void> {
	await searchWith(schedules, async (schedule) => await simulate(core, gaps, schedule, kind), {
		numRuns,
		seed,
		list: 'test/simulation/counterexamples.ts',
		combinations: COMBINATIONS.length,
		shrinks,
	});
}

/** Returns the failure with which a schedule or a search ended; `undefined` if there was none. */
export async function failureOf(run: Promise<unknown>): Promise<Error | undefined> {
	return await run.then(
		() => undefined,
		(error: Error) => (error.cause instanceof Error ? error.cause : error),
	);
}

/** Searches with any `run` of a schedule; `list` is the file of the seeds that run each time, with all `combinations`. */
export async function searchWith<Any>(
	all: fc.Arbitrary<Any>,
	run: (schedule: Any) => Promise<void>,
	{
		numRuns,
		seed,
		list,
		combinations = 1,
		shrinks = SHRINKS,
	}: { numRuns: number; seed: number | string; list: string; combinations?: number; shrinks?: boolean },
): Promise<void> {
	const found = await fc.check(fc.asyncProperty(all, run), { numRuns, endOnFailure: !shrinks, seed: Number(seed) });
	if (!found.failed) return;
	const whole = { depth: Infinity, breakLength: Infinity, maxArrayLength: Infinity };
	const shrunk = inspect(found.counterexample?.[0], whole);
	const keep = `To have npm test run it from now on, add this line to ${list}:\n{ seed: ${found.seed}, schedules: ${found.numRuns * combinations}, found: 'say here what was wrong', shrunk: ${shrunk} },`;
	throw new Error(`${fc.defaultReportMessage(found)}\n\n${keep}`, { cause: found.errorInstance });
}
