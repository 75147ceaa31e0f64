import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CACHE, digest } from './cache.mjs';
import { npmInstall } from './command.mjs';
import { withLock } from './lock.mjs';
import { checkAgainstLockfile } from './lockfile.mjs';
import { longStep } from './progress.mjs';

/** Installs the clone's development dependencies by lockfile. A marker, written last, names the lockfile. */
export async function ensureRootDependencies({ root, node, verbose }) {
	const marker = path.join(root, 'node_modules', '.installed-for');
	const isInstalled = async () =>
		(await readFile(marker, 'utf8').catch(() => undefined)) === (await wantedState(root, node));
	if (await isInstalled()) return;
	const onWait = () =>
		process.stderr.write('Another process is installing the dependencies of this clone. Waiting for it …\n');
	await withLock(path.join(CACHE, `clone-${digest(root)}.lock`), onWait, async () => {
		if (await isInstalled()) return;
		await rm(marker, { force: true });
		await longStep('Installing the development dependencies', 'about 1 minute the first time', async () => {
			await npmInstall(['--legacy-peer-deps'], {
				cwd: root,
				env: node.env,
				nodeCommand: node.command,
				verbose,
				what: 'Installing the development dependencies',
				hint: 'Check the network and the npm registry.',
			});
			await checkAgainstLockfile(root);
		});
		await writeFile(marker, await wantedState(root, node));
	});
}

async function wantedState(root, node) {
	const files = ['package.json', 'package-lock.json', path.join('sandbox', 'package.json')];
	const contents = await Promise.all(files.map(async (file) => await readFile(path.join(root, file), 'utf8')));
	return digest(...contents, String(node.major), process.platform, process.arch);
}
