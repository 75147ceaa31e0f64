import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { pack, unpack } from '../scripts/lib/build.ts';
import { mustRun } from '../scripts/lib/command.ts';
import { inRepository, PACKAGE } from '../scripts/lib/repository.ts';
import { table } from '../scripts/lib/table.ts';
import type { Bench } from './bench.ts';
import { inRounds, median, target } from './measure.ts';

const ROUNDS = 9;
const MAX_MS = 20;

// The three community packages with the most downloads on npm, 0.2 to 8 million a month, and one of the most popular in the
// ranking of n8n's editor 2.41.1.
const OTHERS = [
	'n8n-nodes-evolution-api@1.0.4',
	'@devlikeapro/n8n-nodes-chatwoot@1.0.2',
	'n8n-nodes-mcp@0.1.37',
	'@mendable/n8n-nodes-firecrawl@2.1.2',
];

const NPM_FLAGS = [
	'--audit=false',
	'--fund=false',
	'--bin-links=false',
	'--install-strategy=shallow',
	'--ignore-scripts=true',
	'--package-lock=false',
];

type Manifest = Partial<
	Record<'dependencies' | 'devDependencies' | 'peerDependencies' | 'optionalDependencies', object>
>;

/** A community package where n8n would find it; sizes in bytes. */
interface Installed {
	name: string;
	folder: string;
	packed: number;
	unpacked: number;
	dependencies: number;
	/** Packages installed with it: its dependencies, theirs, and their peers. */
	along: number;
	/** Everything on the disk after installing. */
	onDisk: number;
}

/** What a fresh process with n8n's own modules takes to load a package. */
interface Load {
	milliseconds: number;
	nodes: number;
	credentials: number;
}

/** What installing and loading the package costs n8n, compared with other packages. */
export async function benchPackage(bench: Bench): Promise<void> {
	const folder = await mkdtemp(path.join(os.tmpdir(), 'lead-revenue-bench-'));
	try {
		const installed = [await own(bench.packageFolder)];
		for (const [index, wanted] of OTHERS.entries()) {
			const other = await install(wanted, path.join(folder, String(index)));
			if (other !== undefined) installed.push(other);
		}
		reportSizes(installed);
		await reportLoading(bench, installed);
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

async function own(folder: string): Promise<Installed> {
	const packed = await pack();
	const { size: bytes } = await stat(packed.tarball);
	await packed.dispose();
	return {
		name: `${PACKAGE.name}@${PACKAGE.version}`,
		folder,
		packed: bytes,
		unpacked: packed.unpackedSize,
		dependencies: 0,
		along: 0,
		onDisk: await sizeOf(folder),
	};
}

/** Installs as n8n's installer does (read in 2.41.1), with its flags for npm. Reports a package that npm cannot get. */
async function install(wanted: string, folder: string): Promise<Installed | undefined> {
	try {
		const [packed] = JSON.parse(
			(await mustRun('npm', ['pack', '--json', '--pack-destination', path.dirname(folder), wanted])).stdout,
		) as [{ size: number; unpackedSize: number; filename: string }];
		const tarball = path.join(path.dirname(folder), packed.filename);
		await unpack(tarball, folder);
		await rm(tarball);
		const file = path.join(folder, 'package.json');
		const {
			devDependencies: _,
			peerDependencies: __,
			optionalDependencies: ___,
			...manifest
		} = JSON.parse(await readFile(file, 'utf8')) as Manifest;
		await writeFile(file, JSON.stringify(manifest));
		await mustRun('npm', ['install', ...NPM_FLAGS], { cwd: folder });
		const entries = await readdir(folder, { recursive: true });
		return {
			name: wanted,
			folder,
			packed: packed.size,
			unpacked: packed.unpackedSize,
			dependencies: Object.keys(manifest.dependencies ?? {}).length,
			along: entries.filter((entry) => /(^|\/)node_modules\/(@[^/]+\/)?[^/@]+\/package\.json$/.test(entry)).length,
			onDisk: await sizeOf(folder),
		};
	} catch (error) {
		process.stdout.write(`\n${wanted} is left out, because npm could not get it: ${(error as Error).message}\n`);
		return undefined;
	}
}

async function sizeOf(folder: string): Promise<number> {
	const entries = await readdir(folder, { recursive: true, withFileTypes: true });
	const sizes = entries
		.filter((entry) => entry.isFile())
		.map(async (entry) => (await stat(path.join(entry.parentPath, entry.name))).size);
	return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

function reportSizes(installed: Installed[]): void {
	process.stdout.write('\nSizes of community packages, installed as by n8n itself\n');
	const rows = installed.map(({ name, packed, unpacked, dependencies, along, onDisk }) => [
		name,
		...[packed, unpacked].map(kilobytes),
		...[dependencies, along].map(String),
		kilobytes(onDisk),
	]);
	process.stdout.write(
		`${table(['package', 'tarball', 'unpacked', 'dependencies', 'packages along', 'installed'], rows)}\n`,
	);
	const [ours, ...others] = installed;
	if (ours === undefined || others.length === 0) return;
	const smallest = (size: 'packed' | 'unpacked' | 'onDisk') =>
		ours[size] / Math.min(...others.map((other) => other[size]));
	const verdicts = [
		target('Tarball ÷ the smallest of the others', smallest('packed'), { most: 1 }),
		target('Unpacked ÷ the smallest of the others', smallest('unpacked'), { most: 1 }),
		target('Installed ÷ the smallest of the others', smallest('onDisk'), { most: 1 }),
	];
	process.stdout.write(`${verdicts.join('\n')}\n`);
}

async function reportLoading(bench: Bench, installed: Installed[]): Promise<void> {
	process.stdout.write(
		`\nLoading all nodes and credentials with n8n ${bench.installation.version}'s own loader, median of ${ROUNDS} fresh processes\n  `,
	);
	const bundle = 'the bundle, only required';
	const measured = await inRounds(ROUNDS, {
		...Object.fromEntries(installed.map(({ name, folder }) => [name, async () => await load(bench, folder)])),
		[bundle]: async () => await load(bench, bench.packageFolder, 'dist/lead-revenue.js'),
	});
	const time = (name: string) => median((measured[name] ?? []).map(({ milliseconds }) => milliseconds));
	const rows = Object.entries(measured).map(([name, [first]]) => {
		const counts = name === bundle ? ['', ''] : [String(first?.nodes), String(first?.credentials)];
		return [name, ...counts, `${time(name).toFixed(1)} ms`];
	});
	process.stdout.write(`${table(['package', 'nodes', 'credentials', 'time'], rows)}\n`);
	const ours = installed[0]?.name as string;
	const [{ nodes, credentials }] = measured[ours] as [Load, ...Load[]];
	if (nodes !== PACKAGE.n8n.nodes.length || credentials !== PACKAGE.n8n.credentials.length) {
		throw new Error(`n8n loaded ${nodes} nodes and ${credentials} credentials of this package`);
	}
	process.stdout.write(`${target('This package, ms', time(ours), { most: MAX_MS })}\n`);
}

async function load(bench: Bench, folder: string, file?: string): Promise<Load> {
	const n8n = path.dirname(path.dirname(bench.installation.command));
	const paths = createRequire(path.join(n8n, 'package.json')).resolve.paths('n8n-workflow') ?? [];
	const args = [inRepository('bench', 'loadProcess.ts'), n8n, folder, ...(file === undefined ? [] : [file])];
	const { stdout } = await mustRun(process.execPath, args, {
		env: { ...process.env, NODE_ENV: 'production', NODE_PATH: paths.join(path.delimiter) },
	});
	return JSON.parse(stdout) as Load;
}

const kilobytes = (bytes: number) => `${Math.round(bytes / 1_000).toLocaleString('en')} kB`;
