// Measures the built Transaction Trigger in n8n's engine, in its own process: how much CPU its polls take with a full memory,
// and how much the same pages take with axios alone. Arguments: the sandbox's URL, an organization and its key, the event, and
// the number of remembered transactions.
import { SandboxControl } from '../sandbox/src/client.ts';
import { pagesOf, serviceWith } from './bare.ts';
import { median } from './measure.ts';
import { BenchTrigger } from './trigger.ts';

type Arguments = [string, string, string, string, string];

const ROUNDS = 9;
const NEW = 1_000;
const [baseUrl, organization, apiKey, event, remembered] = process.argv.slice(2) as Arguments;

const http = serviceWith(baseUrl, apiKey);
const credential = { baseUrl, apiKey };
const parameters = { event, startFrom: 'date', startDate: '2000-01-01', options: { maxTransactions: 50_000 } };

/** Reads the pages that a poll of this state reads, and holds them as long. */
async function readAlone(since: string): Promise<unknown[]> {
	const records: unknown[] = [];
	for await (const page of pagesOf(http, '/v1/revenue/transactions/', { updated_since: since })) records.push(...page);
	return records;
}

/** Returns the CPU time of all threads of this process in milliseconds, and how many records the work returned. */
async function cpuOf(work: () => Promise<unknown[]>): Promise<{ cpu: number; length: number }> {
	const before = process.cpuUsage();
	const { length } = await work();
	const { user, system } = process.cpuUsage(before);
	return { cpu: (user + system) / 1_000, length };
}

/** Measures one idle or busy poll, repeatedly from the same state, in turn with the same requests alone. */
async function measure(saved: string, count: number): Promise<{ poll: number; alone: number; bytes: number }> {
	const polls: number[] = [];
	const alone: number[] = [];
	let bytes = 0;
	// The first rounds warm up.
	for (let round = -3; round < ROUNDS; round++) {
		const trigger = new BenchTrigger({ credential, parameters, saved });
		const since = new Date(Number(trigger.state.watermark) - 5 * 60_000).toISOString();
		const polled = await cpuOf(async () => await trigger.poll());
		const read = await cpuOf(async () => await readAlone(since));
		// Pages also hold the records of the overlap.
		if (polled.length !== count || read.length < count) {
			throw new Error(`${polled.length} of ${read.length} transactions instead of ${count}`);
		}
		if (round >= 0) {
			polls.push(polled.cpu);
			alone.push(read.cpu);
		}
		bytes = Buffer.byteLength(JSON.stringify(trigger.state));
	}
	return { poll: median(polls), alone: median(alone), bytes };
}

const trigger = new BenchTrigger({ credential, parameters });
for (let seen = 0; seen < Number(remembered);) seen += (await trigger.poll()).length;
// A date is read three times before there is a watermark.
while (trigger.state.sweep !== null || trigger.state.watermark === null) {
	if ((await trigger.poll()).length > 0) throw new Error(`there are more than ${remembered} transactions to remember`);
}
// The census after it reads pages with each poll.
const saved = trigger.saved({ census: null });
const idle = await measure(saved, 0);
const added = Array.from({ length: NEW }, () => ({}));
await new SandboxControl(baseUrl).addTransactions(organization, added);
const busy = await measure(saved, NEW);
process.stdout.write(JSON.stringify({ idle, busy }));
