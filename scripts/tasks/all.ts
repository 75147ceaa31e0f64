import { reportFailure } from '../lib/steps.ts';
import { runTests } from '../testRun/run.ts';
import { all, rest, underN8n3 } from '../testRun/sets.ts';

// `--rest` leaves out what npm test runs.
process.exitCode = await runTests(process.argv.includes('--rest') ? rest : all, underN8n3).catch(reportFailure);
