import { copyFile, readFile } from 'node:fs/promises';
import path from 'node:path';
import { digest, installOnce } from './cache.mjs';
import { npmBuild, npmInstall } from './command.mjs';
import { checkAgainstLockfile } from './lockfile.mjs';
import { longStep } from './progress.mjs';

/**
 * How each host is installed. `title` gets the version of the package `main`; `native` are the addons to build, because all
 * install scripts are skipped.
 */
const HOSTS = {
	'n8n-2': {
		main: 'n8n',
		title: (version) => `n8n ${version}`,
		estimate: 'about 3 minutes the first time, 2.2 GB',
		native: ['sqlite3'],
	},
	'n8n-1': {
		main: 'n8n',
		title: (version) => `n8n ${version}`,
		estimate: 'about 2 minutes the first time, 1.4 GB',
		native: ['sqlite3'],
	},
	'official-lint': {
		main: '@n8n/node-cli',
		title: (version) => `n8n's linter (node-cli ${version})`,
		estimate: 'about 1 minute the first time',
		native: [],
	},
};

/** Installs a folder of `hosts/` into the cache by its lockfile. Returns the folder in the cache. */
export async function ensureHost({ root, node, verbose }, name) {
	const source = path.join(root, 'hosts', name);
	const files = ['package.json', 'package-lock.json'];
	const [manifest, lockfile] = await Promise.all(
		files.map(async (file) => await readFile(path.join(source, file), 'utf8')),
	);
	const { main, title, estimate, native } = HOSTS[name];
	const what = `Installing ${title(JSON.parse(manifest).dependencies[main])}`;
	const key = digest(manifest, lockfile, String(node.major), process.platform, process.arch);

	return await installOnce(`${name}-${key}`, async (folder) => {
		for (const file of files) await copyFile(path.join(source, file), path.join(folder, file));
		const settings = {
			cwd: folder,
			env: { ...node.env, ...(node.headers !== undefined && { npm_config_nodedir: node.headers }) },
			nodeCommand: node.command,
			verbose,
		};
		await longStep(what, estimate, async () => {
			await npmInstall(['--legacy-peer-deps'], {
				...settings,
				what,
				hint: 'Check the network, the npm registry and the free disk space.',
			});
			await checkAgainstLockfile(folder);
			for (const addon of native) await npmBuild(addon, settings);
		});
	});
}
