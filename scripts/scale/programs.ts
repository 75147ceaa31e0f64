import { existsSync, globSync } from 'node:fs';
import path from 'node:path';

/** Paths of the programs that n8n's queue mode needs. */
interface QueuePrograms {
	redisServer: string;
	/** Folder of `postgres`, `initdb` and `psql`. */
	postgresFolder: string;
}

/** Finds the programs, or says which are missing and how to install them. */
export function findQueuePrograms(): QueuePrograms | { missing: string } {
	const redisServer = onPath('redis-server');
	// Debian keeps the server's programs off the PATH, a folder for each version.
	const folders = [...globSync('/usr/lib/postgresql/*/bin').reverse(), '/usr/local/bin', '/usr/bin'];
	const postgres = folders.find((folder) =>
		['postgres', 'initdb', 'psql'].every((program) => existsSync(path.join(folder, program))),
	);
	const missing = [
		...(redisServer === undefined ? ['redis-server'] : []),
		...(postgres === undefined ? ['postgresql'] : []),
	];
	if (redisServer === undefined || postgres === undefined) {
		return { missing: `not installed: apt-get install ${missing.join(' ')}` };
	}
	return { redisServer, postgresFolder: postgres };
}

function onPath(program: string): string | undefined {
	const folders = [...(process.env.PATH ?? '').split(path.delimiter), '/usr/bin', '/usr/local/bin'];
	return folders.map((folder) => path.join(folder, program)).find((file) => existsSync(file));
}
