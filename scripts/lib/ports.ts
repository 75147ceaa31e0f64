import type { ListenOptions, Server } from 'node:net';
import { createServer } from 'node:net';

// Below the ports that Linux uses for outgoing connections: one of those could take the port before a program listens.
const ANY = { from: 20_000, count: 12_000 };

/**
 * Returns a free TCP port of 127.0.0.1: `preferred` or one of the next 49; any port without a preference. Never the same one
 * twice.
 */
export async function freePort(preferred?: number): Promise<number> {
	const { from, count } = preferred === undefined ? ANY : { from: preferred, count: 50 };
	for (let port = from; port < from + count; port++) {
		if ((await claim(`port ${port}`)) && (await isFree(port))) return port;
	}
	throw new Error(`No port from ${from} on is free. Stop one of the programs that listen there.`);
}

/**
 * Claims something for this process until it ends, however it does, with a socket that only has a name (Linux). So is a port: a
 * program listens seconds after it was chosen, and until then another process would choose the same.
 */
export async function claim(what: string): Promise<boolean> {
	const claimed = await listening({ path: `\0n8n-nodes-lead-revenue ${what}` });
	claimed?.unref();
	return claimed !== undefined;
}

async function isFree(port: number): Promise<boolean> {
	const server = await listening({ port, host: '127.0.0.1' });
	await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)));
	return server !== undefined;
}

/** Listens, unless another process does already. */
async function listening(where: ListenOptions): Promise<Server | undefined> {
	const server = createServer();
	return await new Promise((resolve, reject) => {
		server.once('error', (error: NodeJS.ErrnoException) =>
			error.code === 'EADDRINUSE' || error.code === 'EACCES' ? resolve(undefined) : reject(error),
		);
		server.listen(where, () => resolve(server));
	});
}
