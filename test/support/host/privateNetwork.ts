import { rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, request as httpRequest } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import path from 'node:path';
import { generate } from 'selfsigned';
import { listen } from '../../../scripts/lib/listen.ts';
import { temporaryFolder } from '../../../scripts/lib/temporaryFolder.ts';

/** Handles a request to one host of the network. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * A network that is reached through an HTTPS proxy only, as in a company: its hosts exist only behind the proxy, and their
 * certificate comes from an authority that nobody else knows.
 */
export class PrivateNetwork {
	private constructor(
		/** What n8n needs in its environment to use the network, without and with the authority. */
		readonly proxy: NodeJS.ProcessEnv,
		readonly proxyAndAuthority: NodeJS.ProcessEnv,
		/** The hosts that were connected to, in order. */
		readonly connected: string[],
		readonly stop: () => Promise<void>,
	) {}

	static async start(hosts: Record<string, Handler>): Promise<PrivateNetwork> {
		const altNames = Object.keys(hosts).map((value) => ({ type: 2 as const, value }));
		const { private: key, cert } = await generate([{ name: 'commonName', value: 'Private network' }], {
			extensions: [{ name: 'subjectAltName', altNames }],
		});
		const folder = await temporaryFolder('network');
		const authority = path.join(folder, 'authority.pem');
		await writeFile(authority, cert);

		const connected: string[] = [];
		const behind = createHttpsServer({ key, cert }, (request, response) => {
			const handle = hosts[request.headers.host as string];
			if (handle === undefined) response.writeHead(502).end();
			else handle(request, response);
		});
		const proxy = createServer((_request, response) => response.writeHead(405).end());
		proxy.on('connect', ({ url }: IncomingMessage, socket) => {
			connected.push((url as string).replace(/:443$/, ''));
			socket.on('error', () => {});
			socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
			behind.emit('connection', socket);
		});
		const { url } = await listen(proxy);
		const env = { HTTPS_PROXY: url, NO_PROXY: '127.0.0.1,localhost' };
		const stop = async () => {
			proxy.close();
			proxy.closeAllConnections();
			behind.closeAllConnections();
			await rm(folder, { recursive: true, force: true });
		};
		return new PrivateNetwork(env, { ...env, NODE_EXTRA_CA_CERTS: authority }, connected, stop);
	}
}

/** Passes each request on to a server on this machine. */
export function passedOnTo(server: string): Handler {
	return (request, response) => {
		const { method, headers } = request;
		const onward = httpRequest(new URL(request.url as string, server), { method, headers }, (returned) => {
			response.writeHead(returned.statusCode as number, returned.headers);
			returned.pipe(response);
		});
		request.pipe(onward);
	};
}
