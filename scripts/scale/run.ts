import { runTests } from '../testRun/run.ts';
import { findQueuePrograms } from './programs.ts';

/** Runs the tests in queue mode. @throws Error that says what to install when a program is missing. */
export async function runScaleTests(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<number> {
	const programs = findQueuePrograms();
	if ('missing' in programs) {
		throw new Error(`These tests run n8n in queue mode, which needs Redis and PostgreSQL: ${programs.missing}`);
	}
	return await runTests({ args: ['--selectProjects', 'scale', ...args], env: { ...env, LEAD_REVENUE_SCALE: '1' } });
}
