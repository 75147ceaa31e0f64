import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The pinned hosts: folders under `hosts/`. */
export type HostName = 'n8n-1' | 'n8n-2';

/** An installed n8n. */
export interface Installation {
	version: string;
	/** Absolute path of n8n's command. */
	command: string;
}

/** Returns the name of the environment variable in which the bootstrap passes a host's folder. */
export function folderVariable(name: string): string {
	return `LEAD_REVENUE_HOST_${name.toUpperCase().replaceAll('-', '_')}`;
}

/**
 * Returns the pinned n8n of this name. @throws Error when the bootstrap has not installed this host for the running task.
 */
export function findInstallation(name: HostName): Installation {
	const folder = process.env[folderVariable(name)];
	if (folder === undefined || !existsSync(commandIn(folder))) {
		throw new Error(
			`The host ${name} is not installed. Run this through npm (npm start, npm test, npm run bench), which installs it.`,
		);
	}
	return installationIn(folder);
}

/** Returns the n8n that is installed in a folder. */
export function installationIn(folder: string): Installation {
	const manifest = JSON.parse(readFileSync(path.join(folder, 'node_modules', 'n8n', 'package.json'), 'utf8')) as {
		version: string;
	};
	return { version: manifest.version, command: commandIn(folder) };
}

function commandIn(folder: string): string {
	return path.join(folder, 'node_modules', 'n8n', 'bin', 'n8n');
}
