import { reportFailure } from '../lib/steps.ts';
import { findQueuePrograms } from '../scale/programs.ts';
import type { JestRun } from '../testRun/jest.ts';
import { runTests } from '../testRun/run.ts';

// A short version of npm run test:scale. Variables that are already set take precedence.
const SHORT = { SCALE_KILLS: '3', SCALE_LEADS: '10000', SOAK_MINUTES: '1.5' };

/** All tests, including n8n in queue mode; with arguments, the tests they select. */
function runFor(args: readonly string[]): JestRun {
	if (args.length > 0 || 'missing' in findQueuePrograms()) return { args };
	return { args, env: { ...SHORT, ...process.env, LEAD_REVENUE_SCALE: '1' } };
}

process.exitCode = await runTests(runFor(process.argv.slice(2))).catch(reportFailure);
