import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { inRepository, ROOT } from '../../scripts/lib/repository.ts';
import { N8nSession, OWNER } from '../../scripts/n8n/session.ts';
import { readExamples } from '../../scripts/demo/examples.ts';
import { HOST } from '../support/hostUnderTest.ts';

const onN8n2 = HOST === 'n8n-2' ? describe : describe.skip;

onN8n2(`npm start${HOST === 'n8n-2' ? '' : ' [skipped: it runs n8n 2.x]'}`, () => {
	let home: string;
	const children: ChildProcess[] = [];
	const taken = [5678, 8320].map((port) =>
		createServer()
			.once('error', () => undefined)
			.listen(port, '127.0.0.1'),
	);

	beforeAll(async () => {
		home = await mkdtemp(path.join(os.tmpdir(), 'lead-revenue-start-'));
	});

	afterAll(async () => {
		for (const child of children) if (child.exitCode === null) child.kill('SIGTERM');
		for (const server of taken) server.close();
		await rm(home, { recursive: true, force: true });
	});

	interface Started {
		child: ChildProcess;
		/** Its output so far. */
		screen(): string;
		/** Resolves when the output contains the text. */
		shows(text: string): Promise<void>;
		exitCode: Promise<number | null>;
	}

	function start(...args: string[]): Started {
		const env = { ...process.env, LEAD_REVENUE_HOME: home, LEAD_REVENUE_BUILT: '1' };
		const child = spawn(process.execPath, [inRepository('scripts', 'tasks', 'start.ts'), ...args], {
			cwd: ROOT,
			env,
			stdio: ['ignore', 'pipe', 'pipe'],
		});
		children.push(child);
		let text = '';
		for (const stream of [child.stdout, child.stderr])
			stream.setEncoding('utf8').on('data', (more: string) => (text += more));
		const exitCode = once(child, 'close').then(([code]) => code as number | null);
		const shows = async (wanted: string) => {
			while (!text.includes(wanted)) {
				if (child.exitCode !== null) throw new Error(`npm start ended before it showed "${wanted}":\n${text}`);
				await Promise.race([once(child.stdout, 'data'), exitCode]);
			}
		};
		return { child, screen: () => text, shows, exitCode };
	}

	/** Ids of the processes started with this home. */
	async function processes(): Promise<string[]> {
		const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
		const environments = await Promise.all(
			ids.map(async (id) => await readFile(`/proc/${id}/environ`, 'utf8').catch(() => '')),
		);
		return ids.filter((_, index) => environments[index]?.includes(`LEAD_REVENUE_HOME=${home}`));
	}

	test('runs all examples that can run and says why one cannot, although its ports are taken, accepts the login it prints, and Ctrl-C ends every process', async () => {
		const run = start();
		await run.shows('delete .home');
		expect(run.screen()).toContain('examples that can run moved what they should');
		for (const { name } of await readExamples()) expect(run.screen()).toContain(name);
		expect(run.screen()).toMatch(/Not run: "Ask an AI agent.*choose one and its credential in "Chat Model"/);
		expect(run.screen()).toMatch(/Not run: "Tag many leads from a file".*publish it and open "Form"/);
		expect(run.screen()).toMatch(/List Leads +20,000/);

		const addressOf = (name: string) => run.screen().match(new RegExp(`  ${name} +(http://[\\w.:]+)`))?.[1] ?? '';
		const n8n = addressOf('n8n');
		const service = addressOf('the service');
		for (const address of [n8n, service]) expect([5678, 8320, NaN]).not.toContain(Number(new URL(address).port));
		expect((await fetch(`${service}/documentation/`)).status).toBe(200);
		expect(run.screen()).toContain(`${OWNER.email} / ${OWNER.password}`);

		const session = new N8nSession(n8n);
		await session.login(OWNER.email, OWNER.password);
		const names = (await session.workflows()).map(({ name }) => name).sort();
		expect(names).toEqual((await readExamples()).map(({ name }) => name).sort());

		const other = start('--once');
		expect([await other.exitCode, other.screen()]).toEqual([
			1,
			expect.stringContaining('npm start is already running here'),
		]);

		// For the next start, which must not repair what the user broke in an example.
		const report = (await session.workflows()).find(({ name }) => name === 'Daily revenue report');
		const { nodes, connections } = await session.workflow(report!.id);
		const broken = nodes.map((node) => (node.name === 'These days' ? { ...node, credentials: {} } : node));
		await session.request('PATCH', `/rest/workflows/${report!.id}`, { nodes: broken, connections });

		expect((await processes()).length).toBeGreaterThan(2);
		run.child.kill('SIGINT');
		expect(await run.exitCode).toBe(0);
		expect(await processes()).toEqual([]);
		for (const address of [n8n, service]) await expect(fetch(address)).rejects.toThrow();
	});

	test('-- --once ends after the report, keeps what the user changed, and exits with code 1 and the name of an example that fails', async () => {
		const run = start('--once');
		expect(await run.exitCode).toBe(1);
		expect(run.screen()).toMatch(/Daily revenue report .*FAILED: /);
		expect(run.screen()).toMatch(/1 of \d+ examples failed/);
		expect(await processes()).toEqual([]);
	});
});
