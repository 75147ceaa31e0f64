import { inRepository } from '../scripts/lib/repository.ts';
import { table } from '../scripts/lib/table.ts';
import type { Bench } from './bench.ts';
import { measureProcess, target } from './measure.ts';

const REMEMBERED = 50_000;
const MAX_CPU_MS = 50;

const EVENTS = { New: 'newTransaction', 'New or Updated': 'newOrUpdatedTransaction' };

/** CPU in milliseconds of a poll and of the same requests alone; `bytes` is the size of the state after the poll. */
interface Measured {
	poll: number;
	alone: number;
	bytes: number;
}

/** Polls of the Transaction Trigger with 50,000 remembered transactions, idle and with 1,000 new ones. */
export async function benchPolls({ sandbox }: Bench): Promise<void> {
	process.stdout.write(
		`\nPolls of the Transaction Trigger with ${REMEMBERED.toLocaleString('en')} transactions remembered, budgets off, median of 9 interleaved rounds\n`,
	);
	const rows: string[][] = [];
	const verdicts: string[] = [];
	for (const [name, event] of Object.entries(EVENTS)) {
		const organization = await sandbox.control.createOrganization({
			leads: 0,
			transactions: REMEMBERED,
			manual_records: 0,
			budgets: { enabled: false },
		});
		const args = [
			inRepository('bench', 'pollProcess.ts'),
			sandbox.url,
			organization.id,
			organization.keys.full,
			event,
			String(REMEMBERED),
		];
		const { stdout } = await measureProcess(args, { env: process.env });
		// n8n's log comes first.
		const { idle, busy } = JSON.parse(stdout.split('\n').at(-1) ?? '') as { idle: Measured; busy: Measured };
		for (const [what, { poll, alone, bytes }] of Object.entries({ idle, '1,000 new': busy })) {
			rows.push([
				name,
				what,
				milliseconds(poll),
				milliseconds(alone),
				milliseconds(poll - alone),
				`${Math.round(bytes / 1_000)} kB`,
			]);
			verdicts.push(target(`${name}, ${what}: ms of CPU beyond the HTTP itself`, poll - alone, { most: MAX_CPU_MS }));
		}
	}
	process.stdout.write(
		`${table(['event', 'poll', 'CPU', 'CPU of the HTTP alone', 'beyond it', 'state'], rows)}\n${verdicts.join('\n')}\n`,
	);
}

const milliseconds = (value: number) => `${value.toFixed(1)} ms`;
