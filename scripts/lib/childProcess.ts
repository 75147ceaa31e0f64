import type { ChildProcessByStdio } from 'node:child_process';
import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';

const DEFAULT_GRACE_MS = 15_000;

/** A child that leads a process group of its own, with its output piped here. */
export type GroupLeader = ChildProcessByStdio<null, Readable, Readable>;

const leaders = new Set<GroupLeader>();

// Whatever way this process ends, nothing it started stays behind.
process.on('exit', endLeaders);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
	process.once(signal, () => {
		// Somebody else sees to an orderly end; without anybody, this signal would end the process without its exit.
		if (process.listenerCount(signal) > 0) return;
		endLeaders();
		process.kill(process.pid, signal);
	});
}

function endLeaders(): void {
	for (const leader of leaders) signalGroup(leader, 'SIGKILL');
}

interface GroupOptions {
	cwd?: string;
	env?: NodeJS.ProcessEnv;
	/** The user and group to run as; this process' own unless given. */
	uid?: number;
	gid?: number;
}

/** Runs a program in a process group of its own, which a terminal's interrupt does not reach. */
export function spawnProgram(command: string, args: readonly string[], options: GroupOptions = {}): GroupLeader {
	const leader = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
	leaders.add(leader);
	leader.once('exit', () => {
		// Its task runners are no use without it.
		signalGroup(leader, 'SIGKILL');
		leaders.delete(leader);
	});
	return leader;
}

/** Runs a script with this Node in a process group of its own. */
export function spawnGroup(script: string, args: readonly string[], options: GroupOptions = {}): GroupLeader {
	return spawnProgram(process.execPath, [script, ...args], options);
}

/** Resolves once the process has ended, at once when it already has. */
export async function ended(child: GroupLeader): Promise<void> {
	if (child.exitCode !== null || child.signalCode !== null) return;
	await new Promise<void>((resolve) => child.once('exit', () => resolve()));
}

/** Sends a signal to a whole group; a group that is gone already is no error. */
export function signalGroup(leader: GroupLeader, signal: NodeJS.Signals): void {
	if (leader.pid === undefined) return;
	try {
		process.kill(-leader.pid, signal);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
	}
}

/** Asks a leader to end, and ends its group the hard way after `graceMs` milliseconds. */
export async function endGroup(leader: GroupLeader, graceMs = DEFAULT_GRACE_MS): Promise<void> {
	if (leader.exitCode === null && leader.signalCode === null) leader.kill('SIGTERM');
	const timer = setTimeout(() => signalGroup(leader, 'SIGKILL'), graceMs);
	await ended(leader);
	clearTimeout(timer);
}
