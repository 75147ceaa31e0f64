import { execFileSync } from 'node:child_process';
import { existsSync, globSync, realpathSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { mustRun } from '../../../scripts/lib/command.ts';
import { inRepository } from '../../../scripts/lib/repository.ts';
import { temporaryFolder } from '../../../scripts/lib/temporaryFolder.ts';
import { checksumOf } from '../../../scripts/verify/checksum.ts';

/** What a build and `npm pack` need of the repository. */
const SOURCES = [
	'package.json',
	'LICENSE',
	'README.md',
	'gulpfile.js',
	'tsconfig.json',
	'credentials',
	'icons',
	'nodes',
];

const MAJORS = ['20', '22', '24'];

/**
 * Returns the Nodes of this machine, by their major version: this one, those on the PATH, and what the bootstrap has
 * fetched.
 */
function nodesHere(): Map<string, string> {
	const cache = process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), '.cache');
	const fetched = globSync(path.join(cache, 'n8n-nodes-lead-revenue', 'node-*', 'node_modules', 'node-*', 'bin'));
	const folders = [path.dirname(process.execPath), ...(process.env.PATH ?? '').split(path.delimiter), ...fetched];
	const commands = folders.map((folder) => path.join(folder, 'node')).filter((file) => existsSync(file));
	const found = [...new Set(commands.map((file) => realpathSync(file)))].map((command): [string, string] => [
		/^v(\d+)/.exec(execFileSync(command, ['--version'], { encoding: 'utf8' }))?.[1] ?? '',
		command,
	]);
	return new Map(found);
}

describe('the tarball has the same bytes', () => {
	const expected = checksumOf(process.env.PACKED_TARBALL as string);
	let parent: string;
	let folder: string;

	/** Runs a command with a umask that hides files from others, in another time zone. */
	async function inAnotherPlace(command: string, args: string[], node = process.execPath): Promise<void> {
		const PATH = `${path.dirname(node)}${path.delimiter}${process.env.PATH}`;
		await mustRun('sh', ['-c', 'umask 077 && exec "$@"', 'sh', command, ...args], {
			cwd: folder,
			env: { ...process.env, PATH, TZ: 'Pacific/Kiritimati', LC_ALL: 'C' },
		});
	}

	async function packed(node?: string): Promise<string> {
		const destination = await mkdtemp(path.join(parent, 'packed-'));
		await inAnotherPlace('npm', ['pack', '--workspaces=false', '--pack-destination', destination], node);
		return checksumOf(path.join(destination, (await readdir(destination))[0] as string));
	}

	beforeAll(async () => {
		parent = await temporaryFolder('bytes');
		folder = path.join(parent, 'another folder', 'clone');
		await mkdir(folder, { recursive: true });
		for (const name of SOURCES) await cp(inRepository(name), path.join(folder, name), { recursive: true });
		for (const name of ['package.json', 'LICENSE', 'README.md']) await chmod(path.join(folder, name), 0o600);
		await symlink(inRepository('node_modules'), path.join(folder, 'node_modules'));
		await inAnotherPlace(process.execPath, [inRepository('node_modules', 'gulp', 'bin', 'gulp.js'), 'build']);
	});

	afterAll(async () => {
		await rm(parent, { recursive: true, force: true });
	});

	test('when it is built in another path and time zone, by someone whose files nobody else may read', async () => {
		expect(await packed()).toBe(expected);
	});

	// npm run build always runs on Node 24, npm pack on the Node of the machine.
	const nodes = nodesHere();
	for (const major of MAJORS) {
		const node = nodes.get(major);
		if (node === undefined) {
			test.skip(`when Node ${major} packs it [skipped: this machine has no Node ${major}]`, () => {});
		} else test(`when Node ${major} packs it`, async () => expect(await packed(node)).toBe(expected));
	}
});
