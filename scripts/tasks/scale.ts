import { reportFailure } from '../lib/steps.ts';
import { runScaleTests } from '../scale/run.ts';

process.exitCode = await runScaleTests(process.argv.slice(2)).catch(reportFailure);
