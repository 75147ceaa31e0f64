import { reportFailure } from '../lib/steps.ts';
import { runWithoutBuild } from '../testRun/run.ts';

/** The projects for the loop while editing: no n8n process, no large amounts. */
const PROJECTS = ['unit', 'simulation', 'engine', 'sandbox'];

/** Files of these projects that together take longer than the rest, and why. */
const LEFT_OUT: Record<string, string> = {
	'simulation/pacing': 'hours of pacing',
	'engine/idempotency': 'faults on hundreds of writes',
};

const SCHEDULES = '360';

async function quick(args: readonly string[]): Promise<number> {
	const files = Object.keys(LEFT_OUT).map((file) => `/test/${file}\\.test\\.ts$`);
	process.stdout.write(
		`Left out, but part of npm run test:all: every project but ${PROJECTS.join(', ')}; folders named long; all but ${SCHEDULES} schedules of the simulation;\n` +
			`${Object.entries(LEFT_OUT)
				.map(([file, what]) => `  ${file} (${what})`)
				.join('\n')}\n`,
	);
	return await runWithoutBuild({
		args: ['--selectProjects', ...PROJECTS, '--testPathIgnorePatterns', '/long/', ...files, '--', ...args],
		env: { SIMULATION_SCHEDULES: SCHEDULES, ...process.env },
	});
}

process.exitCode = await quick(process.argv.slice(2)).catch(reportFailure);
