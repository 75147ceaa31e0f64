import { spawn } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';

const TAIL_LINES = 25;

/** Whether a child can lead a process group, so that all it starts can be ended together. */
const GROUPS = process.platform !== 'win32';

/** A failure whose message is meant for the person at the terminal: what happened, then what to do. */
export class Failure extends Error {}

/** The npm that runs this, on the Node that `env` puts first; else the one on the PATH. */
function npmCommand(env, nodeCommand) {
	const running = env.npm_execpath;
	if (running !== undefined && /^npm(-cli)?\.[cm]?js$/.test(path.basename(running))) return [nodeCommand, running];
	return [process.platform === 'win32' ? 'npm.cmd' : 'npm'];
}

/** What `npm run` tells about itself in the environment would make an npm below it act for the wrong package. */
function withoutLifecycle(env) {
	const passing = Object.entries(env).filter(
		([name]) => !/^npm_(package|lifecycle|command$|config_local_prefix$|config_workspaces?$)/i.test(name),
	);
	return Object.fromEntries(passing);
}

/** Takes the child and the compilers below it along, whatever signal ends this process; returns how to let go of it. */
function endWithThis(child) {
	const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
	const end = (signal) => {
		try {
			if (child.pid !== undefined) process.kill(GROUPS ? -child.pid : child.pid, 'SIGTERM');
		} catch {
			// It has just ended by itself.
		}
		process.exit(128 + os.constants.signals[signal]);
	};
	for (const signal of signals) process.on(signal, end);
	return () => {
		for (const signal of signals) process.off(signal, end);
	};
}

/** Runs npm to its end. @throws {Failure} with the end of its output and `hint`, when it fails. */
export async function npm(args, { cwd, env, nodeCommand = process.execPath, verbose, what, hint }) {
	const [command, ...before] = npmCommand(env, nodeCommand);
	const child = spawn(command, [...before, ...args], {
		cwd,
		env: withoutLifecycle(env),
		stdio: ['ignore', 'pipe', 'pipe'],
		detached: GROUPS,
	});
	const release = endWithThis(child);
	let output = '';
	for (const stream of [child.stdout, child.stderr]) {
		stream.setEncoding('utf8').on('data', (text) => {
			output += text;
			if (verbose) process.stderr.write(text);
		});
	}
	const code = await new Promise((resolve, reject) => {
		child.once('error', (error) =>
			reject(new Failure(`npm could not be started (${error.message}). Is npm on the PATH?`)),
		);
		child.once('close', resolve);
	}).finally(release);
	if (code === 0) return;
	const tail = output.trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
	throw new Failure(
		[
			`${what} failed: \`npm ${args.join(' ')}\` ended with code ${code}. The end of its output:`,
			'',
			tail,
			'',
			hint,
			'A half-finished installation is never used: running the same command again starts over. --verbose shows everything.',
		].join('\n'),
	);
}
