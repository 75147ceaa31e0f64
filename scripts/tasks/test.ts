import { reportFailure } from '../lib/steps.ts';
import { runTests } from '../testRun/run.ts';
import { everyday } from '../testRun/sets.ts';

const args = process.argv.slice(2);

// With arguments, the tests that they select, whatever they are.
process.exitCode = await runTests(args.length > 0 ? { args } : everyday).catch(reportFailure);
