import { inRepository } from '../scripts/lib/repository.ts';
import { table } from '../scripts/lib/table.ts';
import type { Execution } from '../scripts/n8n/session.ts';
import { outputItems } from '../scripts/n8n/session.ts';
import type { Bench } from './bench.ts';
import { inRounds, measureProcess, median, megabytes, seconds, target } from './measure.ts';
import { empty, withHttpRequest, withListLeads } from './workflows.ts';

const LEADS = 20_000;
const ROUNDS = 5;

function secondsOf(execution: Execution): number {
	if (execution.status !== 'success') throw new Error(`An execution ended as "${execution.status}": ${execution.error?.message}`);
	return (execution.stoppedAt - execution.startedAt) / 1_000;
}

/** 20,000 leads with budgets off: List Leads, HTTP Request, a bare loop, and an empty workflow to subtract. */
export async function benchReads(bench: Bench): Promise<void> {
	const { control, url } = bench.sandbox;
	const organization = await control.createOrganization({ leads: LEADS, transactions: 0, manual_records: 0, budgets: { enabled: false } });
	const { own, bearer } = await bench.credentialsFor(organization);
	const workflows = {
		'empty workflow': await bench.save(empty),
		'List Leads': await bench.save(withListLeads(own)),
		'HTTP Request + Split Out': await bench.save(withHttpRequest(bearer, url)),
	};
	const bareLoop = async () =>
		await measureProcess([inRepository('bench', 'bareLoop.ts'), url, organization.keys.full], { env: process.env });

	for (const [name, id] of Object.entries(workflows)) {
		const items = outputItems(await bench.execute(id), 'Leads').length;
		if (name !== 'empty workflow' && items !== LEADS) throw new Error(`${name} gave ${items} of ${LEADS} leads`);
	}
	await asProcesses(bench, workflows, bareLoop);
	await inRunningN8n(bench, workflows, bareLoop);
}

type Workflows = Record<'empty workflow' | 'List Leads' | 'HTTP Request + Split Out', string>;

async function asProcesses(bench: Bench, workflows: Workflows, bareLoop: () => ReturnType<typeof measureProcess>): Promise<void> {
	process.stdout.write(`\n${LEADS.toLocaleString('en')} leads, budgets off, whole processes (n8n execute), median of ${ROUNDS} interleaved rounds\n  `);
	const measured = await inRounds(ROUNDS, {
		...Object.fromEntries(Object.entries(workflows).map(([name, id]) => [name, async () => await bench.executeAsProcess(id)])),
		'bare axios loop (no n8n)': bareLoop,
	});
	const time = (name: string) => median((measured[name] ?? []).map((one) => one.seconds));
	const memory = (name: string) => median((measured[name] ?? []).map((one) => one.memory));
	const above = (name: string) => time(name) - time('empty workflow');
	const rows = Object.keys(measured).map((name) => {
		const isBare = name.startsWith('bare');
		return [name, seconds(time(name)), isBare ? seconds(time(name)) : seconds(above(name)), megabytes(memory(name))];
	});
	process.stdout.write(`${table(['way', 'time', 'above empty', 'peak memory'], rows)}\n`);
	const [list, http] = ['List Leads', 'HTTP Request + Split Out'];
	const verdicts = [
		target('List Leads above empty ÷ bare loop', above(list as string) / time('bare axios loop (no n8n)'), { most: 1.5 }),
		target('HTTP Request above empty ÷ List Leads above empty', above(http as string) / above(list as string), { least: 3 }),
		target('List Leads memory ÷ HTTP Request memory', memory(list as string) / memory(http as string), { most: 1 }),
	];
	process.stdout.write(`${verdicts.join('\n')}\n`);
}

async function inRunningN8n(bench: Bench, workflows: Workflows, bareLoop: () => ReturnType<typeof measureProcess>): Promise<void> {
	process.stdout.write(`\nThe same inside one n8n that has been running a while (execution time), median of ${ROUNDS} interleaved rounds\n  `);
	const measured = await inRounds(ROUNDS, {
		...Object.fromEntries(Object.entries(workflows).map(([name, id]) => [name, async () => secondsOf(await bench.execute(id))])),
		'bare axios loop (no n8n)': async () => (JSON.parse((await bareLoop()).stdout) as { seconds: number }).seconds,
	});
	const time = (name: string) => median(measured[name] ?? []);
	process.stdout.write(`${table(['way', 'time'], Object.keys(measured).map((name) => [name, seconds(time(name))]))}\n`);
}
