import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { temporaryFolder } from '../scripts/lib/temporaryFolder.ts';
import type { Backlog, Drained } from './backlogProcess.ts';
import type { Bench } from './bench.ts';
import { organizationOf } from './bench.ts';
import { count, kilobytes, measureProgram, megabytes, report, seconds, target } from './measure.ts';

const TRANSACTIONS = 200_000;
const PAGE = 100;
const MINUTE_MS = 2_000;
const READS = 120;
const MAX_STATE_BYTES = 1_000_000;

/** The parameter Event of the Transaction Trigger, by the name of its choice. */
export const EVENTS = { New: 'newTransaction', 'New or Updated': 'newOrUpdatedTransaction' };
const SAVING = { 'static data': false, 'durable cursors': true };

/**
 * Drains a backlog of two years through the Transaction Trigger, under the documented rate limit of reads on a short minute.
 */
export async function benchBacklog({ sandbox }: Bench): Promise<void> {
	process.stdout.write(
		`\nA backlog of ${count(TRANSACTIONS)} transactions through the Transaction Trigger, ${READS} reads a minute, with minutes of ${MINUTE_MS / 1_000} s\n  `,
	);
	const rows: string[][] = [];
	const verdicts: string[] = [];
	for (const [event, parameter] of Object.entries(EVENTS)) {
		for (const [saving, durable] of Object.entries(SAVING)) {
			const { drained, peak, missing, repeated, requests, rejected } = await drain(sandbox, parameter, durable);
			const minutes = (drained.seconds * 1_000) / MINUTE_MS;
			const of = `${event}, ${saving}`;
			rows.push([
				event,
				saving,
				String(drained.polls),
				seconds(drained.seconds),
				`${Math.round((100 * TRANSACTIONS) / PAGE / READS / minutes)} %`,
				String(rejected),
				kilobytes(drained.state),
				megabytes(drained.most - drained.before),
				megabytes(peak),
			]);
			verdicts.push(
				target(`${of}: lost`, missing, { most: 0 }),
				target(`${of}: arrived again`, repeated, { most: 0 }),
				target(`${of}: MB of state`, drained.state / MAX_STATE_BYTES, { most: 1 }),
			);
			if (requests === 0) throw new Error('the journal has no requests');
			process.stdout.write('.');
		}
	}
	const sizes = ['state', 'in use', 'peak memory'];
	const header = ['event', 'state kept in', 'polls', 'time', 'of the limit', 'rejected', ...sizes];
	report(header, rows, verdicts);
}

async function drain(sandbox: Bench['sandbox'], event: string, durable: boolean) {
	const budgets = { enabled: true, minute: `${MINUTE_MS}ms` };
	const organization = await organizationOf(sandbox, { transactions: TRANSACTIONS, budgets });
	const folder = await temporaryFolder('bench');
	try {
		const backlog: Backlog = {
			baseUrl: sandbox.url,
			organization: organization.id,
			apiKey: organization.keys.full,
			event,
			startDate: '2000-01-01',
			durable,
			arrived: path.join(folder, 'arrived'),
		};
		const program = 'backlogProcess.ts';
		const { printed: drained, memory } = await measureProgram<Drained>(program, JSON.stringify(backlog));
		const arrived = (await readFile(backlog.arrived, 'utf8')).split('\n').slice(0, -1);
		const once = new Set(arrived);
		const journal = await sandbox.control.journal(organization.id);
		return {
			drained,
			peak: memory,
			missing: TRANSACTIONS + drained.later.length - once.size,
			repeated: arrived.length - once.size,
			requests: journal.length,
			rejected: journal.filter(({ status }) => status === 429).length,
		};
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}
