import { createServer } from 'node:net';

async function listen(port: number): Promise<number | undefined> {
	const server = createServer();
	return await new Promise((resolve, reject) => {
		server.once('error', (error: NodeJS.ErrnoException) =>
			error.code === 'EADDRINUSE' || error.code === 'EACCES' ? resolve(undefined) : reject(error),
		);
		server.listen(port, '127.0.0.1', () => {
			const address = server.address();
			server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : undefined));
		});
	});
}

// Below the ports that Linux uses for outgoing connections: one of those could take the port before a program listens. Each
// process starts at another port, far from those of processes that were started with it: a program listens seconds after its
// port was chosen, and until then another process would choose the same.
const LOWEST = 20_000;
const COUNT = 12_000;
const APART = 601;
let last = (process.pid * APART) % COUNT;

function* anyPort(): Generator<number> {
	for (let tried = 0; tried < COUNT; tried++) yield LOWEST + (last = (last + 1) % COUNT);
}

/** A free TCP port of 127.0.0.1: `preferred` or one of the next 49; any port without a preference. */
export async function freePort(preferred?: number): Promise<number> {
	const candidates =
		preferred === undefined ? anyPort() : Array.from({ length: 50 }, (_, offset) => preferred + offset);
	for (const candidate of candidates) {
		const port = await listen(candidate);
		if (port !== undefined) return port;
	}
	throw new Error(`No port from ${preferred ?? LOWEST} on is free. Stop one of the programs that listen there.`);
}
