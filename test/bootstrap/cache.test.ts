import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { temporaryFolder } from '../../scripts/lib/temporaryFolder.ts';
import { until } from '../../scripts/lib/until.ts';

const CACHE_MODULE = pathToFileURL(path.resolve('scripts/bootstrap/cache.mjs')).href;

let home: string;
let cache: string;
beforeEach(async () => {
	home = await temporaryFolder('cache');
	cache = path.join(home, 'n8n-nodes-lead-revenue');
});
afterEach(async () => {
	await rm(home, { recursive: true, force: true });
});

/** Returns a process that installs `thing` with the given body of `install(folder)`; it can use `fs` and `wait`. */
function installer(body: string) {
	const code = `
		import fs from 'node:fs/promises';
		import { setTimeout as wait } from 'node:timers/promises';
		import { installOnce } from ${JSON.stringify(CACHE_MODULE)};
		console.log(await installOnce('thing', async (folder) => { ${body} }));
	`;
	const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
		env: { ...process.env, XDG_CACHE_HOME: home, MARKS: path.join(home, 'marks') },
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	let output = '';
	for (const stream of [child.stdout, child.stderr]) {
		stream.setEncoding('utf8').on('data', (text: string) => (output += text));
	}
	const ended = once(child, 'close').then(([exitCode]) => ({ exitCode: exitCode as number | null, output }));
	return { child, ended };
}

const COMPLETE = "await fs.writeFile(folder + '/content', 'complete');";
const content = async () => await readFile(path.join(cache, 'thing', 'content'), 'utf8');
const marks = async () => (await readFile(path.join(home, 'marks'), 'utf8')).trim().split('\n');

test('an installation is reused', async () => {
	const first = await installer(COMPLETE).ended;
	expect(first).toEqual({ exitCode: 0, output: `${path.join(cache, 'thing')}\n` });
	expect(await installer("throw new Error('a second installation');").ended).toEqual(first);
	expect(await readdir(cache)).toEqual(['thing']);
});

test('an installation that fails leaves nothing behind, and the next one starts over', async () => {
	const { exitCode, output } = await installer(`${COMPLETE} throw new Error('the registry is away');`).ended;
	expect(exitCode).toBe(1);
	expect(output).toContain('the registry is away');
	expect(await readdir(cache)).toEqual([]);
	expect((await installer(COMPLETE).ended).exitCode).toBe(0);
	expect(await content()).toBe('complete');
});

test('an installation that is killed midway is neither used nor waited for', async () => {
	const killed = installer(
		"await fs.writeFile(folder + '/content', 'half'); await fs.writeFile(process.env.MARKS, 'x'); await wait(60_000);",
	);
	await until('a mark', 300_000, () => existsSync(path.join(home, 'marks')), 20);
	killed.child.kill('SIGKILL');
	await killed.ended;
	expect((await readdir(cache)).sort()).toEqual([`thing.installing-${killed.child.pid}`, 'thing.lock']);
	expect((await installer(COMPLETE).ended).exitCode).toBe(0);
	expect(await content()).toBe('complete');
	expect(await readdir(cache)).toEqual(['thing']);
});

test('two processes at once install once, and both use it', async () => {
	const body = `
		await fs.appendFile(process.env.MARKS, 'installed\\n');
		while (!(await fs.stat(process.env.MARKS + '-go').catch(() => undefined))) await wait(20);
		${COMPLETE}
	`;
	const processes = [installer(body), installer(body)];
	const [announcement] = await Promise.race(
		processes.map(async ({ child }) => (await once(child.stderr, 'data')) as [string]),
	);
	await writeFile(path.join(home, 'marks-go'), '');
	const both = await Promise.all(processes.map(async ({ ended }) => await ended));
	expect(announcement).toContain('Another process is installing thing');
	expect(both.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
	expect(await content()).toBe('complete');
	expect(await marks()).toEqual(['installed']);
});

test('a lock of another machine holds while it has a heartbeat, and is dropped after a minute without one', async () => {
	const lock = path.join(cache, 'thing.lock');
	await mkdir(cache);
	await writeFile(lock, JSON.stringify({ pid: process.pid, machine: 'another' }));
	const waiting = installer(`await fs.appendFile(process.env.MARKS, 'installed\\n'); ${COMPLETE}`);
	const [first] = (await once(waiting.child.stderr, 'data')) as [string];
	expect(first).toContain('Another process is installing thing');
	expect(existsSync(path.join(home, 'marks'))).toBe(false);
	const longAgo = new Date(Date.now() - 61_000);
	await utimes(lock, longAgo, longAgo);
	expect((await waiting.ended).exitCode).toBe(0);
	expect(await marks()).toEqual(['installed']);
});
