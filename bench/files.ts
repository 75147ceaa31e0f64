import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Organization, Sandbox } from '../sandbox/src/client.ts';
import { temporaryFolder } from '../scripts/lib/temporaryFolder.ts';
import type { HostName } from '../scripts/n8n/installation.ts';
import { findInstallation } from '../scripts/n8n/installation.ts';
import type { N8nProcess } from '../scripts/n8n/n8nProcess.ts';
import type { Workflow } from '../scripts/n8n/session.ts';
import type { N8nSession } from '../scripts/n8n/session.ts';
import { startN8n } from '../scripts/n8n/startN8n.ts';
import type { Bench } from './bench.ts';
import { credentialFor, organizationOf } from './bench.ts';
import {
	callWebhook,
	count,
	forgetPeak,
	mean,
	measureProgram,
	median,
	megabytes,
	memoryOf,
	report,
	seconds,
	target,
} from './measure.ts';
import { leadsFileWebhook } from './workflows.ts';

/** A run of n8n needs these leads and less than this heap. FILE_LEADS is for a try on a busy machine. */
const LEADS = Number(process.env.FILE_LEADS ?? 1_000_000);
const HEAP = '--max-old-space-size=512';
const WARM_UP = 100;
const GIVE_UP_MS = 900_000;
// After about ten seconds V8 has given most of its young generation back, which any run takes again.
const LEFT_ALONE_MS = 20_000;
/** Runs of List Leads in one n8n. Each is compared with the bare loops before and after it: a machine is not always as fast. */
const ROUNDS = 7;

type Way = 'List Leads, Output: File' | 'List Leads + Convert to File' | 'HTTP Request + Convert to File';
type Mode = 'filesystem' | 'database' | 'default';

const MODES: Record<Mode, string> = { filesystem: 'file system', database: 'database', default: 'memory' };

/** Runs in a fresh n8n, with the memory of the first; sizes in bytes. */
interface Reading {
	/** Seconds that each run took. */
	rounds: number[];
	/** Resident memory of n8n before the run, after one with 100 leads and 20 s of rest. */
	idle: number;
	/** Most resident memory during the run. */
	peak: number;
	/** Size of the file; `undefined` when there is none. */
	bytes?: number;
	outcome: string;
}

interface List {
	organization: Organization;
	leads: number;
}

interface Subject {
	bench: Bench;
	small: List;
	large: List;
}

/** Writes a million leads as a CSV file, in n8n with a small heap and the execution saved. */
export async function benchFiles(bench: Bench): Promise<void> {
	const listOf = async (leads: number): Promise<List> => ({
		organization: await organizationOf(bench.sandbox, { leads }),
		leads,
	});
	const subject = { bench, small: await listOf(WARM_UP), large: await listOf(LEADS) };
	await benchWays(subject, { ...subject, large: await listOf(LEADS / 10) });
	await benchModes(subject);
}

async function benchWays(subject: Subject, tenth: Subject): Promise<void> {
	process.stdout.write(`\n${count(LEADS)} leads as a CSV file, no rate limits, n8n with ${HEAP}, execution saved`);
	// The first warms the sandbox up.
	await bareLoop(subject);
	const bareLoops = [await bareLoop(subject)];
	const file = await inFreshN8n(subject, 'n8n-2', 'List Leads, Output: File', 'filesystem', {
		rounds: ROUNDS,
		afterEach: async () => void bareLoops.push(await bareLoop(subject)),
	});
	const bare = { ...(bareLoops[0] as Reading), rounds: bareLoops.flatMap(({ rounds }) => rounds) };
	const ratio = median(file.rounds.map((took, at) => took / mean(bare.rounds.slice(at, at + 2))));
	const fileOfTenth = await inFreshN8n(tenth, 'n8n-2', 'List Leads, Output: File', 'filesystem');
	const rows = [
		row('bare axios loop (no n8n)', bare, 1),
		row('List Leads, Output: File', file, ratio),
		row('the same, a tenth of the leads', fileOfTenth),
	];
	for (const way of ['List Leads + Convert to File', 'HTTP Request + Convert to File'] as const) {
		const reading = await inFreshN8n(subject, 'n8n-2', way, 'filesystem');
		rows.push(row(way, reading, median(reading.rounds) / median(bare.rounds)));
	}
	const header = ['way', 'time', '÷ bare loop', 'file', 'idle', 'peak memory', 'outcome'];
	const verdicts = [
		target('List Leads ÷ bare loop', ratio, { most: 1.5 }),
		target('Peak memory ÷ that for a tenth of the leads', file.peak / fileOfTenth.peak, { most: 1.5 }),
	];
	report(header, rows, verdicts);
}

async function benchModes(subject: Subject): Promise<void> {
	process.stdout.write(`\nThe same file in each binary data mode, n8n with ${HEAP}`);
	const rows: string[][] = [];
	for (const host of ['n8n-2', 'n8n-1'] as const) {
		for (const mode of Object.keys(MODES) as Mode[]) {
			const reading = await inFreshN8n(subject, host, 'List Leads, Output: File', mode);
			const { version } = findInstallation(host);
			rows.push([version, MODES[mode], ...row('', reading).slice(1).toSpliced(1, 1)]);
		}
	}
	report(['n8n', 'binary data in', 'time', 'file', 'idle', 'peak memory', 'outcome'], rows, []);
}

function row(way: string, { rounds, idle, peak, bytes, outcome }: Reading, ratio?: number): string[] {
	const file = bytes === undefined ? '' : megabytes(bytes);
	const before = idle === 0 ? '' : megabytes(idle);
	return [way, seconds(median(rounds)), ratio?.toFixed(2) ?? '', file, before, megabytes(peak), outcome];
}

async function bareLoop({ bench, large }: Subject): Promise<Reading> {
	const folder = await temporaryFolder('bench');
	const { printed, memory } = await measureProgram<{ records: number; bytes: number; seconds: number }>(
		'bareFile.ts',
		bench.sandbox.url,
		large.organization.keys.full,
		path.join(folder, 'leads.csv'),
	);
	await rm(folder, { recursive: true, force: true });
	const { records, bytes, seconds: took } = printed;
	if (records !== LEADS) throw new Error(`the bare loop read ${records} leads`);
	return { rounds: [took], idle: 0, peak: memory, bytes, outcome: 'complete' };
}

async function inFreshN8n(
	{ bench, small, large }: Subject,
	host: HostName,
	way: Way,
	mode: Mode,
	{ rounds = 1, afterEach = async () => {} }: { rounds?: number; afterEach?: () => Promise<void> } = {},
): Promise<Reading> {
	const userFolder = await bench.newUserFolder();
	const env = {
		NODE_OPTIONS: HEAP,
		N8N_DEFAULT_BINARY_DATA_MODE: mode,
		// Only n8n 1.x reads it.
		N8N_AVAILABLE_BINARY_DATA_MODES: 'filesystem,database',
	};
	const { n8n, session } = await startN8n({ installation: findInstallation(host), userFolder, env });
	try {
		const hooks: string[] = [];
		for (const { organization } of [small, large]) {
			const hook = `${organization.id}-file`;
			const { id } = await session.createWorkflow(await workflowOf(session, bench.sandbox, organization, way, hook));
			await session.publishWorkflow(id);
			hooks.push(`${n8n.url}/webhook/${hook}`);
		}
		const [warmUp, measured] = hooks as [string, string];
		await callWebhook(warmUp);
		await wait(LEFT_ALONE_MS);
		const readings: Reading[] = [];
		for (let round = 0; round < rounds; round++) {
			readings.push(await observed(n8n, measured, large.leads));
			await afterEach();
		}
		// Before a later run, n8n has been idle for long enough to give memory back that each run takes again.
		return { ...(readings[0] as Reading), rounds: readings.flatMap((reading) => reading.rounds) };
	} finally {
		await n8n.stop();
		await rm(userFolder, { recursive: true, force: true });
	}
}

async function workflowOf(
	session: N8nSession,
	sandbox: Sandbox,
	organization: Organization,
	way: Way,
	hook: string,
): Promise<Workflow> {
	if (way !== 'HTTP Request + Convert to File') {
		const own = await credentialFor(session, sandbox, organization);
		return leadsFileWebhook(hook, { own, convert: way === 'List Leads + Convert to File' });
	}
	const { name, keys } = organization;
	const bearer = await session.createCredential(name, 'httpBearerAuth', { token: keys.full });
	return leadsFileWebhook(hook, { bearer, baseUrl: sandbox.url, convert: true });
}

/** Calls the webhook, which responds when the execution has ended, and follows n8n's memory until then. */
async function observed(n8n: N8nProcess, hook: string, leads: number): Promise<Reading> {
	const idle = await memoryOf(n8n.pid, 'VmRSS');
	await forgetPeak(n8n.pid);
	let peak = idle;
	const started = performance.now();
	const running = { ended: false };
	const outcome = Promise.race([
		callWebhook(hook).then(
			({ status, body }) => ({ ok: status === 200, body }),
			(error: Error) => ({ ok: false, body: error.message }),
		),
		n8n.whenEnded().then(() => ({ ok: false, body: 'n8n ended' })),
		wait(GIVE_UP_MS, { ok: false, body: `not finished after ${GIVE_UP_MS / 1_000} s` }, { ref: false }),
	]).finally(() => (running.ended = true));
	const followed = (async () => {
		while (!running.ended) {
			peak = Math.max(peak, await memoryOf(n8n.pid, 'VmHWM').catch(() => 0));
			await wait(200);
		}
	})();
	const { ok, body } = await outcome;
	const took = (performance.now() - started) / 1_000;
	await followed;
	await wait(500);
	const common = { rounds: [took], idle, peak };
	if (!n8n.isRunning || /heap out of memory/.test(n8n.logs)) {
		return { ...common, outcome: 'n8n dies: JavaScript heap out of memory' };
	}
	if (!ok) return { ...common, outcome: `failed: ${problemIn(n8n.logs) ?? body}`.slice(0, 120) };
	const { bytes, records } = JSON.parse(body) as { bytes?: number; records?: number };
	if (records !== undefined && records !== leads) throw new Error(`the file has ${records} leads`);
	return { ...common, ...(bytes !== undefined && { bytes }), outcome: 'complete' };
}

function problemIn(logs: string): string | undefined {
	return /(?:exceeds the max size|Invalid string length|Cannot create a string|could not store).*/.exec(logs)?.[0];
}
