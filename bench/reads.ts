import type { Execution } from '../scripts/n8n/session.ts';
import { outputItems } from '../scripts/n8n/session.ts';
import type { Bench } from './bench.ts';
import { organizationOf } from './bench.ts';
import type { ProcessMeasure } from './measure.ts';
import { count, inRounds, measureProgram, median, megabytes, report, seconds, target } from './measure.ts';
import { empty, withHttpRequest, withListLeads } from './workflows.ts';

const LEADS = 20_000;
const PROCESS_ROUNDS = 7;
const ROUNDS = 9;
// A running n8n has run its workflows before. Until Node has compiled the code, they take twice as long.
const WARM_UP = 10;

const EMPTY = 'empty workflow';
const LIST = 'List Leads';
const HTTP = 'HTTP Request + Split Out';
const BARE = 'bare axios loop (no n8n)';

/** Lists 20,000 leads with no rate limits: List Leads, HTTP Request, a bare loop, and an empty workflow to subtract. */
export async function benchReads(bench: Bench): Promise<void> {
	const { url } = bench.sandbox;
	const organization = await organizationOf(bench.sandbox, { leads: LEADS });
	const { own, bearer } = await bench.credentialsFor(organization);
	const workflows = {
		[EMPTY]: await bench.save(empty),
		[LIST]: await bench.save(withListLeads(own)),
		[HTTP]: await bench.save(withHttpRequest(bearer, url)),
	};
	const bareLoop = async () => await measureProgram<{ seconds: number }>('bareLoop.ts', url, organization.keys.full);

	for (const [name, id] of Object.entries(workflows)) {
		const items = outputItems(await bench.execute(id), 'Leads').length;
		if (name !== EMPTY && items !== LEADS) throw new Error(`${name} returned ${items} of ${LEADS} leads`);
	}
	await inRunningN8n(bench, workflows, bareLoop);
	await asProcesses(bench, workflows, bareLoop);
}

type BareLoop = () => Promise<ProcessMeasure & { printed: { seconds: number } }>;
type Workflows = Record<string, string>;

async function inRunningN8n(bench: Bench, workflows: Workflows, bareLoop: BareLoop): Promise<void> {
	process.stdout.write(
		`\n${count(LEADS)} leads, no rate limits, whole executions in a running n8n, median of ${ROUNDS} interleaved rounds after ${WARM_UP} to warm up\n  `,
	);
	const subjects = {
		...Object.fromEntries(
			Object.entries(workflows).map(([name, id]) => [name, async () => secondsOf(await bench.execute(id))]),
		),
		[BARE]: async () => (await bareLoop()).printed.seconds,
	};
	const measured = await inRounds(ROUNDS, subjects, { warmUp: WARM_UP });
	const time = (name: string) => median(measured[name] ?? []);
	const above = (name: string) => (name === BARE ? time(name) : time(name) - time(EMPTY));
	const rows = Object.keys(measured).map((name) => [
		name,
		seconds(time(name)),
		seconds(above(name)),
		(above(name) / above(BARE)).toFixed(2),
	]);
	report(['way', 'time', 'above empty', '÷ bare loop'], rows, [
		target('List Leads above empty ÷ bare loop', above(LIST) / above(BARE), { most: 1.5 }),
		target('HTTP Request above empty ÷ List Leads above empty', above(HTTP) / above(LIST), { least: 3 }),
	]);
}

async function asProcesses(bench: Bench, workflows: Workflows, bareLoop: BareLoop): Promise<void> {
	process.stdout.write(
		`\nThe same as whole processes (n8n execute), median of ${PROCESS_ROUNDS} interleaved rounds\n  `,
	);
	const measured = await inRounds(PROCESS_ROUNDS, {
		...Object.fromEntries(
			Object.entries(workflows).map(([name, id]) => [name, async () => await bench.executeAsProcess(id)]),
		),
		[BARE]: bareLoop,
	});
	const time = (name: string) => median((measured[name] ?? []).map((one) => one.seconds));
	const memory = (name: string) => median((measured[name] ?? []).map((one) => one.memory));
	const rows = Object.keys(measured).map((name) => {
		const above = name === BARE ? time(name) : time(name) - time(EMPTY);
		return [name, seconds(time(name)), seconds(above), megabytes(memory(name))];
	});
	report(['way', 'time', 'above empty', 'peak memory'], rows, [
		target('List Leads memory ÷ HTTP Request memory', memory(LIST) / memory(HTTP), { most: 1 }),
	]);
}

function secondsOf(execution: Execution): number {
	if (execution.status !== 'success') {
		throw new Error(`An execution ended as "${execution.status}": ${execution.error?.message}`);
	}
	return (execution.stoppedAt - execution.startedAt) / 1_000;
}
