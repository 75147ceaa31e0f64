import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { inRepository } from '../../scripts/lib/repository.ts';
import type { Contents } from '../../scripts/verify/contents.ts';
import { fileProblems, manifestProblems, openTarball, requireProblems } from '../../scripts/verify/contents.ts';

let contents: Contents;

beforeAll(async () => {
	contents = await openTarball(process.env.PACKED_TARBALL as string);
});

afterAll(async () => {
	await contents.dispose();
});

describe('the tarball', () => {
	test('contains only the intended files, in less than 250 kB', () => {
		expect(fileProblems(contents)).toEqual([]);
		expect(contents.size).toBe(Number(process.env.PACKED_SIZE));
		expect(contents.size).toBeLessThan(250_000);
	});

	test('needs no module except those of n8n', async () => {
		expect(manifestProblems(contents)).toEqual([]);
		expect(await requireProblems(contents)).toEqual([]);
	});

	test('has every node and credential, and their icons', async () => {
		const { files, folder, manifest } = contents;
		expect([...manifest.n8n.nodes, ...manifest.n8n.credentials].length).toBeGreaterThanOrEqual(7);
		const code = await readFile(path.join(folder, 'dist', 'lead-revenue.js'), 'utf8');
		const icons = [...code.matchAll(/file:(?:\.\.\/)+(icons\/[^"'`]+\.svg)/g)].map(([, icon]) => `dist/${icon}`);
		expect(new Set(icons)).toEqual(new Set(files.filter((file) => file.endsWith('.svg'))));
	});

	test('asks for the Node.js that its code is built for', async () => {
		const { engines } = JSON.parse(await readFile(path.join(contents.folder, 'package.json'), 'utf8')) as {
			engines: { node: string };
		};
		const [, target] = /target: 'node(\d+)'/.exec(await readFile(inRepository('gulpfile.js'), 'utf8')) ?? [];
		expect(engines.node).toMatch(new RegExp(`^>=${target}\\.`));
	});

	test('keeps the names of the source for reviewers', async () => {
		const code = await readFile(path.join(contents.folder, 'dist', 'lead-revenue.js'), 'utf8');
		for (const name of [
			'function networkFailure(code)',
			'function formsOf(secret)',
			'function decide(memory,fingerprint,rules)',
		]) {
			expect(code).toContain(name);
		}
	});

	test('contains no path of the build machine', async () => {
		for (const file of contents.files) {
			expect(await readFile(path.join(contents.folder, file), 'utf8')).not.toContain(process.cwd());
		}
	});
});
