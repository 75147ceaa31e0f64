import type { ChildProcessByStdio } from 'node:child_process';
import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { runInThisContext } from 'node:vm';

const DEFAULT_GRACE_MS = 15_000;

/** A child that leads a process group of its own, with its output piped here. */
export type GroupLeader = ChildProcessByStdio<null, Readable, Readable>;

// jest gives test files a copy of the process object, whose listeners nobody calls; a script outside of theirs sees the real one.
const thisProcess = runInThisContext('process') as NodeJS.Process;

// jest loads this module anew for every test file; all of them share the leaders of the process they run in.
const SHARED = Symbol.for('n8n-nodes-lead-revenue: leaders');
const shared = thisProcess as unknown as Record<typeof SHARED, Set<GroupLeader> | undefined>;
const leaders = (shared[SHARED] ??= watched(new Set<GroupLeader>()));

/** Whatever way this process ends, nothing it started stays behind. */
function watched(started: Set<GroupLeader>): Set<GroupLeader> {
	const endAll = () => {
		for (const leader of started) signalGroup(leader, 'SIGKILL');
	};
	thisProcess.on('exit', endAll);
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
		thisProcess.once(signal, () => {
			// Somebody else sees to an orderly end; without anybody, this signal would end the process without its exit.
			if (thisProcess.listenerCount(signal) > 0) return;
			endAll();
			thisProcess.kill(thisProcess.pid, signal);
		});
	}
	return started;
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
		thisProcess.kill(-leader.pid, signal);
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
