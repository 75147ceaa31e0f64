import { reportFailure } from '../lib/steps.ts';
import { runTests } from '../testRun/run.ts';
import { all, rest } from '../testRun/sets.ts';

// `--rest` leaves out what npm test runs.
const runs = process.argv.includes('--rest') ? rest : [all];

process.exitCode = await runTests(...runs).catch(reportFailure);
