import { findQueuePrograms } from '../scale/programs.ts';
import type { JestRun } from './jest.ts';

/** What `npm test` runs, without the folders named `long`. The others are another n8n, hostile responses and queue mode. */
const EVERYDAY = ['unit', 'bootstrap', 'simulation', 'engine', 'sandbox', 'package', 'host', 'browser'];

// A short version of npm run test:scale. Variables that are already set take precedence.
const SHORT = { SCALE_KILLS: '2', SCALE_LEADS: '5000', SOAK_MINUTES: '0.5' };

/** The tests of `npm test`. */
export const everyday: JestRun = {
	args: ['--selectProjects', ...EVERYDAY],
	env: { LEAD_REVENUE_TEST_SET: 'everyday' },
};

/** What `everyday` leaves out. */
export const rest: JestRun = withQueueMode({ args: [], env: { LEAD_REVENUE_TEST_SET: 'rest' } });

export const all: JestRun = withQueueMode({ args: [] });

/** The defaults of n8n 3: a file for each promise of the README, and what only these defaults make happen. */
export const underN8n3: JestRun = {
	args: ['--selectProjects', 'host', '--', 'test/host/(n8n3/|reads|files|writes)'],
	env: { LEAD_REVENUE_N8N_DEFAULTS: '3', LEAD_REVENUE_TEST_SET: '' },
};

function withQueueMode(run: JestRun): JestRun {
	if ('missing' in findQueuePrograms()) return run;
	return { ...run, env: { ...SHORT, ...process.env, ...run.env, LEAD_REVENUE_SCALE: '1' } };
}
