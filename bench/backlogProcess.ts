// Polls the built Transaction Trigger in n8n's engine, in its own process, until a backlog has arrived and the census after it
// is complete. Arguments: JSON of a Backlog. Prints JSON of a Drained.
import { writeFileSync } from 'node:fs';
import { SandboxControl } from '../sandbox/src/client.ts';
import { collectGarbage } from '../scripts/lib/collectGarbage.ts';
import { putForward } from './clock.ts';
import { BenchTrigger } from './trigger.ts';

/** What to poll. */
export interface Backlog {
	baseUrl: string;
	organization: string;
	apiKey: string;
	event: string;
	startDate: string;
	/** Whether n8n stores the state together with each execution. */
	durable: boolean;
	/** The file that gets the ids of what arrived, one a line, with repetitions. */
	arrived: string;
}

/** What it took. Sizes in bytes. */
export interface Drained {
	polls: number;
	/** From the first poll until a sweep of the backlog was complete. */
	seconds: number;
	/** The largest state, as JSON. */
	state: number;
	/** What is in use after a garbage collection: before the first poll, and the most after one. */
	before: number;
	most: number;
	/** Ids of the transactions that were created after the backlog had arrived. */
	later: string[];
}

const MINUTE_MS = 60_000;
const LATER = 250;

const { baseUrl, organization, apiKey, event, startDate, durable, arrived } = JSON.parse(
	process.argv[2] as string,
) as Backlog;

const parameters = { event, startFrom: 'date', startDate };
const trigger = new BenchTrigger({ credential: { baseUrl, apiKey }, parameters, durable });

function inUse(): number {
	collectGarbage();
	const { heapUsed, external } = process.memoryUsage();
	return heapUsed + external;
}

const ids: string[] = [];
let polls = 0;
let most = 0;
let largest = 0;

async function pollAndMeasure(): Promise<void> {
	for (const { json } of await trigger.poll()) ids.push(json.id as string);
	polls++;
	largest = Math.max(largest, Buffer.byteLength(JSON.stringify(trigger.state)));
	if (polls % 5 === 1) most = Math.max(most, inUse());
}

const before = inUse();
const begun = performance.now();
do await pollAndMeasure();
while (trigger.state.sweep !== null);
const seconds = (performance.now() - begun) / 1_000;

const added = Array.from({ length: LATER }, () => ({}));
const { ids: later } = await new SandboxControl(baseUrl).addTransactions(organization, added);
do {
	// n8n polls every minute at most, so the clock goes on by one where a poll has nothing to wait for.
	putForward(MINUTE_MS);
	await pollAndMeasure();
} while (trigger.state.sweep !== null || trigger.state.census !== null);

writeFileSync(arrived, ids.map((id) => `${id}\n`).join(''));
process.stdout.write(JSON.stringify({ polls, seconds, state: largest, before, most, later } satisfies Drained));
