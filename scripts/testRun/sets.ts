import { findQueuePrograms } from '../scale/programs.ts';
import type { JestRun } from './jest.ts';

/** What `npm test` runs; of these projects not the folders named `long`. */
const EVERYDAY = ['unit', 'bootstrap', 'simulation', 'engine', 'sandbox', 'package', 'host', 'browser'];
export const LONG = '/long/';

/** What only `npm run test:all` runs, besides `long`: another n8n, hostile responses, queue mode. */
const OTHERS = ['engine-n8n-1', 'host-n8n-1', 'hostile', 'scale'];

// A short version of npm run test:scale. Variables that are already set take precedence.
const SHORT = { SCALE_KILLS: '3', SCALE_LEADS: '10000', SOAK_MINUTES: '1.5' };

function withQueueMode(run: JestRun): JestRun {
	if ('missing' in findQueuePrograms()) return run;
	return { ...run, env: { ...SHORT, ...process.env, LEAD_REVENUE_SCALE: '1' } };
}

export const everyday: JestRun = { args: ['--selectProjects', ...EVERYDAY, '--testPathIgnorePatterns', LONG] };

/** What `everyday` leaves out. */
export const rest: readonly JestRun[] = [
	{ args: ['--selectProjects', ...EVERYDAY, '--testPathPatterns', LONG] },
	withQueueMode({ args: ['--selectProjects', ...OTHERS] }),
];

export const all: JestRun = withQueueMode({ args: [] });
