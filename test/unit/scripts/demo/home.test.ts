import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { inRepository } from '../../../../scripts/lib/repository.ts';
import { temporaryFolder } from '../../../../scripts/lib/temporaryFolder.ts';
import { OWNER } from '../../../../scripts/n8n/session.ts';

const HOME_MODULE = pathToFileURL(inRepository('scripts', 'demo', 'home.ts')).href;

let folder: string;
beforeEach(async () => {
	folder = await temporaryFolder('home');
});
afterEach(async () => await rm(folder, { recursive: true, force: true }));

/** Returns a process that claims the home and stays, and what it says of it. */
async function claimant() {
	const code = `
		import { claimHome } from ${JSON.stringify(HOME_MODULE)};
		console.log(await claimHome().then(() => 'claimed', (error) => error.message));
		process.stdin.resume();
	`;
	const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
		env: { ...process.env, LEAD_REVENUE_HOME: folder },
		stdio: ['pipe', 'pipe', 'inherit'],
	});
	const [said] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
	const kill = async () => {
		child.kill('SIGKILL');
		await once(child, 'exit');
	};
	return { said: said.trim(), pid: child.pid, kill };
}

test('one npm start at a time has the home, until it ends, even by a kill', async () => {
	const first = await claimant();
	const second = await claimant();
	await first.kill();
	const third = await claimant();
	await Promise.all([second.kill(), third.kill()]);
	expect(first.said).toBe('claimed');
	expect(second.said).toContain(`npm start is already running here (process ${first.pid})`);
	expect(third.said).toBe('claimed');
});

test('a home that a killed npm start left behind is free, although another program has its process ID now', async () => {
	await writeFile(path.join(folder, 'running.json'), JSON.stringify({ pid: process.pid }));
	const start = await claimant();
	await start.kill();
	expect(start.said).toBe('claimed');
});

describe("the password of n8n's owner", () => {
	const password = async () => {
		const code = `
			import { ownerPassword } from ${JSON.stringify(HOME_MODULE)};
			process.stdout.write(await ownerPassword());
		`;
		const env = { ...process.env, LEAD_REVENUE_HOME: folder };
		return (await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code], { env })).stdout;
	};

	test('is another one in each home, the same at each start, and in a file for this user only', async () => {
		const first = await password();
		await mkdir(path.join(folder, 'n8n', '.n8n'), { recursive: true });
		expect(first).toMatch(/^N8n-[\w-]{16}$/);
		expect(await password()).toBe(first);
		expect((await stat(path.join(folder, 'password'))).mode & 0o777).toBe(0o600);
		await rm(folder, { recursive: true });
		await mkdir(folder);
		expect(await password()).not.toBe(first);
	});

	test('stays the one that all had in a home from before', async () => {
		await mkdir(path.join(folder, 'n8n', '.n8n'), { recursive: true });
		expect(await password()).toBe(OWNER.password);
	});
});
