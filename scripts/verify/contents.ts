import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { unpack } from '../lib/build.ts';
import { mustRun } from '../lib/command.ts';
import { DOCUMENTED_OUTPUTS, schemaFile } from '../lib/outputSchemas.ts';
import { inRepository } from '../lib/repository.ts';
import { temporaryFolder } from '../lib/temporaryFolder.ts';

/** The fields of the published manifest that the checks read. */
export interface Manifest {
	name: string;
	version: string;
	n8n: { nodes: string[]; credentials: string[] };
	peerDependencies?: Record<string, string>;
	scripts?: Record<string, string>;
	[field: string]: unknown;
}

/** An unpacked tarball. */
export interface Contents {
	folder: string;
	/** Paths inside the package, with forward slashes, sorted. */
	files: string[];
	/** Size of all files together, in bytes. */
	size: number;
	manifest: Manifest;
	/** Removes the folder. */
	dispose(): Promise<void>;
}

// A dependency bundled by accident would exceed this. A quarter of it is the names of the source.
export const MAX_BYTES = 250_000;

const MEANT =
	/^(LICENSE|README\.md|package\.json|dist\/(lead-revenue\.js|icons\/\w+(\.dark)?\.svg|(nodes|credentials)\/.*\.(node|credentials)\.js(on)?|nodes\/\w+\/__schema__\/.*\.json))$/;

/** The modules that every n8n has; the package may require no others. */
const PROVIDED = ['luxon', 'n8n-workflow', 'node:crypto'];

const BUNDLED = ['bundleDependencies', 'bundledDependencies'];
const DEPENDENCY_FIELDS = ['dependencies', 'optionalDependencies', ...BUNDLED, 'overrides'];
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare', 'prepublish', 'prepack', 'postpack'];
const ENTRY_FIELDS = ['main', 'module', 'types', 'typings', 'browser'];

/** Unpacks a tarball into a temporary folder, which the caller disposes of. */
export async function openTarball(tarball: string): Promise<Contents> {
	const folder = await temporaryFolder('tarball');
	await unpack(tarball, folder);
	const entries = (await readdir(folder, { recursive: true, withFileTypes: true })).filter(
		(entry) => !entry.isDirectory(),
	);
	const files = entries
		.map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'))
		.sort();
	const sizes = await Promise.all(files.map(async (file) => (await stat(path.join(folder, file))).size));
	return {
		folder,
		files,
		size: sizes.reduce((sum, size) => sum + size, 0),
		manifest: JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')) as Manifest,
		dispose: async () => await rm(folder, { recursive: true, force: true }),
	};
}

/** Returns unintended and missing files, and too many bytes. One line per problem. */
export function fileProblems({ files, size, manifest }: Contents): string[] {
	const listed = [...manifest.n8n.nodes, ...manifest.n8n.credentials];
	const needed = [
		...listed,
		...manifest.n8n.nodes.map((node) => node.replace(/\.js$/, '.json')),
		...Object.keys(DOCUMENTED_OUTPUTS).map((output) => `dist/nodes/${schemaFile(output)}`),
		'LICENSE',
		'README.md',
	];
	return [
		...files.filter((file) => !MEANT.test(file)).map((file) => `${file} is not meant to be published`),
		...needed.filter((file) => !files.includes(file)).map((file) => `${file} is missing`),
		...(size < MAX_BYTES ? [] : [`${size} bytes are too many: the limit is ${MAX_BYTES}`]),
	];
}

/** Returns what the manifest needs that not every n8n has. One line per problem. */
export function manifestProblems({ manifest, files }: Contents): string[] {
	const problems = DEPENDENCY_FIELDS.filter((field) => Object.keys(manifest[field] ?? {}).length > 0).map(
		(field) =>
			`package.json has ${field} (${Object.keys(manifest[field] as object).join(', ')}): n8n's installer would fetch more than this package`,
	);
	if (JSON.stringify(manifest.peerDependencies) !== '{"n8n-workflow":"*"}') {
		problems.push(
			`package.json has the peers ${JSON.stringify(manifest.peerDependencies ?? {})}: only "n8n-workflow": "*" is allowed`,
		);
	}
	// npm would install a peer that is not optional beside the package, and n8n does not know the errors of another n8n-workflow.
	if (JSON.stringify(manifest.peerDependenciesMeta) !== '{"n8n-workflow":{"optional":true}}') {
		problems.push(
			'package.json has a peer that is not optional: npm would install another n8n-workflow than that of n8n',
		);
	}
	for (const script of INSTALL_SCRIPTS) {
		if (manifest.scripts?.[script] !== undefined) {
			problems.push(`package.json has the script ${script}: nothing may run while installing`);
		}
	}
	for (const field of ENTRY_FIELDS) {
		const file = manifest[field];
		if (typeof file === 'string' && !files.includes(path.posix.normalize(file))) {
			problems.push(`package.json names ${file} as ${field}, which is missing`);
		}
	}
	return problems;
}

/** Returns what the code requires that not every n8n has. One line per problem. */
export async function requireProblems({ folder, files }: Contents): Promise<string[]> {
	const problems: string[] = [];
	for (const file of files.filter((name) => name.endsWith('.js'))) {
		const code = await readFile(path.join(folder, file), 'utf8');
		for (const [, specifier = ''] of code.matchAll(/\b(?:require|import)\(["']([^"']+)["']\)/g)) {
			if (specifier.startsWith('.')) {
				const target = path.posix.join(path.posix.dirname(file), specifier);
				if (!files.includes(target)) problems.push(`${file} requires ${specifier}, which is missing`);
			} else if (!PROVIDED.includes(specifier)) problems.push(`${file} requires ${specifier}, which not every n8n has`);
		}
	}
	return problems;
}

/**
 * Requires every entry as n8n does, beside the modules of the n8n installed in `host` only.
 * @throws Error with the stack of an entry that cannot be required or does not export the class of its name.
 */
export async function requireEntries({ folder, manifest }: Contents, host: string): Promise<void> {
	const inN8n = createRequire(path.join(host, 'node_modules', 'n8n', 'package.json'));
	const modules = [
		path.dirname(path.dirname(inN8n.resolve('n8n-workflow/package.json'))),
		...(inN8n.resolve.paths('luxon') ?? []),
	];
	const entries = [...manifest.n8n.nodes, ...manifest.n8n.credentials].map((file) => path.join(folder, file));
	await mustRun(process.execPath, [inRepository('scripts', 'verify', 'requireEntries.cjs'), ...entries], {
		cwd: folder,
		env: { ...process.env, NODE_PATH: modules.join(path.delimiter) },
	});
}
