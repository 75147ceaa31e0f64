import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { isAlive, withLock } from './lock.mjs';

/** Folder of the large installations, one per machine and user: outside the clone, so that clones share them. */
export const CACHE = path.join(
	process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache'),
	'n8n-nodes-lead-revenue',
);

/** A short hash of the contents. */
export function digest(...contents) {
	const hash = createHash('sha256');
	for (const content of contents) hash.update(`${content.length}\n`).update(content);
	return hash.digest('hex').slice(0, 12);
}

/**
 * The cache's folder `name`; `install(folder)` creates it where it is missing. It gets its name only once it is complete, so
 * a failed or interrupted installation is never used.
 */
export async function installOnce(name, install) {
	const target = path.join(CACHE, name);
	if (existsSync(target)) return target;
	const onWait = () => process.stderr.write(`Another process is installing ${name}. Waiting for it …\n`);
	return await withLock(`${target}.lock`, onWait, async () => {
		if (existsSync(target)) return target;
		await sweep(name);
		const unfinished = `${target}.installing-${process.pid}`;
		await mkdir(unfinished, { recursive: true });
		try {
			await install(unfinished);
			await rename(unfinished, target);
		} catch (error) {
			await rm(unfinished, { recursive: true, force: true });
			throw error;
		}
		return target;
	});
}

/** Removes what installations left behind whose process has ended. */
async function sweep(name) {
	for (const entry of await readdir(CACHE)) {
		const [, pid] = entry.startsWith(`${name}.installing-`) ? (/-(\d+)$/.exec(entry) ?? []) : [];
		if (pid === undefined || isAlive(Number(pid))) continue;
		// An npm that outlived its killed parent may still write there; the next sweep gets it.
		await rm(path.join(CACHE, entry), { recursive: true, force: true }).catch(() => undefined);
	}
}
