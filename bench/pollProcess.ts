// Measures the built Transaction Trigger in n8n's engine, in its own process: how much CPU its polls take with a full memory,
// and how much the same pages take with axios alone. Arguments: the sandbox's URL, an organization and its key, the event, and
// the number of remembered transactions.
import axios from 'axios';
import type { INode, INodeExecutionData, Workflow } from 'n8n-workflow';
import { SandboxControl } from '../sandbox/src/client.ts';
import { additionalDataWith, builtNode, pollFunctions, stateOf, workflowOf } from './engine.ts';
import { median } from './measure.ts';

const ROUNDS = 9;
const NEW = 1_000;
const [baseUrl, organization, apiKey, event, remembered] = process.argv.slice(2) as [
	string,
	string,
	string,
	string,
	string,
];

const nodeType = builtNode('TransactionTrigger');
const additionalData = additionalDataWith({ baseUrl, apiKey });

const node: INode = {
	id: 'trigger',
	name: 'Transactions',
	type: 'n8n-nodes-lead-revenue.transactionTrigger',
	typeVersion: 1,
	position: [0, 0],
	parameters: { event, startFrom: 'date', startDate: '2000-01-01', options: { maxTransactions: 50_000 } },
	credentials: { leadRevenueApi: { id: 'bench', name: 'Bench' } },
};

let loaded = 0;

/** The workflow as n8n loads it, with the saved state. Its id is new each time: a trigger rejects a state older than its last emission. */
function load(staticData: string): Workflow {
	return workflowOf(`bench-${++loaded}`, node, nodeType, JSON.parse(staticData));
}

async function poll(workflow: Workflow): Promise<INodeExecutionData[]> {
	let emitted: INodeExecutionData[] = [];
	const functions = pollFunctions(workflow, node, additionalData, (items) => {
		emitted = items;
	});
	await nodeType.poll?.call(functions);
	return emitted;
}

/** Reads the pages that a poll of this state reads, and holds them as long. */
async function readAlone(since: string): Promise<unknown[]> {
	const headers = { Authorization: `Bearer ${apiKey}`, Accept: 'application/json' };
	const records: unknown[] = [];
	for (let cursor: string | null | undefined; cursor !== null;) {
		const params: Record<string, string | number> = {
			page_size: 100,
			updated_since: since,
			...(cursor !== undefined && { cursor }),
		};
		const { data } = await axios.get<{ data: unknown[]; next_cursor: string | null }>(
			`${baseUrl}/v1/revenue/transactions/`,
			{ headers, params },
		);
		records.push(...data.data);
		cursor = data.next_cursor;
	}
	return records;
}

/** CPU time of all threads of this process in milliseconds, and how many records the work returned. */
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
		const workflow = load(saved);
		const since = new Date((stateOf(workflow, node).watermark as number) - 5 * 60_000).toISOString();
		const polled = await cpuOf(async () => await poll(workflow));
		const read = await cpuOf(async () => await readAlone(since));
		// Pages also hold the records of the overlap.
		if (polled.length !== count || read.length < count)
			throw new Error(`${polled.length} of ${read.length} transactions instead of ${count}`);
		if (round >= 0) {
			polls.push(polled.cpu);
			alone.push(read.cpu);
		}
		bytes = Buffer.byteLength(JSON.stringify(stateOf(workflow, node)));
	}
	return { poll: median(polls), alone: median(alone), bytes };
}

const workflow = load('{}');
for (let seen = 0; seen < Number(remembered);) seen += (await poll(workflow)).length;
if ((await poll(workflow)).length > 0) throw new Error(`there are more than ${remembered} transactions to remember`);
const saved = JSON.stringify(workflow.staticData);
const idle = await measure(saved, 0);
await new SandboxControl(baseUrl).addTransactions(
	organization,
	Array.from({ length: NEW }, () => ({})),
);
const busy = await measure(saved, NEW);
process.stdout.write(JSON.stringify({ idle, busy }));
