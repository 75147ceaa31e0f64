import { reportFailure } from '../lib/steps.ts';
import { runTests } from '../testRun/run.ts';

process.exitCode = await runTests(process.argv.slice(2)).catch(reportFailure);
