// Takes the Transaction Trigger's census in n8n's engine, in its own process, with the built node and a clock that is put
// forward by a minute after each poll. Arguments: the sandbox's URL, and a key of an organization.
import type { IHttpRequestOptions, INode } from 'n8n-workflow';
import { additionalDataWith, builtNode, pollFunctions, stateOf, workflowOf } from './engine.ts';
import { median } from './measure.ts';

const MINUTE_MS = 60_000;
const IDLE_POLLS = 9;
const [baseUrl, apiKey] = process.argv.slice(2) as [string, string];

const systemNow = Date.now;
let ahead = 0;
Date.now = () => systemNow() + ahead;

let requests = 0;
const additionalData = additionalDataWith({ baseUrl, apiKey });
const authenticate = additionalData.credentialsHelper.authenticate.bind(additionalData.credentialsHelper);
additionalData.credentialsHelper.authenticate = async (...args): Promise<IHttpRequestOptions> => {
	requests++;
	return await authenticate(...args);
};

const nodeType = builtNode('TransactionTrigger');
const node: INode = {
	id: 'trigger',
	name: 'Transactions',
	type: 'n8n-nodes-lead-revenue.transactionTrigger',
	typeVersion: 1,
	position: [0, 0],
	parameters: { event: 'newTransaction', startFrom: 'now' },
	credentials: { leadRevenueApi: { id: 'bench', name: 'Bench' } },
};
const workflow = workflowOf('bench', node, nodeType, {});
// As in n8n, the polls after the activation's share its functions.
const functions = pollFunctions(workflow, node, additionalData, () => {
	throw new Error('a poll emitted something');
});

const state = () => stateOf(workflow, node);

interface Poll {
	/** CPU time of all threads of this process, in milliseconds. */
	cpu: number;
	requests: number;
	/** Of the state after it. */
	bytes: number;
}

async function poll(): Promise<Poll> {
	const [before, requestsBefore] = [process.cpuUsage(), requests];
	await nodeType.poll?.call(functions);
	const { user, system } = process.cpuUsage(before);
	ahead += MINUTE_MS;
	const bytes = Buffer.byteLength(JSON.stringify(state()));
	return { cpu: (user + system) / 1_000, requests: requests - requestsBefore, bytes };
}

await poll();
const census: Poll[] = [];
while (state().census !== null) census.push(await poll());
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
