import { SEED } from '../../support/seed';
import type { Exception } from './exceptions';
import { EXCEPTIONS } from './exceptions';
import { loaderOf } from './modules';
import { search } from './search';

/** Schedules in all; SIMULATION_SCHEDULES runs more. */
const SCHEDULES = Number(process.env.SIMULATION_SCHEDULES ?? 2_000);

test('each change is made once, none is swallowed, and the exceptions are those of the documentation', async () => {
	const met = new Set<Exception>();
	const tally = { executions: 0, kills: 0, retries: 0, requests: 0, 'runs of our nodes': 0 };
	const began = Date.now();
	await search(loaderOf(), SCHEDULES, SEED, { tally, met });
	process.stdout.write(JSON.stringify({ ...tally, ms: Date.now() - began, met: [...met] }) + '\n');
	expect([...met].sort()).toEqual(Object.keys(EXCEPTIONS).sort());
}, 3_600_000);
