// Polls the built Transaction Trigger in n8n's engine, in its own process, until a backlog has arrived and the census after it
// is complete. Arguments: JSON of a Backlog. Prints JSON of a Drained.
import type { IDataObject, INode, INodeExecutionData, IPollFunctions, WorkflowActivateMode } from 'n8n-workflow';
import { writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { SandboxControl } from '../sandbox/src/client.ts';
import { additionalDataWith, builtNode, core, n8n } from './engine.ts';

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

// The time limit of n8n 2.41's scheduler for a poll; otherwise it has the 300 s that the context names.
const SCHEDULED_BUDGET_MS = 36_000;

const { baseUrl, organization, apiKey, event, startDate, durable, arrived } = JSON.parse(
	process.argv[2] as string,
) as Backlog;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

// n8n polls every minute at most, so the clock goes on by one where a poll has nothing to wait for.
const realNow = Date.now.bind(Date);
let ahead = 0;
Date.now = () => realNow() + ahead;

const nodeType = builtNode('TransactionTrigger');
const additionalData = additionalDataWith({ baseUrl, apiKey });
const node: INode = {
	id: 'trigger',
	name: 'Transactions',
	type: 'n8n-nodes-lead-revenue.transactionTrigger',
	typeVersion: 1,
	position: [0, 0],
	parameters: { event, startFrom: 'date', startDate },
	credentials: { leadRevenueApi: { id: 'bench', name: 'Bench' } },
};
const workflow = new n8n.Workflow({
	id: 'bench',
	nodes: [node],
	connections: {},
	active: true,
	nodeTypes: { getByName: () => nodeType, getByNameAndVersion: () => nodeType, getKnownTypes: () => ({}) },
	staticData: {},
});
const workflowNode = workflow.getNode(node.name) as INode;

const ignore = () => undefined;
const silent = { info: ignore, warn: ignore, debug: ignore };

let polls = 0;
let snapshot: IDataObject = {};
let started: INodeExecutionData[][] | null = null;

function newContext(activation: WorkflowActivateMode, named?: IDataObject): IPollFunctions {
	const context = new core.PollContext(
		workflow,
		workflowNode,
		additionalData,
		'trigger',
		activation,
		(data, _response, done) => {
			started = data;
			done?.resolve(undefined as never);
		},
		undefined,
		undefined,
		undefined,
		named === undefined ? undefined : () => named,
		named === undefined || activation === 'activate' ? undefined : () => SCHEDULED_BUDGET_MS,
	);
	Object.defineProperty(context, 'logger', { value: silent });
	return context;
}

// By default n8n polls with the functions of the activation. Its scheduler creates new ones for each poll.
const activation = newContext('activate');

/** One poll; returns the items of the execution that it starts. */
async function poll(): Promise<INodeExecutionData[]> {
	started = null;
	const named = JSON.parse(JSON.stringify(snapshot)) as IDataObject;
	const functions = durable ? newContext(polls === 0 ? 'activate' : 'update', named) : activation;
	polls++;
	const returned = await nodeType.poll?.call(functions);
	snapshot = named;
	return (returned ?? started)?.[0] ?? [];
}

function state(): IDataObject {
	if (durable) return snapshot;
	return Object.values((workflow.staticData.global ?? {}) as IDataObject)[0] as IDataObject;
}

function inUse(): number {
	collectGarbage();
	const { heapUsed, external } = process.memoryUsage();
	return heapUsed + external;
}

const ids: string[] = [];
let most = 0;
let largest = 0;

async function pollAndMeasure(): Promise<void> {
	for (const { json } of await poll()) ids.push(json.id as string);
	largest = Math.max(largest, Buffer.byteLength(JSON.stringify(state())));
	if (polls % 5 === 1) most = Math.max(most, inUse());
}

const before = inUse();
const begun = performance.now();
do await pollAndMeasure();
while (state().sweep !== null);
const seconds = (performance.now() - begun) / 1_000;

const { ids: later } = await new SandboxControl(baseUrl).addTransactions(
	organization,
	Array.from({ length: LATER }, () => ({})),
);
do {
	ahead += MINUTE_MS;
	await pollAndMeasure();
} while (state().sweep !== null || state().census !== null);

writeFileSync(arrived, ids.map((id) => `${id}\n`).join(''));
process.stdout.write(JSON.stringify({ polls, seconds, state: largest, before, most, later } satisfies Drained));
