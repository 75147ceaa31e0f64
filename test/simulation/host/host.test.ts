import { SEED } from '../../support/seed.ts';
import { COUNTEREXAMPLES } from './counterexamples.ts';
import { pollerLoader, search, simulate } from './world.ts';

/** Schedules in all; SIMULATION_SCHEDULES runs more. */
const SCHEDULES = Math.ceil(Number(process.env.SIMULATION_SCHEDULES ?? 2_000) * 0.1);

const load = pollerLoader();

test.each(COUNTEREXAMPLES)('what failed once: $found', async ({ shrunk }) => {
	await simulate(load, shrunk);
});

test('nothing is lost and nothing repeated beyond what docs/triggers.md says, whatever n8n does', async () => {
	await search(load, SCHEDULES, SEED);
}, 3_600_000);
