import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { listen } from '../lib/listen.ts';
import { checksumOf } from './checksum.ts';
import type { Manifest } from './contents.ts';

/** A package registry on this machine with one version of one package. */
export interface Registry {
	url: string;
	/** Requested paths, in order. */
	readonly asked: readonly string[];
	stop(): Promise<void>;
}

/** Serves a tarball as the npm registry would once it is published. */
export async function startRegistry(tarball: string, manifest: Manifest): Promise<Registry> {
	const content = await readFile(tarball);
	const integrity = checksumOf(tarball);
	const asked: string[] = [];
	const server = createServer((request, response) => {
		const { pathname } = new URL(request.url ?? '/', url);
		asked.push(pathname);
		if (pathname === `/tarball/${path.basename(tarball)}`) {
			response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(content);
			return;
		}
		const version = { ...manifest, dist: { tarball: `${url}/tarball/${path.basename(tarball)}`, integrity } };
		const documents: Record<string, object> = {
			[`/${manifest.name}`]: {
				name: manifest.name,
				'dist-tags': { latest: manifest.version },
				versions: { [manifest.version]: version },
			},
			[`/${manifest.name}/${manifest.version}`]: version,
		};
		const document = documents[pathname];
		response.writeHead(document === undefined ? 404 : 200, { 'content-type': 'application/json' });
		response.end(JSON.stringify(document ?? { error: 'Not found' }));
	});
	const { url, stop } = await listen(server);
	return { url, asked, stop };
}
