import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { unpack } from '../../../scripts/lib/build.ts';
import { mustRun } from '../../../scripts/lib/command.ts';
import { temporaryFolder } from '../../../scripts/lib/temporaryFolder.ts';

/** Returns a copy of the packed package with something wrong in it. Needs the packed package: see `shareTarball`. */
export async function spoiltTarball(
	spoil: (folder: string) => Promise<void>,
): Promise<{ tarball: string; dispose(): Promise<void> }> {
	const folder = await temporaryFolder('spoilt');
	const content = path.join(folder, 'package');
	await unpack(process.env.PACKED_TARBALL as string, content);
	await spoil(content);
	const tarball = path.join(folder, 'spoilt.tgz');
	await mustRun('tar', ['-czf', tarball, '-C', folder, 'package']);
	return { tarball, dispose: async () => await rm(folder, { recursive: true, force: true }) };
}

/** Changes fields of the manifest in an unpacked package. */
export async function changeManifest(folder: string, fields: object): Promise<void> {
	const file = path.join(folder, 'package.json');
	await writeFile(file, JSON.stringify({ ...(JSON.parse(await readFile(file, 'utf8')) as object), ...fields }));
}

/** Adds a file to an unpacked package: a copy of one of its files. */
export async function addFile(folder: string, name: string, like = 'LICENSE'): Promise<void> {
	await cp(path.join(folder, like), path.join(folder, name));
}
