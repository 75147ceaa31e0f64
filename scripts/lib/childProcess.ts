import type { ChildProcessByStdio } from 'node:child_process';
import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { runInThisContext } from 'node:vm';

const DEFAULT_GRACE_MS = 15_000;

/** A child that leads its own process group, with its output piped here. */
export type GroupLeader = ChildProcessByStdio<null, Readable, Readable>;

// jest gives test files a copy of the process object, whose listeners are never called. This is the real one.
const thisProcess = runInThisContext('process') as NodeJS.Process;

// jest loads this module again for every test file; all files of one process share its leaders.
const SHARED = Symbol.for('n8n-nodes-lead-revenue: leaders');
const shared = thisProcess as unknown as Record<typeof SHARED, Set<GroupLeader> | undefined>;
const leaders = (shared[SHARED] ??= watched(new Set<GroupLeader>()));

interface GroupOptions {
	cwd?: string;
	env?: NodeJS.ProcessEnv;
	/** The user and group to run as; by default those of this process. */
	uid?: number;
	gid?: number;
}

/** Runs a program in its own process group, which a terminal's interrupt does not reach. */
export function spawnProgram(command: string, args: readonly string[], options: GroupOptions = {}): GroupLeader {
	const leader = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
	leaders.add(leader);
	leader.once('exit', () => {
		// n8n's task runners have no use without it.
		signalGroup(leader, 'SIGKILL');
		leaders.delete(leader);
	});
	return leader;
}

/** Runs a script with this Node in its own process group. */
export function spawnGroup(script: string, args: readonly string[], options: GroupOptions = {}): GroupLeader {
	return spawnProgram(process.execPath, [script, ...args], options);
}

export async function ended(child: GroupLeader): Promise<void> {
	if (child.exitCode !== null || child.signalCode !== null) return;
	await new Promise<void>((resolve) => child.once('exit', () => resolve()));
}

/** Sends a signal to a whole group; does nothing when the group has ended. */
export function signalGroup(leader: GroupLeader, signal: NodeJS.Signals): void {
	if (leader.pid === undefined) return;
	try {
		thisProcess.kill(-leader.pid, signal);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
	}
}

/** Ends a leader with SIGTERM, and its group with SIGKILL after `graceMs` milliseconds. */
export async function endGroup(leader: GroupLeader, graceMs = DEFAULT_GRACE_MS): Promise<void> {
	if (leader.exitCode === null && leader.signalCode === null) leader.kill('SIGTERM');
	const timer = setTimeout(() => signalGroup(leader, 'SIGKILL'), graceMs);
	await ended(leader);
	clearTimeout(timer);
}

/** Ends every group when this process ends, even by a signal. */
function watched(started: Set<GroupLeader>): Set<GroupLeader> {
	const endAll = () => {
		for (const leader of started) signalGroup(leader, 'SIGKILL');
	};
	thisProcess.on('exit', endAll);
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
		thisProcess.once(signal, () => {
			// Another listener ends the process. Without one, the signal would end it without its "exit" event.
			if (thisProcess.listenerCount(signal) > 0) return;
			endAll();
			thisProcess.kill(thisProcess.pid, signal);
		});
	}
	return started;
}
