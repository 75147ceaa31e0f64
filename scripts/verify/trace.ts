import type { Fault, JournalEntry, Sandbox } from '../../sandbox/src/client.ts';
import type { Execution, N8nSession } from '../n8n/session.ts';
import { outputItems } from '../n8n/session.ts';
import { WITHIN_MS } from './account.ts';
import { READERS } from './updateWorkflows.ts';

/** What one run of the action nodes did. */
interface Trace {
	requests: string[];
	/** The items of each node that reads, as JSON. */
	items: Map<string, string>;
	/** The idempotency keys of the writes. */
	keys: Array<string | null>;
}

const ALWAYS = { times: -1 };

/** One run after the other: the service responds, fails, is slow, and has one node wait for longer than it may. */
const ROUNDS: Fault[][] = [
	[],
	[{ action: 'status', status: 503, ...ALWAYS }],
	[{ action: 'stall', ms: 30_000, then: 'respond', ...ALWAYS }],
	[{ action: 'status', status: 429, retry_after: 30, match: { path: '/v1/revenue/summary/' }, ...ALWAYS }],
];

/** Writes with a key of the user's own. */
const OWN_KEYS = 2;

/** Runs a workflow of action nodes in each round. */
export async function traced(
	{ control }: Sandbox,
	session: N8nSession,
	workflow: string,
	organization: string,
): Promise<Trace[]> {
	const traces: Trace[] = [];
	for (const faults of ROUNDS) {
		await control.clearJournal(organization);
		await control.addFaults(organization, faults);
		const execution = await session.runWorkflow(workflow, 'Start', WITHIN_MS);
		await control.clearFaults(organization);
		const journal = await control.journal(organization);
		const keys = journal.filter(({ method }) => method === 'POST').map(({ idempotency_key: key }) => key);
		traces.push({ requests: journal.map(requestOf), items: itemsRead(execution), keys });
	}
	return traces;
}

/** Returns what the action nodes do differently after the update. One line per problem. */
export function traceProblems(before: Trace[], after: Trace[]): string[] {
	const [first, last] = [before[0] as Trace, before.at(-1) as Trace];
	const own = [...new Set(first.keys)].filter((key) => last.keys.includes(key));
	const problems = before.flatMap((trace, round) => differences(trace, after[round] as Trace));
	if (own.length !== OWN_KEYS) {
		problems.push(`${own.length} writes have a key of the user's own instead of ${OWN_KEYS}`);
	}
	if (own.some((key) => !after[0]?.keys.includes(key))) {
		problems.push("an Idempotency Key of the user's own makes another key");
	}
	return problems;
}

function differences(before: Trace, after: Trace): string[] {
	const problems = READERS.filter((name) => before.items.get(name) !== after.items.get(name)).map(
		(name) => `"${name}" returns other items than before`,
	);
	for (const request of new Set([...before.requests, ...after.requests])) {
		const [was, is] = [before, after].map(({ requests }) => requests.filter((one) => one === request).length);
		if (was !== is) problems.push(`the action nodes send this request ${is} times instead of ${was}: ${request}`);
	}
	return problems;
}

/**
 * Returns a request without what differs each time: its cursor and its key, the order of its parameters, and its status when
 * the client may have closed it first.
 */
function requestOf({ method, path: asked, query, body, status, fault }: JournalEntry): string {
	const { cursor, ...rest } = query;
	const parameters = Object.entries(rest).sort();
	return JSON.stringify([method, asked, parameters, cursor !== undefined, body, fault ?? status]);
}

function itemsRead(execution: Execution): Map<string, string> {
	const itemsOf = (name: string) =>
		outputItems(execution, name).map(({ json, binary = {} }) =>
			'error' in json || 'message' in json ? 'failed' : [{ ...json, computed_at: '', readAt: '' }, filesIn(binary)],
		);
	return new Map(READERS.map((name) => [name, JSON.stringify(itemsOf(name))]));
}

/** Returns what is told of each file apart from where it is stored. */
function filesIn(binary: Record<string, { fileName?: string; mimeType?: string }>): unknown[] {
	return Object.entries(binary).map(([field, { fileName, mimeType }]) => [field, fileName, mimeType]);
}
