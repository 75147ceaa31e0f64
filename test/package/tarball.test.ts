import { readFile } from 'node:fs/promises';
import path from 'node:path';
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
	test('holds what is meant and nothing else, in under 150 kB', () => {
		expect(fileProblems(contents)).toEqual([]);
		expect(contents.size).toBe(Number(process.env.PACKED_SIZE));
		expect(contents.size).toBeLessThan(150_000);
	});

	test('needs nothing but what n8n brings along', async () => {
		expect(manifestProblems(contents)).toEqual([]);
		expect(await requireProblems(contents)).toEqual([]);
	});

	test('has every node and credential, and the icons they name', async () => {
		const { files, folder, manifest } = contents;
		expect([...manifest.n8n.nodes, ...manifest.n8n.credentials].length).toBeGreaterThanOrEqual(7);
		const code = await readFile(path.join(folder, 'dist', 'lead-revenue.js'), 'utf8');
		const icons = [...code.matchAll(/file:(?:\.\.\/)+(icons\/[^"'`]+\.svg)/g)].map(([, icon]) => `dist/${icon}`);
		expect(new Set(icons)).toEqual(new Set(files.filter((file) => file.endsWith('.svg'))));
	});

	test('has the names of the source, for whoever reviews it', async () => {
		const code = await readFile(path.join(contents.folder, 'dist', 'lead-revenue.js'), 'utf8');
		for (const name of [
			'function readRetryAfter(headers,body,now)',
			'function formsOf(secret)',
			'async function walk(from,memory,settings,ports)',
		]) {
			expect(code).toContain(name);
		}
	});

	test('names no path of the machine it was built on', async () => {
		for (const file of contents.files)
			expect(await readFile(path.join(contents.folder, file), 'utf8')).not.toContain(process.cwd());
	});
});
