import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { inRepository, ROOT } from '../lib/repository.ts';

/** The arguments of one run of jest, and its environment. */
export interface JestRun {
	args: readonly string[];
	env?: NodeJS.ProcessEnv;
}

/** Runs jest until it ends. Returns its exit code. */
export async function runJest({ args, env }: JestRun): Promise<number> {
	const child = spawn(process.execPath, [inRepository('node_modules', 'jest', 'bin', 'jest.js'), ...args], {
		cwd: ROOT,
		stdio: 'inherit',
		env: { ...process.env, ...env },
	});
	const [code] = (await once(child, 'exit')) as [number | null];
	return code ?? 1;
}
