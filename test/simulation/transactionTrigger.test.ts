import { loadCore } from './core';
import { COMBINATIONS, nameOf, search } from './search';

/** Schedules in all; SIMULATION_SCHEDULES runs more. */
const SCHEDULES = Number(process.env.SIMULATION_SCHEDULES ?? 5_000);

describe('with every combination of the gaps, nothing is lost and nothing arrives twice', () => {
	const core = loadCore();
	test.each(COMBINATIONS.map((gaps) => [nameOf(gaps), gaps] as const))(
		'%s',
		async (_name, gaps) => {
			await search(core, gaps, Math.ceil(SCHEDULES / COMBINATIONS.length));
		},
		3_600_000,
	);
});
