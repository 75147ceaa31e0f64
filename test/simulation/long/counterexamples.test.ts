import { loadCore } from '../core';
import { COUNTEREXAMPLES } from '../counterexamples';
import { COMBINATIONS, nameOf, search, simulate } from '../search';

describe.each(COUNTEREXAMPLES)('what failed once: seed $seed', ({ seed, schedules, shrunk }) => {
	const core = loadCore();
	test.each(COMBINATIONS.map((gaps) => [nameOf(gaps), gaps] as const))('%s', async (_name, gaps) => {
		await simulate(core, gaps, shrunk);
		await search(core, gaps, Math.ceil(schedules / COMBINATIONS.length), String(seed));
	});
});
