import { rm } from 'node:fs/promises';
import { startN8n } from '../scripts/n8n/startN8n.ts';
import type { Bench } from './bench.ts';
import { credentialFor, organizationOf } from './bench.ts';
import { callWebhook, count, forgetPeak, megabytes, memoryOf, report, seconds, target } from './measure.ts';
import { findLeadWebhook } from './workflows.ts';

const SIZES = [30_000, 300_000];
const HEAP = '--max-old-space-size=512';

interface Reading {
	leads: number;
	seconds: number;
	/** Resident memory in bytes: before the search, and its peak during it. */
	idle: number;
	peak: number;
}

/** Measures a search that reads a whole list, because no lead has the email, in a fresh n8n with a small heap. */
export async function benchFind(bench: Bench): Promise<void> {
	process.stdout.write('\nA lead looked for by its email in a whole list, no rate limits, each row a fresh n8n\n  ');
	const readings: Reading[] = [];
	for (const leads of SIZES) {
		readings.push(await inFreshN8n(bench, leads));
		process.stdout.write('.');
	}
	const [small, large] = readings as [Reading, Reading];
	const rows = readings.map(({ leads, seconds: took, idle, peak }) => [
		count(leads),
		seconds(took),
		...[idle, peak].map(megabytes),
	]);
	report(['leads', 'time', 'memory before', 'peak'], rows, [
		target('peak memory ÷ that of a tenth of the leads', large.peak / small.peak, { most: 1.25 }),
	]);
}

async function inFreshN8n(bench: Bench, leads: number): Promise<Reading> {
	const { control } = bench.sandbox;
	const organization = await organizationOf(bench.sandbox, { leads });
	const { id } = organization;
	const userFolder = await bench.newUserFolder();
	const env = { NODE_OPTIONS: HEAP };
	const { n8n, session } = await startN8n({ installation: bench.installation, userFolder, env });
	try {
		const credential = await credentialFor(session, bench.sandbox, organization);
		const find = async (email: string, hook: string) => {
			const { id: workflow } = await session.createWorkflow(findLeadWebhook(credential, hook, email));
			await session.publishWorkflow(workflow);
			return await callWebhook(`${n8n.url}/webhook/${hook}`);
		};
		// Loads all code, and takes the memory that any walk takes.
		await find('nobody@example.com', `${id}-first`);
		const idle = await memoryOf(n8n.pid, 'VmRSS');
		await forgetPeak(n8n.pid);
		const before = (await control.journal(id)).length;
		const { status, body, seconds: took } = await find('nobody@example.com', `${id}-again`);
		const pages = (await control.journal(id)).length - before;
		if (status !== 200 || pages !== leads / 100) {
			throw new Error(`n8n responded with ${status} after ${pages} pages: ${body}`);
		}
		return { leads, seconds: took, idle, peak: await memoryOf(n8n.pid, 'VmHWM') };
	} finally {
		await n8n.stop();
		await rm(userFolder, { recursive: true, force: true });
	}
}
