import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { installOnce } from '../bootstrap/cache.mjs';
import { npm } from '../bootstrap/command.mjs';
import type { HostName, Installation } from '../n8n/installation.ts';
import { findInstallation, installationIn } from '../n8n/installation.ts';

const PINNED: readonly HostName[] = ['n8n-1', 'n8n-2'];

/** Versions that npm registries serve, in place of those that n8n names: see hosts/n8n-2. */
const OVERRIDES = { linkedom: '0.18.12', xlsx: '0.18.5' };

/** An n8n, and what removes it from the machine. */
export interface Installed {
	installation: Installation;
	remove(): Promise<void>;
}

/** The pinned host of this version, or a new installation of it. @throws Failure with what npm says. */
export async function installed(version: string): Promise<Installed> {
	for (const name of PINNED) {
		const pinned = findInstallation(name);
		if (pinned.version === version) return { installation: pinned, remove: async () => undefined };
	}
	const folder = await installOnce(`ladder-${version}`, async (unfinished) => await install(version, unfinished));
	return {
		installation: installationIn(folder),
		remove: async () => await rm(folder, { recursive: true, force: true }),
	};
}

/** As scripts/bootstrap/hosts.mjs installs the pinned hosts, but without a lockfile. */
async function install(version: string, folder: string): Promise<void> {
	const manifest = {
		name: 'n8n-ladder',
		private: true,
		dependencies: { n8n: version, 'date-fns': '2.30.0' },
		overrides: OVERRIDES,
	};
	await writeFile(path.join(folder, 'package.json'), JSON.stringify(manifest));
	const settings = {
		cwd: folder,
		env: { ...process.env, ...headersOfNode() },
		verbose: process.env.LEAD_REVENUE_VERBOSE === '1',
	};
	const flags = ['--no-save', '--no-package-lock', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund'];
	await npm(['install', ...flags], {
		...settings,
		what: `Installing n8n ${version}`,
		hint: 'Check the network, the npm registry and the free disk space.',
	});
	await npm(['rebuild', 'sqlite3'], {
		...settings,
		what: 'Building sqlite3',
		hint: 'It needs Python 3, make and a C++ compiler (Debian: apt-get install python3 make g++).',
	});
}

/** The headers of this Node, if it has some beside it: npm would fetch them. */
function headersOfNode(): NodeJS.ProcessEnv {
	const prefix = path.dirname(path.dirname(process.execPath));
	return existsSync(path.join(prefix, 'include', 'node', 'node.h')) ? { npm_config_nodedir: prefix } : {};
}
