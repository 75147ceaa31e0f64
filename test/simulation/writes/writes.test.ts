import type { Exception } from '../../../scripts/lint/writeExceptions.ts';
import { SEED } from '../../support/seed.ts';
import { COUNTEREXAMPLES, NEEDS } from './counterexamples.ts';
import { nodesLoader } from './modules.ts';
import type { Schedule } from './schedule.ts';
import { search, simulate } from './search.ts';

/** Schedules in all; SIMULATION_SCHEDULES runs more. */
const SCHEDULES = Number(process.env.SIMULATION_SCHEDULES ?? 2_000);

const load = nodesLoader();

test.each(COUNTEREXAMPLES)('what failed once: $found', async ({ shrunk }) => {
	await simulate(load, shrunk);
});

test.each(Object.entries(NEEDS) as Array<[Exception, Schedule]>)(
	'the exception "%s" is needed',
	async (exception, schedule) => {
		expect([...(await simulate(load, schedule))]).toContain(exception);
	},
);

test('each change is made once, and none is swallowed', async () => {
	const tally = await search(load, SCHEDULES, SEED);
	process.stdout.write(`[writes] ${SCHEDULES} schedules, seed ${SEED}: ${JSON.stringify(tally)}\n`);
}, 3_600_000);
