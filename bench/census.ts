import type { Bench } from './bench.ts';
import { organizationOf } from './bench.ts';
import { count, kilobytes, measureProgram, report, target } from './measure.ts';

const EXISTING = [5_000, 50_000, 200_000];
const MAX_BYTES = 1_000_000;

/** What censusProcess.ts prints. CPU in milliseconds. */
interface Measured {
	polls: number;
	/** The requests of the census, without those of the sweeps. */
	requests: number;
	cpu: number;
	mostCpu: number;
	/** CPU of a poll without a census, with the same memory. */
	idleCpu: number;
	/** The largest state during the census, and the state after it. */
	mostBytes: number;
	bytes: number;
}

/** Measures the Transaction Trigger's census of what exists when it is activated, at one poll a minute. */
export async function benchCensus({ sandbox }: Bench): Promise<void> {
	process.stdout.write(
		"\nThe Transaction Trigger's census at one poll a minute, no rate limits; the trigger's clock is put forward between polls",
	);
	const rows: string[][] = [];
	const states: number[] = [];
	for (const existing of EXISTING) {
		const { keys } = await organizationOf(sandbox, { transactions: existing });
		const { printed: measured } = await measureProgram<Measured>('censusProcess.ts', sandbox.url, keys.full);
		rows.push([
			count(existing),
			count(measured.requests),
			String(measured.polls),
			`${Math.round(measured.cpu)} ms`,
			`${Math.round(measured.mostCpu)} ms`,
			`${Math.round(measured.idleCpu)} ms`,
			kilobytes(measured.mostBytes),
			kilobytes(measured.bytes),
		]);
		states.push(measured.mostBytes);
	}
	const heads = ['existing', 'requests', 'polls = minutes', 'CPU of a poll', 'at most', 'afterwards'];
	const verdict = target('The largest state, MB', Math.max(...states) / MAX_BYTES, { most: 1 });
	report([...heads, 'state at most', 'afterwards'], rows, [verdict]);
}
