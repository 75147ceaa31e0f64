import { nodesLoader } from './modules.ts';
import { runAll, SMALL_SCHEDULES } from './small.ts';

const load = nodesLoader();

test('each change is made once, and none is swallowed, wherever a small workflow is troubled', async () => {
	let runs = 0;
	for (const { name, schedule, troubles } of SMALL_SCHEDULES) {
		runs += await runAll(load, schedule, troubles).catch((error: unknown) => {
			throw new Error(`${name}: ${String(error)}`, { cause: error });
		});
	}
	process.stdout.write(`[writes] ${SMALL_SCHEDULES.length} small schedules: ${runs} runs\n`);
}, 3_600_000);
