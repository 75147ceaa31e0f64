import { randomBytes } from 'node:crypto';
import { chmod, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { temporaryFolder } from '../../../scripts/lib/temporaryFolder.ts';
import { DURABLE_CURSORS } from '../../../scripts/n8n/environment.ts';
import { findInstallation } from '../../../scripts/n8n/installation.ts';
import { N8nProcess } from '../../../scripts/n8n/n8nProcess.ts';
import { N8nSession } from '../../../scripts/n8n/session.ts';
import { installPackage } from '../../../scripts/n8n/userFolder.ts';
import { findQueuePrograms } from '../../../scripts/scale/programs.ts';
import { LEASES } from '../../support/host/polling.ts';
import { Postgres } from './postgres.ts';
import { Redis } from './redis.ts';
import { probed, Vitals } from './vitals.ts';

/** Number of workers, and of executions that each runs at once. */
export const WORKERS = 3;
export const AT_ONCE = 4;

// n8n detects a killed worker in seconds instead of one to two minutes, and does not mistake a slow worker for a killed one.
const LOCKS = {
	QUEUE_WORKER_LOCK_DURATION: '20000',
	QUEUE_WORKER_LOCK_RENEW_TIME: '2000',
	QUEUE_WORKER_STALLED_INTERVAL: '3000',
};

/**
 * By default n8n deletes a finished job. If it finished before the main process waits for it, that never learns of it, and a
 * retry gets no response (measured on 2.41.1).
 */
const KEEPS_JOBS = { N8N_EXECUTIONS_QUEUE_KEEP_LAST_COMPLETED: '1000', N8N_EXECUTIONS_QUEUE_KEEP_LAST_FAILED: '1000' };

const LOOK_EVERY_MS = 250;

/** n8n in queue mode: Redis, PostgreSQL, a main and its workers, each with the packed package in its own folder. */
export class Cluster {
	readonly workers: N8nProcess[] = [];
	private mainProcess: N8nProcess | undefined;
	private currentSession: N8nSession | undefined;

	private constructor(
		private readonly folder: string,
		readonly redis: Redis,
		readonly postgres: Postgres,
		private readonly encryptionKey: string,
	) {}

	static async start(): Promise<Cluster> {
		const programs = findQueuePrograms();
		if ('missing' in programs) throw new Error(programs.missing);
		const folder = await temporaryFolder('scale');
		// PostgreSQL's user must be able to reach its own folder inside.
		await chmod(folder, 0o755);
		const redis = await Redis.start(programs.redisServer, path.join(folder, 'redis'));
		const postgres = await Postgres.start(programs.postgresFolder, path.join(folder, 'postgres')).catch(
			async (error: unknown) => {
				await redis.stop();
				throw error;
			},
		);
		const cluster = new Cluster(folder, redis, postgres, randomBytes(24).toString('hex'));
		try {
			await cluster.startAll();
		} catch (error) {
			await cluster.stop();
			throw error;
		}
		return cluster;
	}

	private async startAll(): Promise<void> {
		for (const name of ['main', ...Array.from({ length: WORKERS }, (_, index) => `worker-${index}`)]) {
			await installPackage(path.join(this.folder, name), process.env.PACKED_TARBALL as string);
		}
		await this.startMain();
		await Promise.all(Array.from({ length: WORKERS }, async (_, index) => await this.startWorker(index)));
	}

	get main(): N8nProcess {
		return this.mainProcess as N8nProcess;
	}

	get session(): N8nSession {
		return this.currentSession as N8nSession;
	}

	get processes(): N8nProcess[] {
		return [this.mainProcess, ...this.workers].filter((n8n) => n8n !== undefined);
	}

	/** Creates a record of the vitals of n8n's processes. */
	vitals(): Vitals {
		return new Vitals(this.folder);
	}

	/** Starts the main process, or its replacement, and signs the owner in. */
	async startMain(): Promise<void> {
		this.mainProcess = await this.launch('main', 'start');
		this.currentSession = await N8nSession.ofOwner(this.mainProcess.url);
	}

	async startWorker(index: number): Promise<void> {
		this.workers[index] = await this.launch(`worker-${index}`, 'worker');
	}

	/** Restarts n8n processes that end by themselves, as a supervisor does. The returned function stops that and returns the number of restarts. */
	supervise(): () => Promise<number> {
		const stop = new AbortController();
		let restarts = 0;
		const watching = (async () => {
			while (!stop.signal.aborted) {
				for (const [index, worker] of this.workers.entries()) {
					if (worker.isRunning) continue;
					restarts++;
					await this.startWorker(index);
				}
				if (!this.main.isRunning) {
					restarts++;
					await this.startMain();
				}
				await wait(LOOK_EVERY_MS);
			}
		})();
		return async () => {
			stop.abort();
			await watching;
			return restarts;
		};
	}

	async stop(): Promise<void> {
		await Promise.all(this.processes.map(async (n8n) => await n8n.stop()));
		await Promise.all([this.redis.stop(), this.postgres.stop()]);
		await rm(this.folder, { recursive: true, force: true });
	}

	private async launch(name: string, role: 'start' | 'worker'): Promise<N8nProcess> {
		return await N8nProcess.start({
			installation: findInstallation('n8n-2'),
			userFolder: path.join(this.folder, name),
			role,
			env: {
				...this.postgres.environment,
				...LOCKS,
				...KEEPS_JOBS,
				...LEASES,
				...DURABLE_CURSORS,
				...probed(this.folder),
				EXECUTIONS_MODE: 'queue',
				QUEUE_BULL_REDIS_HOST: '127.0.0.1',
				QUEUE_BULL_REDIS_PORT: String(this.redis.port),
				N8N_CONCURRENCY_PRODUCTION_LIMIT: role === 'worker' ? String(AT_ONCE) : '-1',
				N8N_ENCRYPTION_KEY: this.encryptionKey,
				OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
			},
		});
	}
}
