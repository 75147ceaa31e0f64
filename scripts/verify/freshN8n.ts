import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { temporaryFolder } from '../lib/temporaryFolder.ts';
import type { Installation } from '../n8n/installation.ts';
import type { N8nProcess } from '../n8n/n8nProcess.ts';
import type { N8nSession } from '../n8n/session.ts';
import { startN8n } from '../n8n/startN8n.ts';
import type { Manifest } from './contents.ts';
import type { Registry } from './registry.ts';
import { startRegistry } from './registry.ts';

/** A node or credential type as n8n describes it to its editor. */
export interface KnownType {
	name: string;
	displayName: string;
	iconUrl?: string | { light: string; dark: string };
}

/** An installed community package, as n8n lists it. */
export interface InstalledPackage {
	packageName: string;
	installedVersion: string;
	installedNodes: Array<{ name: string; type: string }>;
	failedLoading?: boolean;
}

/** A clean n8n that installs the package as a user would: with n8n's community-package installer. Needs a POSIX shell. */
export class FreshN8n {
	readonly session: N8nSession;
	private readonly folder: string;
	private readonly registry: Registry;
	private readonly n8n: N8nProcess;

	private constructor(folder: string, registry: Registry, n8n: N8nProcess, session: N8nSession) {
		this.folder = folder;
		this.registry = registry;
		this.n8n = n8n;
		this.session = session;
	}

	/** @param more environment variables for n8n. */
	static async start(
		installation: Installation,
		tarball: string,
		manifest: Manifest,
		more: NodeJS.ProcessEnv = {},
	): Promise<FreshN8n> {
		const folder = await temporaryFolder('verify');
		const registry = await startRegistry(tarball, manifest);
		try {
			const env = { ...(await npmFor(registry, folder)), ...more };
			const { n8n, session } = await startN8n({ installation, userFolder: folder, env });
			return new FreshN8n(folder, registry, n8n, session);
		} catch (error) {
			await registry.stop();
			await rm(folder, { recursive: true, force: true });
			throw error;
		}
	}

	/** Does what Settings → Community nodes → Install does. @throws N8nRestError when n8n rejects or cannot load the package. */
	async install({ name, version }: Manifest): Promise<InstalledPackage> {
		await this.session.request('POST', '/rest/community-packages', { name, version });
		const installed = (await this.session.request('GET', '/rest/community-packages')) as InstalledPackage[];
		const [found] = installed.filter(({ packageName }) => packageName === name);
		if (found === undefined) throw new Error(`n8n does not list ${name} among its community packages.`);
		if (!this.registry.asked.some((asked) => asked.startsWith('/tarball/'))) {
			throw new Error('n8n did not fetch the tarball that is being verified.');
		}
		return found;
	}

	/** Returns the node or credential types that n8n describes to its editor. */
	async types(kind: 'nodes' | 'credentials'): Promise<KnownType[]> {
		return (await this.session.request('GET', `/types/${kind}.json`)) as KnownType[];
	}

	/** Whether n8n serves an icon as an image. */
	async servesIcon(iconUrl: string): Promise<boolean> {
		const response = await fetch(new URL(iconUrl, `${this.session.url}/`));
		const isImage = (response.headers.get('content-type') ?? '').startsWith('image/svg');
		return response.ok && isImage && (await response.text()).includes('<svg');
	}

	/** n8n's output. */
	get logs(): string {
		return this.n8n.logs;
	}

	async stop(): Promise<void> {
		await this.n8n.stop();
		await this.registry.stop();
		await rm(this.folder, { recursive: true, force: true });
	}
}

/**
 * Returns the environment in which npm uses `registry`. n8n's installer calls npm with the public registry and accepts
 * another one only with a licence, so the first npm on the PATH replaces it. Everything else is n8n's own.
 */
async function npmFor(registry: Registry, folder: string): Promise<NodeJS.ProcessEnv> {
	const bin = path.join(folder, 'bin');
	await mkdir(bin, { recursive: true });
	// The last --registry wins. n8n 1.x passes none when it looks for updates, and passes npm no settings either.
	const script = ['#!/bin/sh', `PATH=\${PATH#*:} exec npm "$@" '--registry=${registry.url}'`];
	await writeFile(path.join(bin, 'npm'), `${script.join('\n')}\n`);
	await chmod(path.join(bin, 'npm'), 0o755);
	return {
		PATH: `${bin}${path.delimiter}${process.env.PATH ?? ''}`,
		// A shared cache could hold the same name and version from an earlier run.
		npm_config_cache: path.join(folder, 'npm-cache'),
		npm_config_registry: registry.url,
		// n8n's own requests about the package, to n8n's address and to the public registry, stay on this machine and fail.
		HTTPS_PROXY: registry.url,
	};
}
