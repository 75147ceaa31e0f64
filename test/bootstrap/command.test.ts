import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { packIn } from '../../scripts/lib/build.ts';

const COMMAND_MODULE = pathToFileURL(path.resolve('scripts/bootstrap/command.mjs')).href;

let folder: string;
beforeEach(() => {
	folder = mkdtempSync(path.join(os.tmpdir(), 'lead-revenue-command-'));
});
afterEach(() => {
	rmSync(folder, { recursive: true, force: true });
});

/** Arguments that run the bootstrap's npm with a program of the test instead of npm. */
function withNpm(program: string): { args: string[]; env: NodeJS.ProcessEnv } {
	const npm = path.join(folder, 'npm-cli.js');
	writeFileSync(npm, program);
	chmodSync(npm, 0o755);
	const code = `
		import { npm } from ${JSON.stringify(COMMAND_MODULE)};
		const settings = { cwd: process.cwd(), env: process.env, what: 'Installing', hint: 'Check the network.' };
		await npm(['install', 'thing'], settings).catch((error) => { process.stdout.write(error.message); process.exitCode = 1; });
	`;
	return { args: ['--input-type=module', '--eval', code], env: { ...process.env, npm_execpath: npm, FOLDER: folder } };
}

test('an unknown task fails with the list of tasks', () => {
	const { status, stderr } = spawnSync(process.execPath, ['scripts/bootstrap.mjs', 'tset'], { encoding: 'utf8' });
	expect(status).toBe(1);
	expect(stderr.trim()).toMatch(
		/^There is no task "tset"\. Tasks: all, bench, build, checksum, format, generate, lint, mutate, quick, scale, search, soak, start, test, verify, versions\.$/,
	);
});

test('a failing npm is reported with what failed, its last lines and what to do', () => {
	const { args, env } = withNpm(
		"for (let i = 0; i < 100; i++) console.error('line ' + i + '.'); process.exitCode = 7;",
	);
	const { status, stdout } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
	expect(status).toBe(1);
	expect(stdout).toContain('Installing failed: `npm install thing` ended with code 7.');
	expect(stdout).toContain('line 99.');
	expect(stdout).not.toContain('line 50.');
	expect(stdout).toContain('Check the network.');
});

test('everything is installed, although the user’s npm leaves out what only development needs, and what is optional', () => {
	const write = (name: string, content: object) =>
		writeFileSync(path.join(folder, name, 'package.json'), JSON.stringify({ version: '1.0.0', ...content }));
	for (const name of ['dev', 'optional']) {
		mkdirSync(path.join(folder, name));
		write(name, { name });
	}
	write('.', { devDependencies: { dev: 'file:dev' }, optionalDependencies: { optional: 'file:optional' } });
	const code = `
		import { npmInstall } from ${JSON.stringify(COMMAND_MODULE)};
		await npmInstall(['--offline'], { cwd: process.env.FOLDER, env: process.env });
	`;
	const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], {
		env: { ...process.env, FOLDER: folder, npm_config_omit: 'dev\n\noptional' },
		encoding: 'utf8',
	});
	expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
	for (const name of ['dev', 'optional']) expect(existsSync(path.join(folder, 'node_modules', name))).toBe(true);
});

test('an addon is built although npm is told to run no install script', () => {
	const addon = path.join(folder, 'node_modules', 'addon');
	mkdirSync(addon, { recursive: true });
	writeFileSync(path.join(addon, 'package.json'), JSON.stringify({ scripts: { install: 'echo > built' } }));
	const code = `
		import { npmBuild } from ${JSON.stringify(COMMAND_MODULE)};
		await npmBuild('addon', { cwd: process.env.FOLDER, env: process.env });
	`;
	const env = { ...process.env, FOLDER: folder, npm_config_ignore_scripts: 'true' };
	const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], {
		env,
		encoding: 'utf8',
	});
	expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
	expect(existsSync(path.join(addon, 'built'))).toBe(true);
});

test.each([
	['a list, as up to npm 11', (packed: object) => [packed]],
	['an object by name, as from npm 12 on', (packed: object) => ({ thing: packed })],
])('a package is packed where npm describes it in %s', async (_form, described) => {
	const packed = { filename: 'thing-1.0.0.tgz', unpackedSize: 7, files: [{ path: 'package.json' }] };
	const npm = path.join(folder, 'npm');
	writeFileSync(npm, `#!/bin/sh\necho '${JSON.stringify(described(packed))}'\n`);
	chmodSync(npm, 0o755);
	jest.replaceProperty(process, 'env', { ...process.env, PATH: `${folder}${path.delimiter}${process.env.PATH}` });
	const { tarball, files, unpackedSize, dispose } = await packIn(folder);
	await dispose();
	expect([path.basename(tarball), files, unpackedSize]).toEqual(['thing-1.0.0.tgz', ['package.json'], 7]);
});

test('a signal ends npm and what npm has started', async () => {
	const { args, env } = withNpm(`
		const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)']);
		require('node:fs').writeFileSync(process.env.FOLDER + '/pids', process.pid + ' ' + child.pid);
	`);
	const bootstrap = spawn(process.execPath, args, { env, stdio: 'ignore' });
	const pids = path.join(folder, 'pids');
	while (!existsSync(pids) || readFileSync(pids, 'utf8') === '') {
		await new Promise((resolve) => setTimeout(resolve, 20));
	}
	bootstrap.kill('SIGTERM');
	expect(await once(bootstrap, 'exit')).toEqual([143, null]);
	for (const pid of readFileSync(pids, 'utf8').split(' ').map(Number)) {
		const isAlive = () => {
			try {
				// A zombie that is not reaped yet still takes signals.
				return process.kill(pid, 0) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
			} catch {
				return false;
			}
		};
		while (isAlive()) await new Promise((resolve) => setTimeout(resolve, 20));
	}
});
