// Takes the Transaction Trigger's census in n8n's engine, in its own process, with the built node and a clock that is put
// forward by a minute after each poll. Arguments: the sandbox's URL, and a key of an organization.
import { putForward } from './clock.ts';
import { median } from './measure.ts';
import { BenchTrigger } from './trigger.ts';

const MINUTE_MS = 60_000;
const IDLE_POLLS = 9;
const [baseUrl, apiKey] = process.argv.slice(2) as [string, string];

let requests = 0;
const trigger = new BenchTrigger({
	credential: { baseUrl, apiKey },
	parameters: { event: 'newTransaction', startFrom: 'now' },
	requested: () => requests++,
});

interface Poll {
	/** CPU time of all threads of this process, in milliseconds. */
	cpu: number;
	requests: number;
	/** Size of the state after the poll. */
	bytes: number;
}

async function poll(): Promise<Poll> {
	const [before, requestsBefore] = [process.cpuUsage(), requests];
	const emitted = await trigger.poll();
	const { user, system } = process.cpuUsage(before);
	if (emitted.length > 0) throw new Error('a poll emitted something');
	putForward(MINUTE_MS);
	const bytes = Buffer.byteLength(JSON.stringify(trigger.state));
	return { cpu: (user + system) / 1_000, requests: requests - requestsBefore, bytes };
}

await poll();
const census: Poll[] = [];
while (trigger.state.census !== null) census.push(await poll());
// The first one confirms what the census has learned.
await poll();
const idle: Poll[] = [];
while (idle.length < IDLE_POLLS) idle.push(await poll());
const idleRequests = median(idle.map((one) => one.requests));
process.stdout.write(
	JSON.stringify({
		polls: census.length,
		requests: census.reduce((sum, one) => sum + one.requests - idleRequests, 0),
		cpu: median(census.map((one) => one.cpu)),
		mostCpu: Math.max(...census.map((one) => one.cpu)),
		idleCpu: median(idle.map((one) => one.cpu)),
		mostBytes: Math.max(...census.map((one) => one.bytes)),
		bytes: idle.at(-1)?.bytes,
	}),
);
