import { reportFailure } from '../lib/steps.ts';
import { runScaleTests } from '../scale/run.ts';

const MINUTES = process.env.SOAK_MINUTES ?? '30';

process.exitCode = await runScaleTests(['-t', 'soak', ...process.argv.slice(2)], { SOAK_MINUTES: MINUTES }).catch(
	reportFailure,
);
