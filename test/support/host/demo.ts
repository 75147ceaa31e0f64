import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { inRepository, PACKAGE, ROOT } from '../../../scripts/lib/repository.ts';
import { temporaryFolder } from '../../../scripts/lib/temporaryFolder.ts';
import { N8nSession, OWNER } from '../../../scripts/n8n/session.ts';
import { n8nFolder } from '../../../scripts/n8n/userFolder.ts';

interface Started {
	child: ChildProcess;
	/** Its output so far. */
	screen(): string;
	/** Resolves when the output contains the text. */
	shows(text: string): Promise<void>;
	/** Returns the address that the output has after the name. */
	addressOf(name: string): string;
	exitCode: Promise<number | null>;
}

/** `npm start`, any number of times, in a home of its own. */
export class Demo {
	private readonly children: ChildProcess[] = [];

	private constructor(private readonly home: string) {}

	static async inNewHome(): Promise<Demo> {
		return new Demo(await temporaryFolder('start'));
	}

	start(...args: string[]): Started {
		return this.run(process.execPath, inRepository('scripts', 'tasks', 'start.ts'), ...args);
	}

	startByNpm(): Started {
		return this.run('npm', 'start');
	}

	private run(command: string, ...args: string[]): Started {
		const child = spawn(command, args, {
			cwd: ROOT,
			env: { ...process.env, LEAD_REVENUE_HOME: this.home, LEAD_REVENUE_BUILT: '1' },
			stdio: ['ignore', 'pipe', 'pipe'],
		});
		this.children.push(child);
		let text = '';
		for (const stream of [child.stdout, child.stderr]) {
			stream.setEncoding('utf8').on('data', (more: string) => (text += more));
		}
		const exitCode = once(child, 'close').then(([code]) => code as number | null);
		const shows = async (wanted: string) => {
			while (!text.includes(wanted)) {
				if (child.exitCode !== null) throw new Error(`npm start ended before it showed "${wanted}":\n${text}`);
				await Promise.race([once(child.stdout, 'data'), exitCode]);
			}
		};
		const addressOf = (name: string) => text.match(new RegExp(`  ${name} +(http://[\\w.:]+)`))?.[1] ?? '';
		return { child, screen: () => text, shows, addressOf, exitCode };
	}

	/** Starts and waits until all examples have run. */
	async startUntilReady(): Promise<Started & { session: N8nSession }> {
		const run = this.start();
		await run.shows('delete .home');
		const session = new N8nSession(run.addressOf('n8n'));
		await session.login(OWNER.email, /sign in with +\S+ \/ (\S+)/.exec(run.screen())?.[1] ?? '');
		return { ...run, session };
	}

	/** Returns the file that the nodes get for a module. */
	resolve(module: string): string {
		const nodes = path.join(n8nFolder(path.join(this.home, 'n8n')), 'nodes', 'node_modules', PACKAGE.name);
		return createRequire(path.join(nodes, 'package.json')).resolve(module);
	}

	/** Ids of the processes started with this home. */
	async processes(): Promise<string[]> {
		const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
		const environments = await Promise.all(
			ids.map(async (id) => await readFile(`/proc/${id}/environ`, 'utf8').catch(() => '')),
		);
		return ids.filter((_, index) => environments[index]?.includes(`LEAD_REVENUE_HOME=${this.home}`));
	}

	async remove(): Promise<void> {
		for (const child of this.children) if (child.exitCode === null) child.kill('SIGTERM');
		await rm(this.home, { recursive: true, force: true });
	}
}
