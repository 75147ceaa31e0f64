import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';

/**
 * Lets a server listen on any free port of this machine. Returns the port, the address of a web server there, and what ends
 * it with all connections.
 */
export async function listen(server: Server & Partial<Pick<HttpServer, 'closeAllConnections'>>) {
	await once(server.listen(0, '127.0.0.1'), 'listening');
	const { port } = server.address() as AddressInfo;
	const stop = async (): Promise<void> => {
		server.closeAllConnections?.();
		await once(server.close(), 'close');
	};
	return { port, url: `http://127.0.0.1:${port}`, stop };
}
