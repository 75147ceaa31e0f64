import { setTimeout as wait } from 'node:timers/promises';
import type { GroupLeader } from '../lib/childProcess.ts';
import { ended, endGroup, signalGroup, spawnGroup } from '../lib/childProcess.ts';
import { lastLines } from '../lib/command.ts';
import { freePort } from '../lib/ports.ts';
import { n8nEnvironment } from './environment.ts';
import type { Installation } from './installation.ts';

const READY_WITHIN_MS = 300_000;
const ASK_AGAIN_AFTER_MS = 150;

/** How to start an n8n. */
export interface N8nProcessOptions {
	installation: Installation;
	/** n8n's `N8N_USER_FOLDER`: settings, database and packages live in `.n8n` below it. */
	userFolder: string;
	/** This port or the next free one; any free port when left out. */
	preferredPort?: number;
	/** `start` serves the editor and, outside queue mode, runs everything; `worker` takes executions from the queue. */
	role?: 'start' | 'worker';
	/** More environment variables for n8n. */
	env?: NodeJS.ProcessEnv;
}

/**
 * What an n8n that is ready has printed. It responds before it looks for executions that wait to run: one that is started between
 * the two may run twice (measured on 1.123.81).
 */
const READY = { start: 'Editor is now accessible', worker: '' };

/** What n8n says of its own port, its task broker's or a worker's before it ends (read in 2.41.1 and 1.123.81). */
const TAKEN = /\bport (\d+) is already in use/i;

/** Raised when n8n ends before it is ready. Says how, with the end of what it printed. */
class EndedEarly extends Error {
	readonly takenPort: string | undefined;

	constructor(how: string, log: string) {
		super(`n8n ended before it was ready, with ${how}:\n${log === '' ? '(it printed nothing)' : lastLines(log)}`);
		this.takenPort = TAKEN.exec(log)?.[1];
	}
}

/** A running `n8n start` or `n8n worker`. */
export class N8nProcess {
	readonly url: string;
	private readonly child: GroupLeader;
	private readonly chunks: string[];
	private readonly readyLine: string;
	/** Resolves when n8n has ended and everything it printed has arrived. */
	private readonly closed: Promise<void>;
	private readonly exit = new AbortController();

	private constructor(url: string, child: GroupLeader, chunks: string[], readyLine: string) {
		this.url = url;
		this.child = child;
		this.chunks = chunks;
		this.readyLine = readyLine;
		this.closed = new Promise((resolve) => child.once('close', () => resolve()));
		child.once('exit', () => this.exit.abort());
	}

	/**
	 * Resolves once n8n is ready. Another program may take a port between its choice and the seconds in which n8n starts: n8n
	 * then ends, and starts once more on others. @throws Error with the end of its log when it ends or takes over 5 minutes.
	 */
	static async start(options: N8nProcessOptions): Promise<N8nProcess> {
		return await N8nProcess.startOnce(options).catch(async (error: unknown) => {
			if (!(error instanceof EndedEarly) || error.takenPort === undefined) throw error;
			process.stdout.write(
				`n8n found port ${error.takenPort} taken before it was ready: it starts once more on other ports.\n`,
			);
			return await N8nProcess.startOnce(options);
		});
	}

	private static async startOnce({
		installation,
		userFolder,
		preferredPort,
		role = 'start',
		env,
	}: N8nProcessOptions): Promise<N8nProcess> {
		const port = await freePort(preferredPort);
		const brokerPort = await freePort();
		const url = `http://127.0.0.1:${port}`;
		const child = spawnGroup(installation.command, [role], {
			cwd: userFolder,
			env: {
				...n8nEnvironment(userFolder),
				N8N_PORT: String(port),
				QUEUE_HEALTH_CHECK_ACTIVE: String(role === 'worker'),
				QUEUE_HEALTH_CHECK_PORT: String(port),
				N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
				N8N_RUNNERS_BROKER_PORT: String(brokerPort),
				N8N_EDITOR_BASE_URL: url,
				WEBHOOK_URL: `${url}/`,
				...env,
			},
		});
		const chunks: string[] = [];
		for (const stream of [child.stdout, child.stderr]) {
			stream.setEncoding('utf8').on('data', (text: string) => chunks.push(text));
		}
		const n8n = new N8nProcess(url, child, chunks, READY[role]);
		try {
			await n8n.becomeReady();
		} catch (error) {
			await n8n.stop();
			throw error;
		}
		return n8n;
	}

	get pid(): number {
		return this.child.pid as number;
	}

	/** Everything n8n has printed so far. */
	get logs(): string {
		return this.chunks.join('');
	}

	/** Calls `listener` with what n8n has printed so far, then with each new output. */
	onOutput(listener: (text: string) => void): void {
		listener(this.logs);
		for (const stream of [this.child.stdout, this.child.stderr]) stream.on('data', listener);
	}

	get isRunning(): boolean {
		return this.child.exitCode === null && this.child.signalCode === null;
	}

	/** Resolves when n8n has ended and its log is complete, with how it ended: an exit code or a signal. */
	async whenEnded(): Promise<string> {
		await this.closed;
		const { exitCode, signalCode } = this.child;
		return signalCode === null ? `exit code ${exitCode}` : `signal ${signalCode}`;
	}

	/** Ends n8n as an operator would. */
	async stop(): Promise<void> {
		await endGroup(this.child);
	}

	/** Ends n8n as a power cut would. */
	async kill9(): Promise<void> {
		signalGroup(this.child, 'SIGKILL');
		await ended(this.child);
	}

	private async becomeReady(): Promise<void> {
		const deadline = Date.now() + READY_WITHIN_MS;
		while (Date.now() < deadline) {
			if (!this.isRunning) throw new EndedEarly(await this.whenEnded(), this.logs);
			if (this.logs.includes(this.readyLine) && (await this.isReady())) return;
			await wait(ASK_AGAIN_AFTER_MS);
		}
		throw new Error(`n8n was not ready within ${READY_WITHIN_MS / 1_000} s:\n${lastLines(this.logs)}`);
	}

	private async isReady(): Promise<boolean> {
		try {
			const response = await fetch(`${this.url}/healthz/readiness`, { signal: this.exit.signal });
			// A program that has taken the port may never respond. While n8n starts, it serves a waiting page on every route.
			return response.ok && (response.headers.get('content-type') ?? '').includes('json');
		} catch {
			return false;
		}
	}
}
