import { reportFailure } from '../lib/steps.ts';
import { findQueuePrograms } from '../scale/programs.ts';
import type { JestRun } from '../testRun/jest.ts';
import { runTests } from '../testRun/run.ts';

// A few minutes of what npm run test:scale does in many; what is set in the environment counts.
const SHORT = { SCALE_KILLS: '3', SCALE_LEADS: '10000', SOAK_MINUTES: '1.5' };

/** Everything, n8n in queue mode among it; with arguments, what they say. */
function runFor(args: readonly string[]): JestRun {
	if (args.length > 0 || 'missing' in findQueuePrograms()) return { args };
	return { args, env: { ...SHORT, ...process.env, LEAD_REVENUE_SCALE: '1' } };
}

process.exitCode = await runTests(runFor(process.argv.slice(2))).catch(reportFailure);
