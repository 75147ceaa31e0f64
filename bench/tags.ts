import { rm } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { JournalEntry } from '../sandbox/src/client.ts';
import { until } from '../scripts/lib/until.ts';
import { executionsOf, startByWebhook } from '../scripts/n8n/executions.ts';
import { isUnfinished } from '../scripts/n8n/session.ts';
import { startN8n } from '../scripts/n8n/startN8n.ts';
import type { Bench } from './bench.ts';
import { credentialFor, organizationOf } from './bench.ts';
import { count, mean, megabytes, memoryOf, report, seconds, target } from './measure.ts';
import { tagLeadWebhook } from './workflows.ts';

const TAGS = 10_000;
const WRITES = 60;
const MINUTE_MS = 2_000;
const LEAST_PERCENT = 98;
const WITHIN_MS = 3_600_000;
const HOOK = 'tags';

/** What one n8n did of the tags. */
interface Part {
	what: string;
	journal: JournalEntry[];
	/** Resident memory in bytes, each second. */
	memory: number[];
}

/**
 * Makes 10,000 tags in one execution under the documented rate limit of writes on a short minute: whole, and with n8n killed
 * in the middle.
 */
export async function benchTags(bench: Bench): Promise<void> {
	process.stdout.write(
		`\n${count(TAGS)} tags in one execution, ${WRITES} writes a minute, with minutes of ${MINUTE_MS / 1_000} s\n  `,
	);
	const parts: Part[] = [];
	const verdicts: string[] = [];
	for (const killed of [false, true]) {
		const { tagged, parts: ran } = await tagAll(bench, killed);
		const of = killed ? 'killed and retried' : 'whole';
		parts.push(...ran);
		verdicts.push(
			target(`${of}: missing tags`, TAGS - new Set(tagged).size, { most: 0 }),
			target(`${of}: tags made twice`, tagged.length - new Set(tagged).size, { most: 0 }),
		);
		process.stdout.write('.');
	}
	const whole = parts[0] as Part;
	verdicts.push(target('whole: % of the rate limit', usedPercent(whole.journal), { least: LEAST_PERCENT }));
	verdicts.push(target('whole: memory of the last quarter ÷ the second', growth(whole.memory), { most: 1.1 }));
	const rows = parts.map(({ what, journal, memory }) => [
		what,
		String(journal.length),
		String(journal.filter(({ status }) => status === 429).length),
		String(journal.filter(({ replay }) => replay).length),
		seconds((Date.parse(journal.at(-1)?.at as string) - Date.parse(journal[0]?.at as string)) / 1_000),
		`${usedPercent(journal).toFixed(1)} %`,
		megabytes(memory[0] as number),
		megabytes(Math.max(...memory)),
	]);
	const header = ['run', 'requests', 'rejected', 'replayed', 'time', 'of the limit', 'memory at first', 'at most'];
	report(header, rows, verdicts);
}

async function tagAll(bench: Bench, killed: boolean): Promise<{ tagged: string[]; parts: Part[] }> {
	const { control } = bench.sandbox;
	const budgets = { enabled: true, minute: `${MINUTE_MS}ms` };
	const organization = await organizationOf(bench.sandbox, { leads: TAGS, budgets });
	const tagId = await control.manualTag(organization.id);
	const userFolder = await bench.newUserFolder();
	let { n8n, session } = await startN8n({ installation: bench.installation, userFolder });
	const parts: Part[] = [];
	const writes = async () => (await control.journal(organization.id)).filter(({ method }) => method === 'POST');
	const tags = async () => (await control.organization(organization.id)).tag_applications;
	try {
		const credential = await credentialFor(session, bench.sandbox, organization);
		// A webhook starts it, because n8n stores such an execution before it runs.
		const workflow = await startByWebhook(session, tagLeadWebhook(credential, HOOK, TAGS, tagId), HOOK);
		const latestExecution = async () => (await executionsOf(session, workflow))[0]?.id ?? '';
		let id = '';
		await until('the execution', WITHIN_MS, async () => (id = await latestExecution()) !== '');
		let memory: number[] = [];
		const watch = async (until: () => Promise<boolean>) => {
			memory = [];
			for (const deadline = Date.now() + WITHIN_MS; !(await until()); await wait(1_000)) {
				memory.push(await memoryOf(n8n.pid, 'VmRSS'));
				if (Date.now() > deadline) throw new Error(`${await tags()} of ${TAGS} tags after an hour`);
			}
		};
		const ended = async (execution: string) =>
			!isUnfinished((await session.request('GET', `/rest/executions/${execution}`)) as { status: string });
		if (killed) {
			await watch(async () => (await tags()) > TAGS / 2);
			await n8n.kill9();
			const before = await writes();
			parts.push({ what: 'until n8n was killed', journal: before, memory });
			({ n8n, session } = await startN8n({ installation: bench.installation, userFolder }));
			await watch(async () => await ended(id));
			// n8n responds once the execution has ended, later than fetch waits.
			void session.retryExecution(id).catch(() => undefined);
			await watch(async () => (await tags()) >= TAGS);
			for (let retried = id; retried === id || !(await ended(retried)); await wait(1_000)) {
				retried = await latestExecution();
			}
			parts.push({ what: "n8n's Retry after that", journal: (await writes()).slice(before.length), memory });
		} else {
			await watch(async () => (await tags()) >= TAGS && (await ended(id)));
			parts.push({ what: 'whole', journal: await writes(), memory });
		}
		const tagged = (await control.tagApplications(organization.id)).map(({ lead_id: lead }) => lead);
		return { tagged, parts };
	} finally {
		await n8n.stop();
		await rm(userFolder, { recursive: true, force: true });
	}
}

/** Returns how much of the rate limit was used, in percent: a minute of the service begins with the first write in it. */
function usedPercent(journal: JournalEntry[]): number {
	const minutes: number[] = [];
	let end = 0;
	for (const { at, status } of journal) {
		if (status === 429) continue;
		if (Date.parse(at) >= end) {
			end = Date.parse(at) + MINUTE_MS;
			minutes.push(0);
		}
		minutes.push((minutes.pop() as number) + 1);
	}
	// The last one has what is left.
	const whole = minutes.slice(0, -1);
	return (100 * whole.reduce((sum, writes) => sum + writes, 0)) / (whole.length * WRITES);
}

function growth(memory: number[]): number {
	const quarter = (index: number) => memory.slice((index * memory.length) / 4, ((index + 1) * memory.length) / 4);
	return mean(quarter(3)) / mean(quarter(1));
}
