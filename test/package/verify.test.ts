import { appendFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { runCommand } from '../../scripts/lib/command.ts';
import { inRepository } from '../../scripts/lib/repository.ts';
import { addFile, changeManifest, spoiltTarball } from '../support/files/tarballs.ts';

const ENTRY = 'dist/nodes/TagLead/TagLead.node.js';
const SCHEMA = 'dist/nodes/TagLead/__schema__/v1.0.0/addTag.json';

describe('npm run verify', () => {
	const spoilt: Array<[string, (folder: string) => Promise<void>, RegExp]> = [
		[
			'a stray file',
			async (folder) => await addFile(folder, 'dist/notes.txt'),
			/dist\/notes\.txt is not meant to be published/,
		],
		[
			'a source map',
			async (folder) => await addFile(folder, 'dist/lead-revenue.js.map'),
			/dist\/lead-revenue\.js\.map is not meant/,
		],
		['a missing entry', async (folder) => await rm(path.join(folder, ENTRY)), /TagLead\.node\.js is missing/],
		[
			'a missing output schema',
			async (folder) => await rm(path.join(folder, SCHEMA)),
			/TagLead\/__schema__\/v1\.0\.0\/addTag\.json is missing/,
		],
		[
			'too many bytes',
			async (folder) => await appendFile(path.join(folder, 'README.md'), 'x'.repeat(100_000)),
			/bytes are too many/,
		],
		[
			'a dependency',
			async (folder) => await changeManifest(folder, { dependencies: { luxon: '^3.0.0' } }),
			/package\.json has dependencies \(luxon\)/,
		],
		[
			'overrides',
			async (folder) => await changeManifest(folder, { overrides: { luxon: '3.0.0' } }),
			/package\.json has overrides/,
		],
		[
			'a different peer',
			async (folder) => await changeManifest(folder, { peerDependencies: { 'n8n-workflow': '^2.0.0' } }),
			/the peers \{"n8n-workflow":"\^2\.0\.0"\}/,
		],
		[
			'a peer that npm installs',
			async (folder) => await changeManifest(folder, { peerDependenciesMeta: {} }),
			/has a peer that is not optional/,
		],
		[
			'an install script',
			async (folder) => await changeManifest(folder, { scripts: { postinstall: 'true' } }),
			/has the script postinstall/,
		],
		[
			'missing types',
			async (folder) => await changeManifest(folder, { types: './dist/index.d.ts' }),
			/names \.\/dist\/index\.d\.ts as types, which is missing/,
		],
		[
			'a module that n8n may not have',
			async (folder) => await appendFile(path.join(folder, ENTRY), "require('axios');"),
			/TagLead\.node\.js requires axios/,
		],
		[
			'a required file that is missing',
			async (folder) => await appendFile(path.join(folder, ENTRY), "require('./more.js');"),
			/requires \.\/more\.js, which is missing/,
		],
	];

	test.each(spoilt)('rejects a tarball with %s', async (_what, spoil, message) => {
		const { tarball, dispose } = await spoiltTarball(spoil);
		const { code, output } = await runCommand(process.execPath, [
			inRepository('scripts', 'tasks', 'verify.ts'),
			'--tarball',
			tarball,
		]);
		await dispose();
		expect(output).toMatch(message);
		expect(output).toMatch(/\n\s+Not fit to be published\.\n$/);
		expect(code).toBe(1);
	});
});
