import { mkdir } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import type { GroupLeader } from '../../../scripts/lib/childProcess.ts';
import { endGroup, spawnProgram } from '../../../scripts/lib/childProcess.ts';
import { freePort } from '../../../scripts/lib/ports.ts';
import { until } from '../../../scripts/lib/until.ts';

const READY_WITHIN_MS = 20_000;

/** A private Redis that keeps its queue over a restart, as a production Redis for n8n does. */
export class Redis {
	private constructor(
		private readonly program: string,
		private readonly folder: string,
		readonly port: number,
		private child: GroupLeader,
	) {}

	static async start(program: string, folder: string): Promise<Redis> {
		await mkdir(folder, { recursive: true });
		const port = await freePort();
		const redis = new Redis(program, folder, port, launch(program, folder, port));
		await redis.ready();
		return redis;
	}

	async stop(): Promise<void> {
		await endGroup(this.child);
	}

	async restart(): Promise<void> {
		await this.stop();
		this.child = launch(this.program, this.folder, this.port);
		await this.ready();
	}

	private async ready(): Promise<void> {
		await until(
			`Redis responds (data in ${path.basename(this.folder)})`,
			READY_WITHIN_MS,
			async () => await respondsToPing(this.port),
		);
	}
}

function launch(program: string, folder: string, port: number): GroupLeader {
	const settings = { port, bind: '127.0.0.1', dir: folder, appendonly: 'yes', appendfsync: 'everysec', save: '' };
	const child = spawnProgram(
		program,
		Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]),
	);
	// Unread output would block the process.
	for (const stream of [child.stdout, child.stderr]) stream.resume();
	return child;
}

async function respondsToPing(port: number): Promise<boolean> {
	return await new Promise((resolve) => {
		const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
		const end = (isReady: boolean) => {
			socket.destroy();
			resolve(isReady);
		};
		socket.once('data', (data) => end(data.toString().startsWith('+PONG')));
		socket.once('error', () => end(false));
	});
}
