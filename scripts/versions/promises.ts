import type { Sandbox } from '../../sandbox/src/client.ts';
import { NO_RECORDS, startSandbox } from '../../sandbox/src/client.ts';
import { DURABLE_CURSORS } from '../n8n/environment.ts';
import type { Installation } from '../n8n/installation.ts';
import { updateProblems } from '../verify/update.ts';
import { LadderN8n } from './ladderN8n.ts';
import type { Outcome } from './outcome.ts';
import { none, outcomeOf } from './outcome.ts';
import { lists, loads, testsCredential, writesFile } from './reads.ts';
import { keepsAuthorsValues, servesAgent, servesMcp, tellsAgent } from './tools.ts';
import { hasDurableCursors, losesNone, repeatsNone } from './trigger.ts';
import { drafts, retriesCrashed, retriesFailed, tags } from './writes.ts';

export interface Subject {
	installation: Installation;
	/** The packed package, and the previous release. */
	tarball: string;
	previous: string;
}

/** What the docs say of n8n, each in a line of docs/compatibility.md. */
export const PROMISES = {
	loads: 'n8n loads the nodes and credentials',
	credential: 'The test of a credential tells a right key from a wrong one',
	list: 'A list is complete',
	file: 'A list as a file is complete',
	tag: 'Each lead is tagged once',
	draft: 'An automation is created once, as a draft',
	failed: '**Retry** of a failed execution makes each change once',
	crashed: '**Retry** of an execution that crashed with n8n makes each change once',
	mcp: 'A client of an MCP Server Trigger calls a tool',
	agent: 'An AI Agent calls a tool',
	agentError: 'The model of an AI Agent reads the error of a tool',
	agentValues: "A model cannot replace a value of the tool's author",
	trigger: 'The trigger loses no transaction when n8n is restarted or killed, and repeats each once at most',
	durable: 'With durable cursors the trigger repeats none',
	update: 'An update from the previous release loses nothing',
	durableUpdate: 'With durable cursors an update loses and repeats nothing',
} as const;

export type PromiseName = keyof typeof PROMISES;

/** The promises that share one n8n; the last one restarts it. */
const OF_ONE_N8N: Array<[PromiseName, (n8n: LadderN8n) => Promise<void>]> = [
	['loads', loads],
	['credential', testsCredential],
	['list', lists],
	['file', writesFile],
	['tag', tags],
	['draft', drafts],
	['failed', retriesFailed],
	['mcp', servesMcp],
	['agent', servesAgent],
	['agentError', tellsAgent],
	['agentValues', keepsAuthorsValues],
	['crashed', retriesCrashed],
	['trigger', losesNone],
];

type Report = (name: PromiseName, outcome: Outcome) => void;

/**
 * Runs promises on an n8n, one after the other, and reports each outcome as soon as it is known.
 * @throws Error when n8n does not start
 */
export async function runPromises(subject: Subject, wanted: readonly PromiseName[], report: Report): Promise<void> {
	const sandbox = await startSandbox({ ...NO_RECORDS, budgets: false });
	try {
		let storesCursors = true;
		const started = await inN8n(subject, sandbox, {}, async (n8n) => {
			storesCursors = hasDurableCursors(n8n);
			for (const [name, keeps] of OF_ONE_N8N) {
				if (wanted.includes(name)) report(name, await outcomeOf(async () => await keeps(n8n)));
			}
		});
		if (typeof started === 'object') {
			throw new Error(`n8n ${subject.installation.version}: ${started.doesNotHold}`);
		}
		for (const [name, check] of ofAnotherN8n(subject, sandbox)) {
			if (!wanted.includes(name)) continue;
			const isAbsent = name !== 'update' && !storesCursors;
			report(name, isAbsent ? 'n8n has no such thing' : await check());
		}
	} finally {
		await sandbox.stop();
	}
}

/** Returns the promises that need an n8n with other settings or another package. */
function ofAnotherN8n(subject: Subject, sandbox: Sandbox): Array<[PromiseName, () => Promise<Outcome>]> {
	return [
		['durable', async () => await inN8n(subject, sandbox, DURABLE_CURSORS, repeatsNone)],
		['update', async () => await updateWith(subject, 'static data')],
		['durableUpdate', async () => await updateWith(subject, 'durable cursors')],
	];
}

async function inN8n(
	{ installation, tarball }: Subject,
	sandbox: Sandbox,
	env: NodeJS.ProcessEnv,
	check: (n8n: LadderN8n) => Promise<void>,
): Promise<Outcome> {
	return await outcomeOf(async () => {
		const n8n = await LadderN8n.start(installation, tarball, sandbox, env);
		try {
			await check(n8n);
		} finally {
			await n8n.remove();
		}
	});
}

async function updateWith({ installation, previous, tarball }: Subject, saving: string): Promise<Outcome> {
	return await outcomeOf(async () => {
		none(await updateProblems({ installation, before: previous, after: tarball, saving }));
	});
}
