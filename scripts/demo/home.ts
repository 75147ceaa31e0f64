import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { digest } from '../bootstrap/cache.mjs';
import { claim } from '../lib/ports.ts';
import { inRepository } from '../lib/repository.ts';
import type { Installation } from '../n8n/installation.ts';
import { OWNER } from '../n8n/session.ts';
import { n8nFolder } from '../n8n/userFolder.ts';

const HOME = process.env.LEAD_REVENUE_HOME ?? inRepository('.home');
const RUNNING = path.join(HOME, 'running.json');

/** What `npm start` keeps for the next start. */
export const home = {
	folder: HOME,
	n8n: path.join(HOME, 'n8n'),
	sandboxData: path.join(HOME, 'sandbox.sqlite'),
	log: path.join(HOME, 'n8n.log'),
};

/** Claims the folder for this process: two n8n damage the same database. @throws Error while another process holds it. */
export async function claimHome(): Promise<void> {
	await mkdir(home.n8n, { recursive: true });
	// The name of such a socket is short.
	if (!(await claim(`home ${digest(await realpath(HOME))}`))) {
		const other = await readHolder();
		throw new Error(
			`npm start is already running here (process ${other}). Use that one, or stop it with Ctrl-C in its terminal (or \`kill ${other}\`).`,
		);
	}
	await writeFile(RUNNING, JSON.stringify({ pid: process.pid }));
}

/**
 * Returns the password of n8n's owner. With a known one, every user of this machine could run code in this n8n, and so could a web
 * page, by DNS rebinding: n8n accepts any host name. A folder from before keeps its password. Call this before n8n is installed.
 */
export async function ownerPassword(): Promise<string> {
	const file = path.join(HOME, 'password');
	if (!existsSync(file)) {
		// n8n requires a capital and a digit.
		const password = existsSync(n8nFolder(home.n8n)) ? OWNER.password : `N8n-${randomBytes(12).toString('base64url')}`;
		await writeFile(`${file}.new`, password, { mode: 0o600 });
		await rename(`${file}.new`, file);
	}
	return await readFile(file, 'utf8');
}

/**
 * Lets the nodes find the modules of this n8n. Node.js looks in the folders above the nodes before it asks n8n, and the repository
 * above them has another n8n-workflow, whose errors n8n does not know.
 */
export async function linkModules({ command }: Installation): Promise<void> {
	const link = path.join(HOME, 'node_modules');
	await rm(link, { force: true });
	await symlink(path.resolve(command, '..', '..', '..'), link);
}

async function readHolder(): Promise<number | undefined> {
	try {
		return (JSON.parse(await readFile(RUNNING, 'utf8')) as { pid: number }).pid;
	} catch {
		return undefined;
	}
}
