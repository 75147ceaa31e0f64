import { existsSync } from 'node:fs';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { installOnce } from '../bootstrap/cache.mjs';
import { npmBuild, npmInstall } from '../bootstrap/command.mjs';
import type { HostName, Installation } from '../n8n/installation.ts';
import { findInstallation, installationIn } from '../n8n/installation.ts';

const PINNED: readonly HostName[] = ['n8n-1', 'n8n-2'];

/**
 * Versions that npm registries serve, in place of those that n8n names, as in hosts/n8n-2; and the parts of LangChain with
 * which n8n 2.0 to 2.23 start: newer ones require what the core that n8n pins does not have.
 */
const OVERRIDES = {
	linkedom: '0.18.12',
	xlsx: '0.18.5',
	'@langchain/langgraph': '1.0.2',
	'@langchain/langgraph-checkpoint': '1.0.0',
	'@langchain/langgraph-sdk': '1.0.3',
};

/** Peers that parts of n8n need beside them: Extract from File, and Sentry. */
const PEERS = { 'date-fns': '2.30.0', '@opentelemetry/core': '2.10.0' };

/** An n8n, and what removes it from the machine. */
interface Installed {
	installation: Installation;
	remove(): Promise<void>;
}

/** Returns the pinned host of this version, or a new installation of it. @throws Failure with what npm says. */
export async function installed(version: string): Promise<Installed> {
	for (const name of PINNED) {
		const pinned = findInstallation(name);
		if (pinned.version === version) return { installation: pinned, remove: async () => undefined };
	}
	const folder = await installOnce(`ladder-${version}`, async (unfinished) => await install(version, unfinished));
	const remove = async () => await rm(folder, { recursive: true, force: true });
	return { installation: installationIn(folder), remove };
}

/** Installs n8n as scripts/bootstrap/hosts.mjs installs the pinned hosts, but without a lockfile. */
async function install(version: string, folder: string): Promise<void> {
	const dependencies = { n8n: version, ...PEERS };
	const manifest = { name: 'n8n-ladder', private: true, dependencies, overrides: OVERRIDES };
	await writeFile(path.join(folder, 'package.json'), JSON.stringify(manifest));
	const verbose = process.env.LEAD_REVENUE_VERBOSE === '1';
	const settings = { cwd: folder, env: { ...process.env, ...headersOfNode() }, verbose };
	await npmInstall(['--no-package-lock', '--legacy-peer-deps'], {
		...settings,
		what: `Installing n8n ${version}`,
		hint: 'Check the network, the npm registry and the free disk space.',
	});
	if (await copySqlite(folder)) return;
	await npmBuild('sqlite3', settings);
}

/** Takes what a pinned host has built, which takes minutes. Returns whether there is one of the same version. */
async function copySqlite(folder: string): Promise<boolean> {
	const target = await sqliteIn(folder);
	for (const name of PINNED) {
		const built = await sqliteIn(path.resolve(findInstallation(name).command, '../../../..'));
		if (built.version !== target.version) continue;
		await cp(built.addon, target.addon, { recursive: true });
		return true;
	}
	return false;
}

async function sqliteIn(folder: string): Promise<{ version: string; addon: string }> {
	const module = path.join(folder, 'node_modules', 'sqlite3');
	const { version } = JSON.parse(await readFile(path.join(module, 'package.json'), 'utf8')) as { version: string };
	return { version, addon: path.join(module, 'build', 'Release', 'node_sqlite3.node') };
}

/** Returns the headers of this Node, if it has some beside it: npm would fetch them. */
function headersOfNode(): NodeJS.ProcessEnv {
	const prefix = path.dirname(path.dirname(process.execPath));
	return existsSync(path.join(prefix, 'include', 'node', 'node.h')) ? { npm_config_nodedir: prefix } : {};
}
