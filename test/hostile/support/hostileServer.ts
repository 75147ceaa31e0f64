import net from 'node:net';
import { listen } from '../../../scripts/lib/listen.ts';
import { until } from '../../../scripts/lib/until.ts';

/** A part of the response to one request. The parts are sent in order; then the connection ends. */
export type Part =
	| Buffer
	| string
	/** The same bytes repeatedly, as fast as the client reads them. */
	| { repeat: Buffer; times: number }
	/** The same bytes every `everyMs`, without an end. */
	| { drip: Buffer; everyMs: number }
	| 'reset'
	| 'silence';

/** The response to request number `index` (from 0), whose header is `head`. */
export type Script = (index: number, head: string) => Part[];

const PAUSE_BETWEEN_REPEATS = 0;

function contentLength(head: string): number {
	return Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
}

/** Sends bytes and waits until there is room for more. Returns false when the client has disconnected. */
async function written(socket: net.Socket, bytes: Buffer | string): Promise<boolean> {
	if (socket.destroyed) return false;
	if (socket.write(bytes)) return true;
	await new Promise<void>((resolve) => {
		const go = () => {
			socket.off('drain', go).off('close', go);
			resolve();
		};
		socket.on('drain', go).on('close', go);
	});
	return !socket.destroyed;
}

const pause = async (ms: number) =>
	await new Promise<void>((resolve) =>
		ms === PAUSE_BETWEEN_REPEATS ? setImmediate(resolve) : setTimeout(resolve, ms),
	);

/** Returns a server for the tests of a file, and one that must never get a request. */
export function useHostileServers(): { server: HostileServer; elsewhere: HostileServer } {
	const servers = { server: new HostileServer(), elsewhere: new HostileServer() };
	beforeAll(async () => {
		await servers.server.start();
		await servers.elsewhere.start();
	});
	afterAll(async () => {
		await Promise.all([servers.server.stop(), servers.elsewhere.stop()]);
	});
	return servers;
}

/**
 * A server below HTTP: it responds to a request with any bytes. Each script has its own address
 * (`http://127.0.0.1:port/name`), so that many can run at once.
 */
export class HostileServer {
	private readonly scripts = new Map<string, { script: Script; heads: string[]; requests: number }>();
	private readonly sockets = new Set<net.Socket>();
	private readonly server = net.createServer((socket) => this.converse(socket));
	private names = 0;
	port = 0;
	/** Bytes written in total. */
	sent = 0;
	/** Connections accepted in total. */
	connections = 0;

	async start(): Promise<void> {
		this.port = (await listen(this.server)).port;
	}

	async stop(): Promise<void> {
		for (const socket of this.sockets) socket.destroy();
		await new Promise((resolve) => this.server.close(resolve));
	}

	/** Connections that neither side has closed. */
	get open(): number {
		return this.sockets.size;
	}

	/** Waits until `condition` holds. */
	async until(what: string, condition: (server: HostileServer) => boolean, withinMs = 60_000): Promise<void> {
		await until(what, withinMs, () => condition(this), 10);
	}

	/** Serves `script` at a new address. */
	serve(script: Script): { baseUrl: string; heads: string[]; change(script: Script): void } {
		const name = `s${++this.names}`;
		const entry = { script, heads: [] as string[], requests: 0 };
		this.scripts.set(name, entry);
		return {
			baseUrl: `http://127.0.0.1:${this.port}/${name}`,
			heads: entry.heads,
			change: (next) => {
				entry.script = next;
				entry.requests = 0;
			},
		};
	}

	private converse(socket: net.Socket): void {
		this.sockets.add(socket);
		this.connections++;
		socket.on('close', () => this.sockets.delete(socket));
		// The client may disconnect at any time.
		socket.on('error', () => undefined);
		let received = '';
		socket.on('data', (chunk) => {
			received += chunk.toString('latin1');
			const end = received.indexOf('\r\n\r\n');
			if (end < 0) return;
			const head = received.slice(0, end);
			if (received.length < end + 4 + contentLength(head)) return;
			received = '';
			void this.respond(socket, head);
		});
	}

	private async respond(socket: net.Socket, head: string): Promise<void> {
		const entry = this.scripts.get(/^\S+ \/([^/? ]+)/.exec(head)?.[1] ?? '');
		if (entry === undefined) {
			socket.destroy();
			return;
		}
		entry.heads.push(head);
		for (const part of entry.script(entry.requests++, head)) {
			if (part === 'silence') return;
			if (part === 'reset') {
				socket.resetAndDestroy();
				return;
			}
			if (typeof part === 'string' || Buffer.isBuffer(part)) {
				this.sent += part.length;
				if (!(await written(socket, part))) return;
				continue;
			}
			const [bytes, times, pauseMs] =
				'repeat' in part ? [part.repeat, part.times, PAUSE_BETWEEN_REPEATS] : [part.drip, Infinity, part.everyMs];
			for (let time = 0; time < times; time++) {
				this.sent += bytes.length;
				if (!(await written(socket, bytes))) return;
				if ('drip' in part || time % 16 === 0) await pause(pauseMs);
			}
		}
		socket.end();
	}
}
