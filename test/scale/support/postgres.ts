import { chown, mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { GroupLeader } from '../../../scripts/lib/childProcess.ts';
import { endGroup, spawnProgram } from '../../../scripts/lib/childProcess.ts';
import { mustRun, runCommand } from '../../../scripts/lib/command.ts';
import { freePort } from '../../../scripts/lib/ports.ts';
import { until } from '../../../scripts/lib/until.ts';

const READY_WITHIN_MS = 30_000;
const USER = 'n8n';

interface Identity {
	uid?: number;
	gid?: number;
}

/** A private PostgreSQL on throw-away data. */
export class Postgres {
	private constructor(
		private readonly programs: string,
		private readonly folder: string,
		private readonly identity: Identity,
		readonly port: number,
		private child: GroupLeader,
	) {}

	/** @param programs folder of `postgres` and `initdb`. */
	static async start(programs: string, folder: string): Promise<Postgres> {
		const identity = await postgresIdentity();
		await mkdir(folder, { recursive: true });
		if (identity.uid !== undefined && identity.gid !== undefined) await chown(folder, identity.uid, identity.gid);
		await initialize(programs, folder, identity);
		const port = await freePort();
		const postgres = new Postgres(programs, folder, identity, port, launch(programs, folder, identity, port));
		await postgres.ready().catch(async (error: unknown) => {
			await postgres.stop();
			throw error;
		});
		return postgres;
	}

	/** n8n's environment variables for this database. */
	get environment(): NodeJS.ProcessEnv {
		return {
			DB_TYPE: 'postgresdb',
			DB_POSTGRESDB_HOST: '127.0.0.1',
			DB_POSTGRESDB_PORT: String(this.port),
			DB_POSTGRESDB_DATABASE: 'postgres',
			DB_POSTGRESDB_USER: USER,
			DB_POSTGRESDB_PASSWORD: 'not-checked',
		};
	}

	/** Returns the result of a query, one line per row. */
	async query(sql: string): Promise<string[]> {
		const { stdout } = await mustRun(path.join(this.programs, 'psql'), [...this.connection(), '-At', '-c', sql]);
		return stdout.split('\n').filter(Boolean);
	}

	/** Stops it without waiting for its clients. */
	async stop(): Promise<void> {
		this.child.kill('SIGINT');
		await endGroup(this.child);
	}

	async restart(): Promise<void> {
		await this.stop();
		this.child = launch(this.programs, this.folder, this.identity, this.port);
		await this.ready();
	}

	private connection(): string[] {
		return ['-h', '127.0.0.1', '-p', String(this.port), '-U', USER, '-d', 'postgres'];
	}

	private async ready(): Promise<void> {
		const ping = [...this.connection(), '-At', '-c', 'select 1'];
		await until(
			'PostgreSQL responds',
			READY_WITHIN_MS,
			async () => (await runCommand(path.join(this.programs, 'psql'), ping)).code === 0,
		);
	}
}

/** Returns the user to run PostgreSQL as: it does not run as root, and its package creates a user. */
async function postgresIdentity(): Promise<Identity> {
	if (process.getuid?.() !== 0) return {};
	const [uid, gid] = await Promise.all(
		['-u', '-g'].map(async (which) => Number((await mustRun('id', [which, 'postgres'])).stdout)),
	);
	return { ...(uid !== undefined && { uid }), ...(gid !== undefined && { gid }) };
}

async function initialize(programs: string, folder: string, identity: Identity): Promise<void> {
	const args = ['-D', path.join(folder, 'data'), '-U', USER, '-A', 'trust', '--no-sync', '-E', 'UTF8', '--locale=C'];
	await mustRun(path.join(programs, 'initdb'), args, { cwd: folder, ...identity });
}

function launch(programs: string, folder: string, identity: Identity, port: number): GroupLeader {
	const args = [
		'-D',
		path.join(folder, 'data'),
		'-p',
		String(port),
		'-h',
		'127.0.0.1',
		'-k',
		folder,
		'-c',
		'fsync=off',
	];
	const child = spawnProgram(path.join(programs, 'postgres'), args, { cwd: folder, ...identity });
	// Unread output would block the process.
	for (const stream of [child.stdout, child.stderr]) stream.resume();
	return child;
}
