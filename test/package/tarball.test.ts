import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { unpack } from '../../scripts/lib/build.ts';

interface Manifest {
	n8n: { nodes: string[]; credentials: string[] };
	dependencies?: object;
	peerDependencies: object;
}

let folder: string;
let files: string[];
let manifest: Manifest;

beforeAll(async () => {
	folder = await mkdtemp(path.join(os.tmpdir(), 'lead-revenue-tarball-'));
	await unpack(process.env.PACKED_TARBALL as string, folder);
	const entries = await readdir(folder, { recursive: true, withFileTypes: true });
	files = entries.filter((entry) => entry.isFile()).map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
	manifest = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')) as Manifest;
});

afterAll(async () => {
	await rm(folder, { recursive: true, force: true });
});

describe('the tarball', () => {
	test('holds what is meant and nothing else', () => {
		const meant = /^dist\/(lead-revenue\.js|icons\/\w+(\.dark)?\.svg|(nodes|credentials)\/.*\.(node|credentials)\.js(on)?)$/;
		const others = files.filter((file) => !meant.test(file));
		expect(others.sort()).toEqual(['LICENSE', 'README.md', 'package.json']);
	});

	test('is under 100 kB unpacked', () => {
		expect(Number(process.env.PACKED_SIZE)).toBeLessThan(100_000);
	});

	test('needs nothing but what n8n brings along', async () => {
		expect(manifest.dependencies).toBeUndefined();
		expect(manifest.peerDependencies).toEqual({ 'n8n-workflow': '*' });
		const required = new Set<string>();
		for (const file of files.filter((name) => name.endsWith('.js'))) {
			const code = await readFile(path.join(folder, file), 'utf8');
			for (const [, specifier] of code.matchAll(/\brequire\(["']([^"']+)["']\)/g)) required.add(specifier as string);
		}
		const foreign = [...required].filter((specifier) => !specifier.startsWith('.')).sort();
		expect(foreign).toEqual(['luxon', 'n8n-workflow', 'node:crypto']);
	});

	test('has every node and credential it lists, each with its icons and, for nodes, its codex', async () => {
		const listed = [...manifest.n8n.nodes, ...manifest.n8n.credentials];
		expect(listed.length).toBeGreaterThanOrEqual(6);
		for (const file of listed) {
			expect(files).toContain(file);
			if (file.endsWith('.node.js')) expect(files).toContain(file.replace(/\.js$/, '.json'));
		}
		const code = await readFile(path.join(folder, 'dist', 'lead-revenue.js'), 'utf8');
		const icons = [...code.matchAll(/file:(?:\.\.\/)+(icons\/[^"'`]+\.svg)/g)].map(([, icon]) => `dist/${icon}`);
		expect(new Set(icons)).toEqual(new Set(files.filter((file) => file.endsWith('.svg'))));
	});

	test('names no path of the machine it was built on', async () => {
		for (const file of files) expect(await readFile(path.join(folder, file), 'utf8')).not.toContain(process.cwd());
	});
});
