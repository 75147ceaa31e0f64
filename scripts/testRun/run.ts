import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { build } from '../lib/build.ts';
import { inRepository, ROOT } from '../lib/repository.ts';
import { step } from '../lib/steps.ts';

interface Counts {
	passed: number;
	failed: number;
	skipped: number;
}

async function runJest(args: readonly string[], countsFile: string, env: NodeJS.ProcessEnv): Promise<number> {
	const child = spawn(process.execPath, [inRepository('node_modules', 'jest', 'bin', 'jest.js'), ...args], {
		cwd: ROOT,
		stdio: 'inherit',
		env: { ...process.env, ...env, LEAD_REVENUE_BUILT: '1', LEAD_REVENUE_TEST_COUNTS: countsFile },
	});
	// jest gets the terminal's interrupt too, and stops what its global setups have started.
	process.on('SIGINT', () => undefined);
	const [code] = (await once(child, 'exit')) as [number | null];
	return code ?? 1;
}

async function readCounts(file: string): Promise<Counts | undefined> {
	try {
		return JSON.parse(await readFile(file, 'utf8')) as Counts;
	} catch {
		return undefined;
	}
}

/** Builds, runs jest with the given arguments, and ends with one line of counts. Gives the exit code. */
export async function runTests(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<number> {
	await step('Building the nodes into dist', build);
	const folder = await mkdtemp(path.join(os.tmpdir(), 'lead-revenue-test-'));
	const countsFile = path.join(folder, 'counts.json');
	const code = await runJest(args, countsFile, env);
	const counts = await readCounts(countsFile);
	await rm(folder, { recursive: true, force: true });
	if (counts === undefined) process.stdout.write('The test run itself did not come to its end: see above.\n');
	const { passed, failed, skipped } = counts ?? { passed: 0, failed: 1, skipped: 0 };
	process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`);
	return failed > 0 && code === 0 ? 1 : code;
}
