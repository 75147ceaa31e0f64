import { spawn } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';

const TAIL_LINES = 25;

/** Whether a child can lead a process group, so that one signal ends all it has started. */
const GROUPS = process.platform !== 'win32';

/** A failure whose message is for the user: what happened, then what to do. */
export class Failure extends Error {}

const INSTALL = ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'];

// The user's npm may leave these out, as on a server.
const ALL = ['--include=dev', '--include=optional'];

/** Installs packages without running their scripts, and without changing a lockfile. @throws {Failure} as `npm` does. */
export async function npmInstall(args, options) {
	await npm([...INSTALL, ...ALL, ...args], options);
}

/**
 * Builds an addon by its install script, because all are skipped. `npm rebuild` would skip it too, and succeed: from npm 12 on,
 * and before with `ignore-scripts`. @throws {Failure} as `npm` does.
 */
export async function npmBuild(addon, { cwd, ...options }) {
	await npm(['run', 'install'], {
		...options,
		cwd: path.join(cwd, 'node_modules', addon),
		what: `Building ${addon}`,
		hint: 'It needs Python 3, make and a C++ compiler (Debian: apt-get install python3 make g++).',
	});
}

/** Runs npm until it ends. @throws {Failure} with the end of its output and `hint` when it fails. */
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
			`${what} failed: \`npm ${args.join(' ')}\` ended with code ${code}. Its last lines:`,
			'',
			tail,
			'',
			hint,
			'Run the same command again: it starts the installation over. --verbose shows all output.',
		].join('\n'),
	);
}

/** The npm that runs this, on the Node that `env` puts first; else the one on the PATH. */
function npmCommand(env, nodeCommand) {
	const running = env.npm_execpath;
	if (running !== undefined && /^npm(-cli)?\.[cm]?js$/.test(path.basename(running))) return [nodeCommand, running];
	return [process.platform === 'win32' ? 'npm.cmd' : 'npm'];
}

/** Drops the variables with which `npm run` would make an npm below it act on the wrong package. */
function withoutLifecycle(env) {
	const passing = Object.entries(env).filter(
		([name]) => !/^npm_(package|lifecycle|command$|config_local_prefix$|config_workspaces?$)/i.test(name),
	);
	return Object.fromEntries(passing);
}

/** Ends the child and the compilers below it when a signal ends this process. Returns a function that stops that. */
function endWithThis(child) {
	const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
	const end = (signal) => {
		try {
			if (child.pid !== undefined) process.kill(GROUPS ? -child.pid : child.pid, 'SIGTERM');
		} catch {
			// It has just ended.
		}
		process.exit(128 + os.constants.signals[signal]);
	};
	for (const signal of signals) process.on(signal, end);
	return () => {
		for (const signal of signals) process.off(signal, end);
	};
}
