import { reportFailure } from '../lib/steps.ts';
import { runTests } from '../testRun/run.ts';
import { all, rest } from '../testRun/sets.ts';

// `--rest` leaves out what npm test runs.
process.exitCode = await runTests(process.argv.includes('--rest') ? rest : all).catch(reportFailure);
