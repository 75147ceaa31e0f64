import { readFile, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { runCommand } from '../scripts/lib/command.ts';
import { inRepository } from '../scripts/lib/repository.ts';
import { table } from '../scripts/lib/table.ts';
import { temporaryFolder } from '../scripts/lib/temporaryFolder.ts';

/** One process, from start to end. */
export interface ProcessMeasure {
	seconds: number;
	/** Peak resident memory, in bytes. */
	memory: number;
	stdout: string;
}

const CRASHED = 128 + os.constants.signals.SIGSEGV;
const SUCCESS = 'Execution was successful';

/**
 * Runs a Node program and measures it. About 1 in 20 `n8n execute` of 2.41.1 crashes in its isolated-vm while it ends, after
 * it has printed its success: such a run is measured again, and reported. @throws Error with its output when it fails.
 */
export async function measureProcess(
	args: readonly string[],
	options: { cwd?: string; env: NodeJS.ProcessEnv },
): Promise<ProcessMeasure> {
	const folder = await temporaryFolder('bench');
	const peak = path.join(folder, 'peak');
	const env = {
		...options.env,
		BENCH_PEAK_MEMORY: peak,
		NODE_OPTIONS: `--require=${inRepository('bench', 'peakMemory.cjs')}`,
	};
	const started = performance.now();
	const { code, output, stdout } = await runCommand(process.execPath, args, { ...options, env });
	const seconds = (performance.now() - started) / 1_000;
	if (code === CRASHED && output.includes(SUCCESS)) {
		process.stdout.write('(n8n crashed at its end: measured again)');
		await rm(folder, { recursive: true, force: true });
		return await measureProcess(args, options);
	}
	if (code !== 0) throw new Error(`${args.join(' ')} ended with code ${code}:\n${output.slice(-2_000)}`);
	const memory = Number(await readFile(peak, 'utf8'));
	await rm(folder, { recursive: true, force: true });
	return { seconds, memory, stdout };
}

/** Runs a program of this folder and measures it. `printed` is the JSON in its last line: n8n's log comes first. */
export async function measureProgram<Printed>(
	file: string,
	...args: string[]
): Promise<ProcessMeasure & { printed: Printed }> {
	const measured = await measureProcess([inRepository('bench', file), ...args], { env: process.env });
	return { ...measured, printed: JSON.parse(measured.stdout.split('\n').at(-1) ?? '') as Printed };
}

/** Returns the memory of a process in bytes: resident now, or its peak (Linux, proc(5)). Zero for one that is ending. */
export async function memoryOf(pid: number, field: 'VmRSS' | 'VmHWM'): Promise<number> {
	const status = await readFile(`/proc/${pid}/status`, 'utf8');
	return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) * 1_024;
}

/** Sets VmHWM, the peak, back to the memory of now (Linux, proc(5)). */
export async function forgetPeak(pid: number): Promise<void> {
	await writeFile(`/proc/${pid}/clear_refs`, '5');
}

/** Calls a webhook and waits for its response; n8n returns 404 until it has registered the webhook. fetch gives up after 300 s. */
export async function callWebhook(hook: string): Promise<{ status: number; body: string; seconds: number }> {
	for (let tries = 1; ; tries++) {
		const started = performance.now();
		const response = await new Promise<http.IncomingMessage>((resolve, reject) =>
			http.get(hook, { agent: false }, resolve).on('error', reject),
		);
		const [status, body] = [response.statusCode ?? 0, await text(response)];
		if (status !== 404 || tries === 100) return { status, body, seconds: (performance.now() - started) / 1_000 };
		await wait(100);
	}
}

export function median(values: readonly number[]): number {
	const sorted = values.toSorted((a, b) => a - b);
	const middle = Math.floor(sorted.length / 2);
	return sorted.length % 2 === 1
		? (sorted[middle] as number)
		: ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

/** Measures every subject once per round, so that a slow phase of the machine slows all of them. */
export async function inRounds<T>(
	rounds: number,
	subjects: Record<string, () => Promise<T>>,
	{ warmUp = 0 } = {},
): Promise<Record<string, T[]>> {
	const measured: Record<string, T[]> = Object.fromEntries(Object.keys(subjects).map((name) => [name, []]));
	for (let round = -warmUp; round < rounds; round++) {
		for (const [name, measure] of Object.entries(subjects)) {
			const result = await measure();
			if (round >= 0) (measured[name] as T[]).push(result);
			process.stdout.write('.');
		}
	}
	return measured;
}

export function mean(values: readonly number[]): number {
	return values.reduce((sum, value) => sum + value, 0) / values.length;
}

export function count(things: number): string {
	return things.toLocaleString('en');
}

export function seconds(value: number): string {
	return `${value.toFixed(2)} s`;
}

export function milliseconds(value: number): string {
	return `${value.toFixed(1)} ms`;
}

export function megabytes(bytes: number): string {
	return `${Math.round(bytes / 1_048_576)} MB`;
}

/** Returns the size of a state; its limit is in units of 1,000 bytes. */
export function kilobytes(bytes: number): string {
	return `${Math.round(bytes / 1_000)} kB`;
}

/** Prints the results of a benchmark below its title and progress, and whether they meet their targets. */
export function report(header: readonly string[], rows: string[][], verdicts: readonly string[]): void {
	process.stdout.write(`\n${[table(header, rows), ...verdicts].join('\n')}\n`);
}

/** Returns a line that says whether a ratio meets its target. */
export function target(what: string, ratio: number, limit: { most?: number; least?: number }): string {
	const met = ratio <= (limit.most ?? Infinity) && ratio >= (limit.least ?? -Infinity);
	const wanted = limit.most === undefined ? `at least ${limit.least}` : `at most ${limit.most}`;
	return `  ${met ? 'PASS' : 'MISS'}  ${what}: ${ratio.toFixed(2)} (target: ${wanted})`;
}
