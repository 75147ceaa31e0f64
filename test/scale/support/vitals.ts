import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { inRepository } from '../../../scripts/lib/repository.ts';
import { until } from '../../../scripts/lib/until.ts';
import type { N8nProcess } from '../../../scripts/n8n/n8nProcess.ts';

const WRITES_WITHIN_MS = 30_000;
const MB = 1_024 * 1_024;

/** A line of the probe in a process, after a full garbage collection: see probe.cjs. */
interface Line {
	heapBytes: number;
	externalBytes: number;
	residentBytes: number;
	/** Number of resources that keep the process's event loop alive, by kind: timers, sockets. */
	resources: Record<string, number>;
	/** Uncaught errors and rejections so far. */
	uncaught: string[];
}

interface Sample extends Line {
	atMs: number;
}

/** How a process changed over some samples. */
export interface Course {
	/** Live memory in the heap and outside it, in MB. */
	liveMb: { first: number; last: number };
	/** The slope of its best-fit line, in MB a minute. */
	slopeMbPerMinute: number;
	residentMb: { first: number; last: number };
	timers: { first: number; last: number };
	sockets: { first: number; last: number };
	/** Uncaught errors since the first sample, and before it. */
	uncaught: string[];
	uncaughtBefore: string[];
}

/** Returns the environment that loads the probe into a process. */
export function probed(folder: string): NodeJS.ProcessEnv {
	return {
		NODE_OPTIONS: `--require=${inRepository('test', 'scale', 'support', 'probe.cjs')}`,
		LEAD_REVENUE_PROBE_FOLDER: folder,
	};
}

/** Samples of processes over time. */
export class Vitals {
	private readonly samples = new Map<number, Sample[]>();

	constructor(private readonly folder: string) {}

	/** Samples all processes; each collects its garbage first. */
	async take(processes: readonly N8nProcess[]): Promise<void> {
		await Promise.all(
			processes.map(async ({ pid }) => {
				const before = (await this.lines(pid)).length;
				process.kill(pid, 'SIGUSR2');
				let lines: Line[] = [];
				await until(`process ${pid} writes its vitals`, WRITES_WITHIN_MS, async () => {
					lines = await this.lines(pid);
					return lines.length > before;
				});
				this.samples.set(pid, [...(this.samples.get(pid) ?? []), { atMs: Date.now(), ...(lines.at(-1) as Line) }]);
			}),
		);
	}

	/** @param skip how many of the first samples to leave out. */
	of({ pid }: N8nProcess, skip: number): Course {
		const all = this.samples.get(pid) ?? [];
		const samples = all.slice(skip);
		const uncaughtBefore = all[0]?.uncaught ?? [];
		const ends = (value: (sample: Sample) => number) => ({
			first: value(samples[0] as Sample),
			last: value(samples.at(-1) as Sample),
		});
		const live = ({ heapBytes, externalBytes }: Sample) => (heapBytes + externalBytes) / MB;
		return {
			liveMb: ends(live),
			slopeMbPerMinute: slope(samples.map((sample) => [sample.atMs / 60_000, live(sample)])),
			residentMb: ends(({ residentBytes }) => residentBytes / MB),
			timers: ends(({ resources }) => resources.Timeout ?? 0),
			sockets: ends(({ resources }) =>
				Object.entries(resources).reduce((sum, [kind, count]) => sum + (/^(TCP|TLS|Pipe)/.test(kind) ? count : 0), 0),
			),
			uncaught: (all.at(-1)?.uncaught ?? []).slice(uncaughtBefore.length),
			uncaughtBefore,
		};
	}

	private async lines(pid: number): Promise<Line[]> {
		const text = await readFile(path.join(this.folder, `${pid}.jsonl`), 'utf8').catch(() => '');
		return text
			.split('\n')
			.slice(0, -1)
			.map((line) => JSON.parse(line) as Line);
	}
}

function slope(points: Array<[number, number]>): number {
	const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
	const [meanX, meanY] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
	const squares = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
	return squares === 0 ? 0 : points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) / squares;
}
