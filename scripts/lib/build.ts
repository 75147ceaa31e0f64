import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { mustRun } from './command.ts';
import { inRepository, ROOT } from './repository.ts';
import { temporaryFolder } from './temporaryFolder.ts';

/** Compiles the package into `dist`. @throws Error with the compiler's messages. */
export async function build(): Promise<void> {
	await mustRun(process.execPath, [inRepository('node_modules', 'gulp', 'bin', 'gulp.js'), 'build'], {
		env: { ...process.env, FORCE_COLOR: process.stdout.isTTY ? '1' : '0' },
	});
}

/** What npm says of a package that it has packed. */
interface Packed {
	filename: string;
	unpackedSize: number;
	files: Array<{ path: string }>;
}

/** A packed package, as a temporary file. */
interface PackedPackage {
	/** Absolute path of the tarball. */
	tarball: string;
	/** Size of all files together, in bytes. */
	unpackedSize: number;
	/** Paths inside the package, with forward slashes. */
	files: string[];
	/** Removes the tarball. */
	dispose(): Promise<void>;
}

export async function buildAndPack(): Promise<PackedPackage> {
	await build();
	return await pack();
}

/** Packs the build, exactly as `npm publish` would, into a temporary folder. */
export async function pack(): Promise<PackedPackage> {
	return await packIn(ROOT);
}

/** Packs, in the same way, the build of a copy of the repository. */
export async function packIn(copy: string): Promise<PackedPackage> {
	const folder = await temporaryFolder('pack');
	const { stdout } = await mustRun('npm', ['pack', '--json', '--workspaces=false', '--pack-destination', folder], {
		cwd: copy,
	});
	// A list; from npm 12 on, an object by name.
	const [packed] = Object.values(JSON.parse(stdout) as Packed[] | Record<string, Packed>);
	if (packed === undefined) throw new Error(`npm pack named no package: ${stdout}`);
	return {
		tarball: path.join(folder, packed.filename),
		unpackedSize: packed.unpackedSize,
		files: packed.files.map((file) => file.path),
		dispose: async () => await rm(folder, { recursive: true, force: true }),
	};
}

/** Empties `folder` and unpacks a tarball into it. */
export async function unpack(tarball: string, folder: string): Promise<void> {
	await rm(folder, { recursive: true, force: true });
	await mkdir(folder, { recursive: true });
	await mustRun('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1']);
}
