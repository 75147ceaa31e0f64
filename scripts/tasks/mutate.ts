import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { NO_RECORDS, startSandbox } from '../../sandbox/src/client.ts';
import { inRepository, ROOT } from '../lib/repository.ts';
import { reportFailure, step } from '../lib/steps.ts';

const HELP = `Makes small changes to the code ("mutants") and reports those that no test notices.

  npm run mutate                                              all files
  npm run mutate -- nodes/shared/service/pages.ts             only these files
  npm run mutate -- --incremental                             only changes since the last such run
  npm run mutate -- --concurrency 1                           any other option of Stryker

Exits with code 0 when the tests notice at least 85 %, else with 1. The report is .mutation/report.html.
`;

// Few schedules: the simulation finds most failures early.
const SIMULATION = { SIMULATION_SCHEDULES: '180', SIMULATION_SHRINK: 'no' };

async function mutate(args: readonly string[]): Promise<number> {
	if (args.includes('--help')) {
		process.stdout.write(HELP);
		return 0;
	}
	const files = args.filter((arg) => /^nodes\/.*\.ts(:[\d:-]+)?$/.test(arg));
	// Stryker would only warn of it.
	const unknown = files.find((file) => globSync(file.replace(/:[\d:-]+$/, ''), { cwd: ROOT }).length === 0);
	if (unknown !== undefined) throw new Error(`There is no file ${unknown}`);
	const others = args.filter((arg) => !files.includes(arg));
	const parts = await step('Bundling n8n', bundleN8n);
	const sandbox = await startSandbox(NO_RECORDS);
	try {
		const stryker = inRepository('node_modules', '@stryker-mutator', 'core', 'bin', 'stryker.js');
		const chosen = files.length > 0 ? ['--mutate', files.join(',')] : [];
		const child = spawn(process.execPath, [stryker, 'run', 'test/mutation/stryker.config.mjs', ...chosen, ...others], {
			cwd: ROOT,
			stdio: 'inherit',
			env: { ...process.env, ...SIMULATION, SANDBOX_URL: sandbox.url, MUTATION_N8N: parts },
		});
		// Stryker gets the terminal's interrupt too, and removes its files.
		process.on('SIGINT', () => undefined);
		process.on('SIGTERM', () => child.kill('SIGTERM'));
		const [code] = (await once(child, 'exit')) as [number | null];
		return code ?? 1;
	} finally {
		await sandbox.stop();
	}
}

/**
 * Bundles each package of n8n into one file: jest loads them again for every test file, and n8n-core alone has 2,300 files.
 * Returns the folder.
 */
async function bundleN8n(): Promise<string> {
	const folder = inRepository('.mutation', 'n8n');
	const common = {
		bundle: true,
		platform: 'node',
		format: 'cjs',
		target: 'node24',
		minify: true,
		keepNames: true,
		logLevel: 'error',
	} as const;
	for (const name of ['n8n-workflow', 'n8n-core']) {
		const stdin = { contents: `module.exports = require('${name}')`, resolveDir: ROOT };
		// n8n-core and the nodes share one n8n-workflow, or `instanceof` fails on its errors.
		// Tests ask n8n-core's container of services, which is in @n8n/di, for what is in n8n-core.
		const external = ['*.node', 'reflect-metadata', '@n8n/di', ...(name === 'n8n-core' ? ['n8n-workflow'] : [])];
		await build({ ...common, stdin, external, outfile: path.join(folder, `${name}.cjs`) });
	}
	return folder;
}

process.exitCode = await mutate(process.argv.slice(2)).catch(reportFailure);
