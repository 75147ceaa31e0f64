import { cp, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { unpack } from '../lib/build.ts';
import { mustRun, runCommand } from '../lib/command.ts';
import { inRepository, PACKAGE } from '../lib/repository.ts';
import { temporaryFolder } from '../lib/temporaryFolder.ts';
import { folderVariable } from '../n8n/installation.ts';

/*
 * In a clone, n8n's own tool, n8n-node 0.48.3, does this:
 *
 * - `n8n-node build` compiles each file by itself, and n8n loads the result, which buildLikeN8n() checks. Do not pack it: uuid
 *   would be missing, and pictures would be added. `npm run verify` rejects it.
 * - `n8n-node lint` ends with "Strict mode violation", because eslint.config.mjs also serves tests and scripts. lintLikeN8n()
 *   runs it on what is published.
 * - `n8n-node dev` compiles, but n8n then ends: it loads every `*.node.js` below the clone, even `Arrow.node.js` of a
 *   development dependency (measured on 2.41.1). Use `npm start`.
 */

const PUBLISHED_SOURCE = ['package.json', 'tsconfig.json', 'README.md', 'LICENSE', 'credentials', 'icons', 'nodes'];

// n8n's strict mode accepts only this text.
const DEFAULT_CONFIG = "import { config } from '@n8n/node-cli/eslint';\n\nexport default config;\n";

/** Runs n8n's linter on what is published, in strict mode with its default configuration. @throws Error with its findings. */
export async function lintLikeN8n(): Promise<void> {
	const modules = linterModules();
	const folder = await stage(modules);
	const command = path.join(modules, '@n8n', 'node-cli', 'bin', 'n8n-node.mjs');
	const { code, output } = await runCommand(process.execPath, [command, 'lint'], { cwd: folder });
	await rm(folder, { recursive: true, force: true });
	// Warnings count too; the exit code reports only errors.
	if (code !== 0 || /\b(error|warning)\b/.test(output.replace(/^npm warn.*$/gm, ''))) {
		throw new Error(`n8n's linter found:\n${output}`);
	}
}

/** Builds what is published as n8n's tool tells contributors to. @throws Error when it fails, or n8n could not load what it builds. */
export async function buildLikeN8n(): Promise<void> {
	const folder = await stage(inRepository('node_modules'));
	const command = path.join(linterModules(), '@n8n', 'node-cli', 'bin', 'n8n-node.mjs');
	try {
		await mustRun(process.execPath, [command, 'build'], { cwd: folder });
		const listed = [...PACKAGE.n8n.nodes, ...PACKAGE.n8n.credentials].map((file) => path.join(folder, file));
		await mustRun(process.execPath, [inRepository('scripts', 'verify', 'requireEntries.cjs'), ...listed]);
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

/** Runs n8n's package scanner on the source and on a packed tarball. @throws Error with its findings. */
export async function scanLikeN8n(tarball: string): Promise<void> {
	const modules = linterModules();
	const folder = await stage(modules);
	const unpacked = await temporaryFolder('scan');
	try {
		await unpack(tarball, unpacked);
		const scanner = path.join(modules, '@n8n', 'scan-community-package', 'scanner', 'scanner.mjs');
		await mustRun(process.execPath, [inRepository('scripts', 'lint', 'scan.mjs'), scanner, folder, unpacked]);
	} finally {
		for (const temporary of [folder, unpacked]) await rm(temporary, { recursive: true, force: true });
	}
}

/** Returns a folder with only what is published: n8n's linter takes it for a package. */
async function stage(modules: string): Promise<string> {
	const folder = await temporaryFolder('lint');
	for (const name of PUBLISHED_SOURCE) await cp(inRepository(name), path.join(folder, name), { recursive: true });
	await writeFile(path.join(folder, 'eslint.config.mjs'), DEFAULT_CONFIG);
	await symlink(modules, path.join(folder, 'node_modules'));
	return folder;
}

function linterModules(): string {
	const folder = process.env[folderVariable('official-lint')];
	if (folder === undefined) throw new Error("n8n's linter is not installed. Run this through npm: npm run lint");
	return path.join(folder, 'node_modules');
}
