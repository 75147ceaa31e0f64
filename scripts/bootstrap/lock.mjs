import { mkdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const HEARTBEAT_MS = 5000;
const STALE_AFTER_MS = 60_000;
const ASK_AGAIN_AFTER_MS = 1_000;

/** Whether a process of this machine still runs. */
export function isAlive(pid) {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return error.code === 'EPERM';
	}
}

/** Runs `work` while no other process holds the lock `file`. Calls `onWait` once when it has to wait. */
export async function withLock(file, onWait, work) {
	await mkdir(path.dirname(file), { recursive: true });
	for (let waited = false; !(await tryToTake(file)); waited = true) {
		if (!waited) onWait();
		await dropIfStale(file);
		await wait(waited ? ASK_AGAIN_AFTER_MS : 0);
	}
	const heartbeat = setInterval(() => void utimes(file, new Date(), new Date()).catch(() => undefined), HEARTBEAT_MS);
	try {
		return await work();
	} finally {
		clearInterval(heartbeat);
		await rm(file, { force: true });
	}
}

async function tryToTake(file) {
	try {
		await writeFile(file, JSON.stringify({ pid: process.pid, machine: os.hostname() }), { flag: 'wx' });
		return true;
	} catch (error) {
		if (error.code === 'EEXIST') return false;
		throw error;
	}
}

/** Drops a lock whose holder has died, or that has had no heartbeat for a minute: its holder may be on another machine. */
async function dropIfStale(file) {
	try {
		const [text, { mtimeMs }] = await Promise.all([readFile(file, 'utf8'), stat(file)]);
		const silent = Date.now() - mtimeMs > STALE_AFTER_MS;
		const holder = text === '' ? undefined : JSON.parse(text);
		const dead = holder?.machine === os.hostname() && !isAlive(holder.pid);
		if (!silent && !dead) return;
		const aside = `${file}.stale-${process.pid}`;
		await rename(file, aside);
		// Another process may have dropped and taken the lock between the read and the rename.
		if ((await readFile(aside, 'utf8')) === text) await rm(aside, { force: true });
		else await rename(aside, file);
	} catch (error) {
		if (error.code !== 'ENOENT' && !(error instanceof SyntaxError)) throw error;
	}
}
