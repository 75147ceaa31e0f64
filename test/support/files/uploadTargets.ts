import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { listen } from '../../../scripts/lib/listen.ts';
import { findInstallation } from '../../../scripts/n8n/installation.ts';
import { HOST } from '../hostUnderTest.ts';

/** A service on this machine that takes uploads and keeps them in memory. */
export interface UploadTarget {
	port: number;
	/** What was uploaded, by its path. */
	uploads: Map<string, string>;
	close(): void;
}

/** A request to an HTTP target. */
export interface Upload {
	method: string;
	url: URL;
	body: string;
}

/** What an HTTP target responds; status 200 unless given. */
export interface Response {
	status?: number;
	headers?: Record<string, string>;
	body?: string;
}

/** Returns a server that takes uploads over HTTP and responds as told. */
export async function httpTarget(
	respond: (upload: Upload, uploads: Map<string, string>) => Response,
): Promise<UploadTarget> {
	const uploads = new Map<string, string>();
	const server = createServer((request, response) => {
		void text(request).then((body) => {
			const url = new URL(request.url as string, 'http://127.0.0.1');
			const { status = 200, headers, body: text } = respond({ method: request.method as string, url, body }, uploads);
			response.writeHead(status, headers).end(text);
		});
	});
	const { port } = await listen(server);
	return { port, uploads, close: () => void server.close() };
}

/**
 * Returns what an upload to S3 needs of it: PutObject, and CreateMultipartUpload to CompleteMultipartUpload (Amazon S3 API
 * Reference). n8n uploads in parts what it does not keep in memory.
 */
export async function s3Target(): Promise<UploadTarget> {
	const parts: string[] = [];
	const xml = (body: string) => ({ body: `<?xml version="1.0" encoding="UTF-8"?>${body}` });
	return await httpTarget(({ method, url, body }, uploads) => {
		const { searchParams: query } = url;
		if (query.has('location')) return xml('<LocationConstraint xmlns="s3">eu-west-1</LocationConstraint>');
		if (query.has('uploads')) {
			return xml('<InitiateMultipartUploadResult><UploadId>1</UploadId></InitiateMultipartUploadResult>');
		}
		if (method === 'PUT' && !query.has('partNumber')) {
			uploads.set(url.pathname, body);
			return {};
		}
		if (method === 'PUT') {
			parts.push(body);
			return { headers: { ETag: `"${parts.length}"` } };
		}
		if (method === 'GET') {
			const listed = parts.map((_, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>"${at + 1}"</ETag></Part>`);
			return xml(`<ListPartsResult>${listed.join('')}</ListPartsResult>`);
		}
		uploads.set(url.pathname, parts.join(''));
		return xml('<CompleteMultipartUploadResult><Key>done</Key></CompleteMultipartUploadResult>');
	});
}

/** What is used here of the ssh2 library, which n8n brings along. */
interface Ssh2 {
	Server: new (
		options: { hostKeys: string[] },
		connected: (client: SshChannel) => void,
	) => { listen(port: number, address: string, ready: () => void): void; address(): AddressInfo; close(): void };
	utils: {
		generateKeyPairSync(type: 'ed25519'): { private: string };
		sftp: { STATUS_CODE: { OK: number; NO_SUCH_FILE: number } };
	};
}

interface SshChannel {
	on(event: string, listener: (...args: never[]) => void): SshChannel;
}

interface Sftp extends SshChannel {
	handle(request: number, handle: Buffer): void;
	status(request: number, code: number): void;
	/** Without a time, the ssh2 of n8n calls a function that Node 24 lacks. */
	attrs(request: number, attributes: { mode: number; size: number; atime: number; mtime: number }): void;
	name(request: number, names: Array<{ filename: string }>): void;
}

const DIRECTORY = 0o040_755;
const FILE = 0o100_644;

/** Returns an SFTP server with one folder, for any user. */
export async function sftpTarget(): Promise<UploadTarget> {
	const { Server, utils } = createRequire(findInstallation(HOST).command)('ssh2') as Ssh2;
	const { OK, NO_SUCH_FILE } = utils.sftp.STATUS_CODE;
	const uploads = new Map<string, string>();
	const serve = (sftp: Sftp) => {
		const opened: Array<{ path: string; chunks: Buffer[] }> = [];
		const attributes = (request: number, path: string) => {
			const upload = uploads.get(path);
			const times = { atime: 0, mtime: 0 };
			if (path === '/') sftp.attrs(request, { mode: DIRECTORY, size: 0, ...times });
			else if (upload === undefined) sftp.status(request, NO_SUCH_FILE);
			else sftp.attrs(request, { mode: FILE, size: Buffer.byteLength(upload), ...times });
		};
		sftp
			.on('REALPATH', (request: number, path: string) => sftp.name(request, [{ filename: path }]))
			.on('STAT', attributes)
			.on('LSTAT', attributes)
			.on('OPEN', (request: number, path: string) => {
				sftp.handle(request, Buffer.from([opened.push({ path, chunks: [] }) - 1]));
			})
			.on('WRITE', (request: number, handle: Buffer, _offset: number, chunk: Buffer) => {
				// The client writes one chunk after the other, each behind the last.
				opened[handle[0]!]!.chunks.push(Buffer.from(chunk));
				sftp.status(request, OK);
			})
			.on('FSETSTAT', (request: number) => sftp.status(request, OK))
			.on('CLOSE', (request: number, handle: Buffer) => {
				const { path, chunks } = opened[handle[0]!]!;
				uploads.set(path, Buffer.concat(chunks).toString());
				sftp.status(request, OK);
			});
	};
	const server = new Server({ hostKeys: [utils.generateKeyPairSync('ed25519').private] }, (client) => {
		client
			.on('authentication', (attempt: { accept(): void }) => attempt.accept())
			.on('session', (accept: () => SshChannel) => {
				accept().on('sftp', (acceptSftp: () => Sftp) => serve(acceptSftp()));
			})
			.on('error', () => {});
	});
	await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
	return { port: server.address().port, uploads, close: () => server.close() };
}
