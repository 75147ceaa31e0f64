import { readdir, readFile, readlink } from 'node:fs/promises';
import type { N8nProcess } from '../../../scripts/n8n/n8nProcess.ts';

interface Sample {
	atMs: number;
	memoryMb: number;
	sockets: number;
}

/** What the operating system says about some processes over time (Linux). */
export class Vitals {
	private readonly samples = new Map<number, Sample[]>();

	async take(processes: readonly N8nProcess[]): Promise<void> {
		for (const { pid } of processes) {
			const sample = { atMs: Date.now(), memoryMb: await memoryOf(pid), sockets: await socketsOf(pid) };
			this.samples.set(pid, [...(this.samples.get(pid) ?? []), sample]);
		}
	}

	/** A process' course from the first sample to the last. */
	of({ pid }: N8nProcess): { memoryMb: number; slopeMbPerMinute: number; socketsBefore: number; socketsAfter: number } {
		const samples = this.samples.get(pid) ?? [];
		const half = Math.ceil(samples.length / 2);
		const most = (some: Sample[]) => Math.max(0, ...some.map(({ sockets }) => sockets));
		return {
			memoryMb: samples.at(-1)?.memoryMb ?? 0,
			slopeMbPerMinute: slope(samples.map(({ atMs, memoryMb }) => [atMs / 60_000, memoryMb])),
			socketsBefore: most(samples.slice(0, half)),
			socketsAfter: most(samples.slice(half)),
		};
	}
}

async function memoryOf(pid: number): Promise<number> {
	const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1];
	return Number(kilobytes) / 1_024;
}

async function socketsOf(pid: number): Promise<number> {
	const folder = `/proc/${pid}/fd`;
	// A file may be closed between the two looks at it.
	const targets = await Promise.all((await readdir(folder)).map(async (file) => await readlink(`${folder}/${file}`).catch(() => '')));
	return targets.filter((target) => target.startsWith('socket:')).length;
}

/** The steepness of the straight line that fits best. */
function slope(points: Array<[number, number]>): number {
	const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
	const [meanX, meanY] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
	const squares = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
	return squares === 0 ? 0 : points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) / squares;
}
