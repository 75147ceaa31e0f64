import { EVENTS } from './backlog.ts';
import type { Bench } from './bench.ts';
import { organizationOf } from './bench.ts';
import { count, kilobytes, measureProgram, milliseconds, report, target } from './measure.ts';

const REMEMBERED = 50_000;
const MAX_CPU_MS = 50;

/** CPU in milliseconds of a poll and of the same requests alone; `bytes` is the size of the state after the poll. */
interface Measured {
	poll: number;
	alone: number;
	bytes: number;
}

/** Polls of the Transaction Trigger with 50,000 remembered transactions, idle and with 1,000 new ones. */
export async function benchPolls({ sandbox }: Bench): Promise<void> {
	process.stdout.write(
		`\nPolls of the Transaction Trigger with ${count(REMEMBERED)} transactions remembered, no rate limits, median of 9 interleaved rounds`,
	);
	const rows: string[][] = [];
	const verdicts: string[] = [];
	for (const [name, event] of Object.entries(EVENTS)) {
		const { id, keys } = await organizationOf(sandbox, { transactions: REMEMBERED });
		const args = [sandbox.url, id, keys.full, event, String(REMEMBERED)];
		const { printed } = await measureProgram<{ idle: Measured; busy: Measured }>('pollProcess.ts', ...args);
		const { idle, busy } = printed;
		for (const [what, { poll, alone, bytes }] of Object.entries({ idle, '1,000 new': busy })) {
			rows.push([name, what, milliseconds(poll), milliseconds(alone), milliseconds(poll - alone), kilobytes(bytes)]);
			verdicts.push(target(`${name}, ${what}: ms of CPU beyond the HTTP itself`, poll - alone, { most: MAX_CPU_MS }));
		}
	}
	report(['event', 'poll', 'CPU', 'CPU of the HTTP alone', 'beyond it', 'state'], rows, verdicts);
}
