import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { inRepository } from '../../scripts/lib/repository.ts';
import { temporaryFolder } from '../../scripts/lib/temporaryFolder.ts';

let folder: string;

beforeAll(async () => {
	folder = await temporaryFolder('children');
	await writeFile(path.join(folder, 'child.mjs'), 'setInterval(() => {}, 1_000);');
	await writeFile(
		path.join(folder, 'hanging.test.ts'),
		`import { spawnGroup } from ${JSON.stringify(inRepository('scripts', 'lib', 'childProcess.ts'))};
		test('hangs', async () => {
			process.stdout.write(spawnGroup(${JSON.stringify(path.join(folder, 'child.mjs'))}, []).pid + '\\n');
			await new Promise((resolve) => setTimeout(resolve, 300_000));
		}, 600_000);`,
	);
	await writeFile(
		path.join(folder, 'parent.mjs'),
		`import { spawnGroup } from ${JSON.stringify(pathToFileURL(inRepository('scripts', 'lib', 'childProcess.ts')))};
		console.log(spawnGroup(${JSON.stringify(path.join(folder, 'child.mjs'))}, []).pid);
		setInterval(() => {}, 1_000);`,
	);
});

afterAll(async () => await rm(folder, { recursive: true, force: true }));

/** Resolves once the process has ended. @throws Error when that takes over a minute. */
async function gone(pid: number): Promise<void> {
	for (const start = performance.now(); performance.now() - start < 60_000;) {
		try {
			process.kill(pid, 0);
		} catch {
			return;
		}
		await new Promise((resolve) => setImmediate(resolve));
	}
	throw new Error(`process ${pid} is still there`);
}

/** Runs a script that prints which child it has started, and sends it a signal. Returns how it ended, once the child has ended too. */
async function signalled(signal: NodeJS.Signals, args: string[]): Promise<unknown[]> {
	const parent = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
	const [line] = (await once(parent.stdout, 'data')) as [Buffer];
	parent.kill(signal);
	const child = Number(line.toString());
	try {
		const ending = (await once(parent, 'exit')) as unknown[];
		await gone(child);
		return ending;
	} finally {
		spawn('kill', ['-9', String(child)], { stdio: 'ignore' });
	}
}

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
	'%s ends what was started, and the process as it would',
	async (signal) => {
		expect(await signalled(signal, [path.join(folder, 'parent.mjs')])).toEqual([null, signal]);
	},
);

test('an interrupted test leaves nothing behind', async () => {
	const transform = {
		'\\.ts$': [
			require.resolve('@swc/jest'),
			{ jsc: { parser: { syntax: 'typescript' } }, module: { type: 'commonjs' } },
		],
	};
	const config = JSON.stringify({ rootDir: folder, transform });
	await signalled('SIGINT', [
		inRepository('node_modules', 'jest', 'bin', 'jest.js'),
		'--config',
		config,
		'--runInBand',
	]);
});
