import { spawn } from 'node:child_process';
import os from 'node:os';
import { ROOT } from './repository.ts';

interface CommandOptions {
	cwd?: string;
	env?: NodeJS.ProcessEnv;
	/** Whether the output also appears on the terminal. */
	show?: boolean;
	/** The user and group to run as; by default those of this process. */
	uid?: number;
	gid?: number;
}

export interface CommandResult {
	/** Exit code; 128 + the signal's number when a signal ended the command. */
	code: number;
	/** Standard output and standard error, in order of arrival. */
	output: string;
	stdout: string;
}

/** Runs a command until it ends, with any exit code. @throws Error when it cannot be started. */
export async function runCommand(
	command: string,
	args: readonly string[],
	{ cwd = ROOT, env = process.env, show = false, ...identity }: CommandOptions = {},
): Promise<CommandResult> {
	const child = spawn(command, args, { cwd, env, ...identity, stdio: ['ignore', 'pipe', 'pipe'] });
	let output = '';
	let stdout = '';
	child.stdout.setEncoding('utf8').on('data', (text: string) => {
		stdout += text;
		output += text;
		if (show) process.stdout.write(text);
	});
	child.stderr.setEncoding('utf8').on('data', (text: string) => {
		output += text;
		if (show) process.stderr.write(text);
	});
	const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
		child.once('error', reject);
		child.once('close', (...ending) => resolve(ending));
	});
	if (signal !== null) output += `\n(ended by ${signal})\n`;
	return { code: code ?? 128 + os.constants.signals[signal ?? 'SIGKILL'], output, stdout };
}

/** Runs a command that must succeed. @throws Error with the end of its output when it fails. */
export async function mustRun(
	command: string,
	args: readonly string[],
	options: CommandOptions = {},
): Promise<CommandResult> {
	const result = await runCommand(command, args, options);
	if (result.code !== 0) {
		throw new Error(`\`${[command, ...args].join(' ')}\` ended with code ${result.code}:\n${lastLines(result.output)}`);
	}
	return result;
}

/** Returns the last 30 lines of what a program printed. */
export function lastLines(output: string): string {
	return output.trimEnd().split('\n').slice(-30).join('\n');
}
