import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pack, unpack } from '../lib/build.ts';
import { PACKAGE } from '../lib/repository.ts';

/** Returns n8n's folder for settings, database and community packages, below `N8N_USER_FOLDER`. */
export function n8nFolder(userFolder: string): string {
	return path.join(userFolder, '.n8n');
}

/** Packs the build and installs it. */
export async function installBuild(userFolder: string): Promise<void> {
	const { tarball, dispose } = await pack();
	await installPackage(userFolder, tarball).finally(dispose);
}

/** Installs a packed package where n8n's community-package installer would; replaces an earlier one. */
export async function installPackage(userFolder: string, tarball: string): Promise<void> {
	const nodesFolder = path.join(n8nFolder(userFolder), 'nodes');
	await mkdir(nodesFolder, { recursive: true });
	const manifestFile = path.join(nodesFolder, 'package.json');
	const manifest = await readManifest(manifestFile);
	manifest.dependencies = { ...manifest.dependencies, [PACKAGE.name]: PACKAGE.version };
	await unpack(tarball, path.join(nodesFolder, 'node_modules', PACKAGE.name));
	await writeFile(manifestFile, `${JSON.stringify(manifest, null, 2)}\n`);
}

async function readManifest(
	file: string,
): Promise<{ name: string; private: boolean; dependencies: Record<string, string> }> {
	const fresh = { name: 'installed-nodes', private: true, dependencies: {} };
	try {
		return { ...fresh, ...(JSON.parse(await readFile(file, 'utf8')) as object) };
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return fresh;
		throw error;
	}
}
