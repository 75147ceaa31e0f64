import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { OAuthAccess } from './controlClient.ts';
import { SandboxControl } from './controlClient.ts';
import type { Switches } from './switches.ts';

export * from './controlClient.ts';

/** How to start a sandbox. The defaults are those of the command line. */
export interface SandboxOptions {
	port?: number;
	host?: string;
	/** `:memory:` or a file path. */
	data?: string;
	seed?: number;
	/** ISO date-time; the moment seeded history ends. */
	epoch?: string;
	leads?: number;
	transactions?: number;
	manualRecords?: number;
	/** Duration, such as `1s`. */
	minute?: string;
	budgets?: boolean;
	readBudget?: number;
	writeBudget?: number;
	dayBudget?: number;
	switches?: Switches;
	journalLimit?: number;
	/** Path of the sandbox's main.ts; searched upwards from the working directory when left out. */
	main?: string;
	/** Node 24 or newer; the one that runs this when left out. */
	node?: string;
}

/** Options of a sandbox whose default organization has no records. */
export const NO_RECORDS = { leads: 0, transactions: 0, manualRecords: 0 } satisfies SandboxOptions;

/** A running sandbox process. */
export interface Sandbox {
	/** Base address of the service. */
	url: string;
	control: SandboxControl;
	/** What an OAuth client is configured with, and the demo user who can allow it access. */
	oauth: OAuthAccess & { email: string; password: string };
	pid: number;
	/** Ends it with SIGTERM; returns its exit code, null when a signal ended it. */
	stop(): Promise<number | null>;
	/** Ends it as a crash would. */
	kill9(): Promise<void>;
	/** Returns what it has written to stderr so far: bugs of the sandbox. */
	errors(): string;
}

/** Starts a sandbox process and waits until it listens. @throws Error with its message when it does not. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
	const child = spawn(options.node ?? process.execPath, [options.main ?? findMain(), ...flagsOf(options)], {
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	let errors = '';
	child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
	// A sandbox must not outlive the process that started it.
	const end = () => child.kill('SIGKILL');
	process.once('exit', end);
	const ended = new Promise<number | null>((resolve) => {
		child.once('exit', (code) => {
			process.off('exit', end);
			resolve(code);
		});
		child.once('error', (error) => {
			errors += error.message;
			resolve(null);
		});
	});
	const ready = await firstLine(child, ended, () => errors);
	const { url, pid, oauth } = JSON.parse(ready) as Pick<Sandbox, 'url' | 'pid' | 'oauth'>;
	return {
		url,
		pid,
		oauth,
		control: new SandboxControl(url),
		errors: () => errors,
		stop() {
			child.kill('SIGTERM');
			return ended;
		},
		async kill9() {
			child.kill('SIGKILL');
			await ended;
		},
	};
}

function findMain(): string {
	for (let folder = process.cwd(); ; folder = path.dirname(folder)) {
		const candidate = path.join(folder, 'sandbox', 'src', 'main.ts');
		if (existsSync(candidate)) return candidate;
		if (folder === path.dirname(folder)) {
			throw new Error(`There is no sandbox/src/main.ts above ${process.cwd()}; pass its path as "main"`);
		}
	}
}

/** Returns the command line flags of the options: `readBudget` is `--read-budget`. */
function flagsOf({ switches = {}, budgets, main: _main, node: _node, ...plain }: SandboxOptions): string[] {
	const flag = (name: string) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
	return [
		...Object.entries(plain).flatMap(([name, value]) => (value === undefined ? [] : [flag(name), String(value)])),
		...(budgets === undefined ? [] : ['--budgets', budgets ? 'on' : 'off']),
		...Object.entries(switches).flatMap(([name, value]) => ['--switch', `${name}=${value}`]),
	];
}

async function firstLine(child: ChildProcess, ended: Promise<number | null>, errors: () => string): Promise<string> {
	if (!child.stdout) throw new Error('The sandbox has no standard output');
	const lines = createInterface({ input: child.stdout });
	const line = new Promise<string>((resolve) => lines.once('line', resolve));
	const failed = ended.then((code) => {
		throw new Error(`The sandbox ended with code ${code} before it listened:\n${errors()}`);
	});
	failed.catch(() => undefined);
	return Promise.race([line, failed]);
}
