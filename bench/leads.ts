import { rm } from 'node:fs/promises';
import type { Organization } from '../sandbox/src/client.ts';
import { startN8n } from '../scripts/n8n/startN8n.ts';
import type { Bench } from './bench.ts';
import { credentialFor, organizationOf } from './bench.ts';
import { callWebhook, count, measureProgram, megabytes, memoryOf, report, seconds, target } from './measure.ts';
import { listLeadsWebhook } from './workflows.ts';

// The first size measures a process that has loaded everything and read almost nothing.
const SIZES = [100, 125_000, 250_000, 500_000, 1_000_000];
const SIZES_IN_N8N = [100, 250_000, 500_000, 1_000_000];

/** One process and what it read; sizes in bytes. */
interface Reading {
	way: string;
	leads: number;
	seconds: number;
	/** Peak resident memory. */
	memory: number;
	/** Size of the leads as JSON. */
	json: number;
}

type Organizations = Map<number, Organization>;

/** Lists up to 1,000,000 leads through List Leads: in n8n's engine alone, and in a whole n8n. */
export async function benchLeads(bench: Bench): Promise<void> {
	process.stdout.write(
		'\nAll leads through List Leads, no rate limits, each row a process of its own, with the heap that Node gives itself\n  ',
	);
	const organizations: Organizations = new Map();
	for (const leads of SIZES) organizations.set(leads, await organizationOf(bench.sandbox, { leads }));
	const readings: Reading[] = [];
	for (const [leads, { keys }] of organizations) {
		readings.push(await inEngine(bench.sandbox.url, keys.full, leads));
		process.stdout.write('.');
	}
	const json = new Map(readings.map((reading) => [reading.leads, reading.json]));
	readings.push(...(await inN8n(bench, organizations, json)));
	reportReadings(readings);
}

async function inEngine(url: string, key: string, leads: number): Promise<Reading> {
	type Printed = { seconds: number; peak: number; json: number };
	const { printed } = await measureProgram<Printed>('leadsProcess.ts', url, key, String(leads));
	const { seconds: took, peak, json } = printed;
	return { way: "n8n's engine", leads, seconds: took, memory: peak, json };
}

async function inN8n(bench: Bench, organizations: Organizations, json: Map<number, number>): Promise<Reading[]> {
	const userFolder = await bench.newUserFolder();
	try {
		const readings: Reading[] = [];
		for (const [way, save] of [
			['n8n, execution saved', 'all'],
			['n8n, execution not saved', 'none'],
		] as const) {
			for (const leads of SIZES_IN_N8N) {
				const organization = organizations.get(leads) as Organization;
				const measured = await inFreshN8n(bench, userFolder, organization, leads, save);
				readings.push({ way, leads, ...measured, json: json.get(leads) as number });
				process.stdout.write('.');
			}
		}
		return readings;
	} finally {
		await rm(userFolder, { recursive: true, force: true });
	}
}

/** A webhook starts the workflow and returns its last lead, but only when the execution succeeds. */
async function inFreshN8n(
	bench: Bench,
	userFolder: string,
	organization: Organization,
	leads: number,
	save: 'all' | 'none',
) {
	const { n8n, session } = await startN8n({ installation: bench.installation, userFolder });
	try {
		const credential = await credentialFor(session, bench.sandbox, organization);
		const hook = `${organization.id}-${save}`;
		const { id } = await session.createWorkflow(listLeadsWebhook(credential, hook, { saveDataSuccessExecution: save }));
		await session.publishWorkflow(id);
		const before = (await bench.sandbox.control.journal(organization.id)).length;
		const { status, body, seconds } = await callWebhook(`${n8n.url}/webhook/${hook}`);
		const pages = (await bench.sandbox.control.journal(organization.id)).length - before;
		if (status !== 200 || pages !== leads / 100) {
			throw new Error(`n8n responded with ${status} after ${pages} pages of ${leads} leads: ${body}`);
		}
		return { seconds, memory: await memoryOf(n8n.pid, 'VmHWM') };
	} catch (error) {
		throw new Error(`${leads} leads: ${(error as Error).message}\n${n8n.logs.slice(-2_000)}`, { cause: error });
	} finally {
		await n8n.stop();
	}
}

function reportReadings(readings: Reading[]): void {
	const ways = [...new Set(readings.map(({ way }) => way))];
	const verdicts: string[] = [];
	const rows = ways.flatMap((way) => {
		const [base, ...sizes] = readings.filter((reading) => reading.way === way) as [Reading, ...Reading[]];
		const above = ({ memory }: Reading) => memory - base.memory;
		const middle = sizes.find(({ leads }) => leads === 250_000) as Reading;
		const largest = sizes.at(-1) as Reading;
		verdicts.push(
			target(
				`${way}: memory per lead, ${count(largest.leads)} ÷ ${count(middle.leads)}`,
				above(largest) / largest.leads / (above(middle) / middle.leads),
				{ most: 1.25 },
			),
			target(
				`${way}: time per lead, ${count(largest.leads)} ÷ ${count(middle.leads)}`,
				largest.seconds / largest.leads / (middle.seconds / middle.leads),
				{ most: 1.25 },
			),
		);
		const row = (reading: Reading) => [
			way,
			count(reading.leads),
			seconds(reading.seconds),
			megabytes(reading.json),
			megabytes(reading.memory),
		];
		return [
			[...row(base), '', ''],
			...sizes.map((reading) => [
				...row(reading),
				(above(reading) / reading.json).toFixed(1),
				`${Math.round(above(reading) / reading.leads)}`,
			]),
		];
	});
	const header = ['way', 'leads', 'time', 'JSON', 'peak memory', 'above the first ÷ JSON', 'bytes a lead'];
	report(header, rows, verdicts);
}
