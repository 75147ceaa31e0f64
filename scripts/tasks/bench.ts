import { Bench } from '../../bench/bench.ts';
import { benchBudget } from '../../bench/budget.ts';
import { benchPolls } from '../../bench/poll.ts';
import { benchReads } from '../../bench/reads.ts';
import { benchWrites } from '../../bench/writes.ts';
import { reportFailure } from '../lib/steps.ts';

/** Measures everything in one run: the ratios count, the seconds are this machine's. */
async function run(): Promise<void> {
	const bench = await Bench.start();
	try {
		await benchReads(bench);
		await benchBudget(bench);
		await benchWrites(bench);
		await benchPolls(bench);
	} finally {
		await bench.stop();
	}
}

process.exitCode = await run().then(() => 0, reportFailure);
