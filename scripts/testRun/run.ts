import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { build } from '../lib/build.ts';
import { step } from '../lib/steps.ts';
import { temporaryFolder } from '../lib/temporaryFolder.ts';
import type { JestRun } from './jest.ts';
import { runJest } from './jest.ts';

interface Counts {
	passed: number;
	failed: number;
	skipped: number;
}

/** Builds, then runs jest as `runWithoutBuild` does. */
export async function runTests(...runs: readonly JestRun[]): Promise<number> {
	await step('Building the nodes into dist', build);
	return await runWithoutBuild(
		...runs.map(({ env, ...run }) => ({ ...run, env: { ...env, LEAD_REVENUE_BUILT: '1' } })),
	);
}

/** Runs jest once per run, in order, and prints one line with all counts. Returns the exit code. */
export async function runWithoutBuild(...runs: readonly JestRun[]): Promise<number> {
	const folder = await temporaryFolder('test');
	const all: Counts = { passed: 0, failed: 0, skipped: 0 };
	let exitCode = 0;
	let interrupted = false;
	// jest gets the terminal's interrupt too, and stops what its global setups started.
	process.on('SIGINT', () => (interrupted = true));
	for (const [index, run] of runs.entries()) {
		if (interrupted) break;
		const countsFile = path.join(folder, `counts-${index}.json`);
		const code = await runJest({ ...run, env: { ...run.env, LEAD_REVENUE_TEST_COUNTS: countsFile } });
		const counts = await readCounts(countsFile);
		if (counts === undefined) process.stdout.write('The test run did not finish. See the output above.\n');
		const { passed, failed, skipped } = counts ?? { passed: 0, failed: 1, skipped: 0 };
		all.passed += passed;
		all.failed += failed;
		all.skipped += skipped;
		exitCode ||= code;
	}
	await rm(folder, { recursive: true, force: true });
	process.stdout.write(`${all.passed} passed, ${all.failed} failed, ${all.skipped} skipped\n`);
	return all.failed > 0 && exitCode === 0 ? 1 : exitCode;
}

async function readCounts(file: string): Promise<Counts | undefined> {
	try {
		return JSON.parse(await readFile(file, 'utf8')) as Counts;
	} catch {
		return undefined;
	}
}
