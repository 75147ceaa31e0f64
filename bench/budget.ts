import { table } from '../scripts/lib/table.ts';
import type { Execution } from '../scripts/n8n/session.ts';
import { outputItems } from '../scripts/n8n/session.ts';
import type { Bench } from './bench.ts';
import { seconds, target } from './measure.ts';
import { withHttpRequest, withListLeads } from './workflows.ts';

const LEADS = 30_000;
const MINUTE_MS = 2_000;

/** 30,000 leads under the documented 120 reads a minute, a minute lasting 2 s. */
export async function benchBudget(bench: Bench): Promise<void> {
	const { control, url } = bench.sandbox;
	process.stdout.write(`\n${LEADS.toLocaleString('en')} leads under the documented budget of 120 reads a minute, a minute lasting ${MINUTE_MS / 1_000} s\n`);
	const rows: string[][] = [];
	let refusedPerWindow = Infinity;
	for (const way of ['List Leads', 'HTTP Request + Split Out']) {
		const organization = await control.createOrganization({
			leads: LEADS,
			transactions: 0,
			manual_records: 0,
			budgets: { enabled: true, minute: `${MINUTE_MS}ms` },
		});
		const { own, bearer } = await bench.credentialsFor(organization);
		const execution = await bench.execute(await bench.save(way === 'List Leads' ? withListLeads(own) : withHttpRequest(bearer, url)));
		const journal = await control.journal(organization.id);
		const refused = journal.filter(({ status }) => status === 429).length;
		const windows = Math.ceil((Date.parse(journal.at(-1)?.at as string) - Date.parse(journal[0]?.at as string) + 1) / MINUTE_MS);
		if (way === 'List Leads') refusedPerWindow = refused / windows;
		const took = (execution.stoppedAt - execution.startedAt) / 1_000;
		rows.push([way, String(outputItems(execution, 'Leads').length), String(journal.length), String(refused), String(windows), seconds(took), outcomeOf(execution)]);
	}
	process.stdout.write(`${table(['way', 'leads', 'requests', 'refused', 'windows', 'time', 'outcome'], rows)}\n`);
	process.stdout.write(`${target('List Leads refused requests per window', refusedPerWindow, { most: 1 })}\n`);
}

function outcomeOf(execution: Execution): string {
	return execution.status === 'success' ? 'complete' : `failed: ${execution.error?.message ?? execution.status}`;
}
