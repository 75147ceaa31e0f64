import { rm } from 'node:fs/promises';
import type { JournalEntry, Sandbox } from '../../sandbox/src/client.ts';
import { NO_RECORDS, startSandbox } from '../../sandbox/src/client.ts';
import { temporaryFolder } from '../lib/temporaryFolder.ts';
import { until } from '../lib/until.ts';
import { DURABLE_CURSORS } from '../n8n/environment.ts';
import { executionsOf, startByWebhook } from '../n8n/executions.ts';
import type { Installation } from '../n8n/installation.ts';
import type { N8nProcess } from '../n8n/n8nProcess.ts';
import type { N8nSession, SavedWorkflow, WorkflowNode } from '../n8n/session.ts';
import { outputItems } from '../n8n/session.ts';
import { startN8n } from '../n8n/startN8n.ts';
import { installPackage } from '../n8n/userFolder.ts';
import { Account, WITHIN_MS } from './account.ts';
import type { DescribedNode } from './parameters.ts';
import { lostParameters, unsetParameters } from './parameters.ts';
import { traced, traceProblems } from './trace.ts';
import {
	EVERY_TRIGGER_PARAMETER,
	everyParameter,
	OVERLAP_MINUTES,
	PASSING,
	payments,
	waiting,
} from './updateWorkflows.ts';

/** The two ways in which n8n keeps a trigger's state. */
export const WAYS_OF_SAVING: Record<string, NodeJS.ProcessEnv> = {
	'static data': {},
	'durable cursors': DURABLE_CURSORS,
};

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;
const BATCH = 4;

/** The two versions of the package, as tarballs, and how n8n keeps the state. */
interface Update {
	installation: Installation;
	before: string;
	after: string;
	/** One of `WAYS_OF_SAVING`. */
	saving: string;
}

/** Names each thing that the update of a running n8n loses, repeats or no longer reads. One line per problem. */
export async function updateProblems({ installation, before, after, saving }: Update): Promise<string[]> {
	const userFolder = await temporaryFolder('update');
	const sandbox = await startSandbox({ ...NO_RECORDS, budgets: false });
	const env = WAYS_OF_SAVING[saving];
	let n8n: N8nProcess | undefined;
	const start = async (tarball: string): Promise<N8nSession> => {
		await installPackage(userFolder, tarball);
		const running = await startN8n({ installation, userFolder, env });
		n8n = running.n8n;
		return running.session;
	};
	try {
		const earlier = await start(before);
		const accounts = await openAccounts(sandbox, earlier);
		const polled = [accounts.defaults, accounts.everything, accounts.changes];
		const published = await publishTriggers(earlier, accounts);
		const checked = await saveActions(earlier, accounts.actions);
		const types = await ourTypes(earlier);
		const traces = await traced(sandbox, earlier, checked.id, accounts.actions.organization.id);
		const waiter = await startWaiting(earlier, accounts.waits);

		await all(polled, async (account) => await account.polls(2));
		const first = await payEach(accounts);
		await all(polled, async (account) => await account.settle());
		const last = await payEach(accounts);
		await all(polled, async (account) => await account.settle());
		await createOthers(accounts.everything);

		await n8n?.stop();
		await payEach(accounts);
		await changeAgain(sandbox, accounts.changes, first.changes);

		const later = await start(after);
		await createOthers(accounts.everything);
		await payEach(accounts);
		const stuck = await all(polled, async (account) => await settleProblems(account));
		// After a Restart is Repeat if Recent: n8n's last execution may repeat, once.
		const mayRepeat = saving === 'static data' ? last.defaults.leads : [];
		const tracesAfter = await traced(sandbox, later, checked.id, accounts.actions.organization.id);
		return [
			...stuck.flat(),
			...(await accounts.defaults.problems('a trigger with its defaults', mayRepeat)),
			...(await accounts.everything.problems('a trigger with each of its parameters')),
			...(await accounts.changes.problems('a trigger of new and updated transactions')),
			...overlapProblems(await accounts.everything.journal()),
			...(await resumeProblems(sandbox, later, accounts.waits, waiter)),
			...traceProblems(traces, tracesAfter),
			...(await savedProblems(later, [...published, checked])),
			...unsetParameters(
				types,
				[...published, checked].flatMap(({ nodes }) => nodes),
			),
			...lostParameters(types, await ourTypes(later)),
		];
	} catch (error) {
		throw new Error(`${(error as Error).message}\nn8n's log ends:\n${n8n?.logs.slice(-2_000) ?? ''}`, { cause: error });
	} finally {
		await n8n?.stop();
		await sandbox.stop();
		await rm(userFolder, { recursive: true, force: true });
	}
}

/** An account for each workflow of the check. */
type Accounts = Record<'defaults' | 'everything' | 'changes' | 'waits' | 'actions', Account>;

async function openAccounts(sandbox: Sandbox, session: N8nSession): Promise<Accounts> {
	const open = async (records = {}) => await Account.open(sandbox, session, records);
	return {
		defaults: await open(),
		everything: await open(),
		changes: await open(),
		waits: await open(),
		actions: await open({ transactions: 40, manual_records: 30 }),
	};
}

/** Publishes a trigger for each of three accounts. Returns the workflows as n8n has saved them. */
async function publishTriggers(
	session: N8nSession,
	{ defaults, everything, changes }: Accounts,
): Promise<SavedWorkflow[]> {
	const ofChanges = {
		event: 'newOrUpdatedTransaction',
		fieldsToWatch: ['amount'],
		options: { afterRestart: 'continue' },
	};
	const published: SavedWorkflow[] = [];
	for (const workflow of [
		payments('defaults', defaults.credential, defaults.tagId, {}),
		payments('every parameter of the trigger', everything.credential, everything.tagId, EVERY_TRIGGER_PARAMETER),
		payments('changes', changes.credential, changes.tagId, ofChanges),
	]) {
		const { id } = await session.createWorkflow(workflow);
		published.push(await session.workflow(id));
		await session.publishWorkflow(id);
	}
	return published;
}

/** Returns the workflow of the action nodes, as n8n has saved it. */
async function saveActions(session: N8nSession, { credential, tagId, leads }: Account): Promise<SavedWorkflow> {
	const { id } = await session.createWorkflow(everyParameter(credential, tagId, leads[0] as string));
	return await session.workflow(id);
}

async function all<T>(accounts: Account[], work: (account: Account) => Promise<T>): Promise<T[]> {
	return await Promise.all(accounts.map(work));
}

/** Transactions and their leads, in order. */
type Paid = Awaited<ReturnType<Account['pay']>>;

/** Creates transactions for each account with a trigger. */
async function payEach({ defaults, everything, changes }: Accounts) {
	return {
		defaults: await defaults.pay(BATCH),
		everything: await everything.pay(BATCH),
		changes: await changes.pay(BATCH),
	};
}

/** Creates transactions that fail one filter each, so none of them is to arrive. */
async function createOthers(everything: Account): Promise<void> {
	for (const name of Object.keys(PASSING)) await everything.create(1, { [name]: 'other' });
}

/** Changes a transaction that has arrived: it is to arrive once more. */
async function changeAgain({ control }: Sandbox, { organization, wanted }: Account, { ids, leads }: Paid) {
	await control.changeTransaction(organization.id, ids[0] as string, { amount: 1 });
	wanted.push(leads[0] as string);
}

async function settleProblems(account: Account): Promise<string[]> {
	return await account.settle().then(
		() => [],
		(error: Error) => [`after the update: ${error.message}`],
	);
}

/** An execution that waits, and the path that resumes it. */
interface Waiter {
	id: string;
	path: string;
}

async function startWaiting(session: N8nSession, { credential, tagId, leads }: Account): Promise<Waiter> {
	const [one, other] = leads as [string, string];
	const workflow = waiting('waiting', credential, tagId, [one, other]);
	const id = await startByWebhook(session, workflow, 'waiting');
	let execution = '';
	await until('an execution that waits', WITHIN_MS, async () => {
		const [latest] = await executionsOf(session, id);
		execution = latest?.id ?? '';
		return latest?.status === 'waiting';
	});
	const [resume] = outputItems(await session.execution(execution), 'Resume');
	const { pathname, search } = new URL((resume?.json as { url: string }).url);
	return { id: execution, path: `${pathname}${search}` };
}

/** Resumes the execution that waits. Returns what it does not do then. */
async function resumeProblems(
	{ control }: Sandbox,
	session: N8nSession,
	{ organization, leads }: Account,
	waiter: Waiter,
): Promise<string[]> {
	const response = await fetch(`${session.url}${waiter.path}`);
	if (!response.ok) return [`a workflow that waits: n8n responded with ${response.status}`];
	const execution = await session.finishedExecution(waiter.id, WITHIN_MS);
	const problems =
		execution.status === 'success' ? [] : [`a workflow that waits: ${execution.error?.message ?? execution.status}`];
	const tags = (await control.tagApplications(organization.id)).map(({ lead_id: lead }) => lead);
	if (tags.join() !== leads.slice(0, 2).join()) {
		problems.push(`a workflow that waits: ${tags.length} tags instead of 2`);
	}
	const drafts = (await control.automations(organization.id)).length;
	if (drafts !== 1) problems.push(`a workflow that waits: ${drafts} automations instead of 1`);
	return problems;
}

/** Whether n8n still has the parameters as they were saved. */
async function savedProblems(session: N8nSession, saved: SavedWorkflow[]): Promise<string[]> {
	const problems: string[] = [];
	for (const { id, name, nodes } of saved) {
		const now = (await session.workflow(id)).nodes;
		const parameters = (of: WorkflowNode[]) => JSON.stringify(of.map((node) => [node.name, node.parameters]));
		if (parameters(now) !== parameters(nodes)) problems.push(`"${name}": its saved parameters are not what they were`);
	}
	return problems;
}

async function ourTypes(session: N8nSession): Promise<DescribedNode[]> {
	const types = (await session.request('GET', '/types/nodes.json')) as DescribedNode[];
	return types.filter(({ name }) => name.startsWith('n8n-nodes-lead-revenue.') && !name.endsWith('Tool'));
}

/** Whether the latest poll reaches back as far as the option says. A census reads everything since 1970. */
function overlapProblems(journal: JournalEntry[]): string[] {
	const reach = journal
		.filter(({ query }) => typeof query.updated_since === 'string')
		.map(({ at, query }) => (Date.parse(at) - Date.parse(query.updated_since as string)) / MINUTE_MS)
		.findLast((minutes) => minutes < DAY_MINUTES);
	if (reach !== undefined && reach >= OVERLAP_MINUTES && reach < OVERLAP_MINUTES + 5) return [];
	return [`the trigger reaches back ${reach?.toFixed(1)} minutes instead of ${OVERLAP_MINUTES}`];
}
