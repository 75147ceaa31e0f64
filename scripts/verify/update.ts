import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { JournalEntry, Sandbox } from '../../sandbox/src/client.ts';
import { startSandbox } from '../../sandbox/src/client.ts';
import type { Installation } from '../n8n/installation.ts';
import { N8nProcess } from '../n8n/n8nProcess.ts';
import type { Owner, SavedWorkflow, WorkflowNode } from '../n8n/session.ts';
import { N8nSession, outputItems } from '../n8n/session.ts';
import { installPackage } from '../n8n/userFolder.ts';
import { Account, until, WITHIN_MS } from './account.ts';
import type { DescribedNode } from './parameters.ts';
import { lostParameters, unsetParameters } from './parameters.ts';
import type { Trace } from './trace.ts';
import { traced, traceProblems } from './trace.ts';
import {
	EVERY_TRIGGER_PARAMETER,
	everyParameter,
	OVERLAP_MINUTES,
	PASSING,
	payments,
	waiting,
} from './updateWorkflows.ts';

const OWNER: Owner = { email: 'owner@example.com', password: 'LeadRevenue1', firstName: 'Verify', lastName: 'Owner' };

/** The two ways in which n8n keeps a trigger's state. */
export const WAYS_OF_SAVING: Record<string, NodeJS.ProcessEnv> = {
	'static data': {},
	'durable cursors': {
		N8N_SCHEDULER_ENABLED: 'true',
		N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
		N8N_USE_WORKFLOW_PUBLICATION_SERVICE: 'true',
		N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true',
	},
};

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;
const BATCH = 4;

/** The two versions of the package, as tarballs, and how n8n keeps the state. */
export interface Update {
	installation: Installation;
	before: string;
	after: string;
	/** One of `WAYS_OF_SAVING`. */
	saving: string;
}

/** Names each thing that the update of a running n8n loses, repeats or no longer reads. One line per problem. */
export async function updateProblems({ installation, before, after, saving }: Update): Promise<string[]> {
	const userFolder = await mkdtemp(path.join(os.tmpdir(), 'lead-revenue-update-'));
	const sandbox = await startSandbox({ leads: 0, transactions: 0, manualRecords: 0, budgets: false });
	const env = WAYS_OF_SAVING[saving];
	let n8n: N8nProcess | undefined;
	const start = async (tarball: string): Promise<N8nSession> => {
		await installPackage(userFolder, tarball);
		n8n = await N8nProcess.start({ installation, userFolder, env });
		const session = new N8nSession(n8n.url);
		await session.setUpOwner(OWNER);
		return session;
	};
	try {
		const earlier = await start(before);
		const stage = await Stage.set(sandbox, earlier);
		await stage.flows();
		await n8n?.stop();
		await stage.createMore();
		const later = await start(after);
		return await stage.problems(later, saving);
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

/** The workflows and accounts of the check, from before the update to its end. */
class Stage {
	private lastLeads: string[] = [];
	private firstIds: string[] = [];
	private resumeUrl = '';
	private waitingId = '';
	private traces: Trace[] = [];
	private types: DescribedNode[] = [];
	private saved: SavedWorkflow[] = [];

	private readonly session: N8nSession;
	private readonly sandbox: Sandbox;
	private readonly accounts: Accounts;

	private constructor(session: N8nSession, sandbox: Sandbox, accounts: Accounts) {
		this.session = session;
		this.sandbox = sandbox;
		this.accounts = accounts;
	}

	/** @param session of the n8n before the update */
	static async set(sandbox: Sandbox, session: N8nSession): Promise<Stage> {
		const open = async (records = {}) => await Account.open(sandbox, session, records);
		return new Stage(session, sandbox, {
			defaults: await open(),
			everything: await open(),
			changes: await open(),
			waits: await open(),
			actions: await open({ transactions: 40, manual_records: 30 }),
		});
	}

	/** Everything before the update. Returns while transactions arrive and a workflow waits. */
	async flows(): Promise<void> {
		const { session } = this;
		const { defaults, everything, changes, waits, actions } = this.accounts;
		const triggers = [
			payments('defaults', defaults.credential, defaults.tagId, {}),
			payments('every parameter of the trigger', everything.credential, everything.tagId, EVERY_TRIGGER_PARAMETER),
			payments('changes', changes.credential, changes.tagId, {
				event: 'newOrUpdatedTransaction',
				fieldsToWatch: ['amount'],
				options: { afterRestart: 'continue' },
			}),
		];
		for (const workflow of triggers) {
			const saved = await session.createWorkflow(workflow);
			this.saved.push(await session.workflow(saved.id));
			await session.publishWorkflow(saved.id);
		}
		this.types = await ourTypes(session);
		const checked = await session.createWorkflow(
			everyParameter(actions.credential, actions.tagId, actions.leads[0] as string),
		);
		this.saved.push(await session.workflow(checked.id));
		this.traces = await traced(this.sandbox, session, checked.id, actions.organization.id);
		await this.startWaiting(waits);
		await Promise.all([defaults, everything, changes].map(async (account) => await account.polls(2)));
		for (const account of [defaults, everything, changes]) this.firstIds = await account.pay(BATCH);
		await Promise.all([defaults, everything, changes].map(async (account) => await account.settle()));
		this.lastLeads = defaults.leads.slice(BATCH, 2 * BATCH);
		await this.payAll();
		await Promise.all([defaults, everything, changes].map(async (account) => await account.settle()));
		await this.createOthers();
	}

	/** While n8n is down. */
	async createMore(): Promise<void> {
		await this.payAll();
		// A change of something from before the update, and one more that is no change.
		const [first] = this.firstIds;
		await this.sandbox.control.changeTransaction(this.accounts.changes.organization.id, first as string, { amount: 1 });
		this.accounts.changes.wanted.push(this.accounts.changes.leads[0] as string);
	}

	/** Everything after the update. */
	async problems(session: N8nSession, saving: string): Promise<string[]> {
		const { defaults, everything, changes, waits, actions } = this.accounts;
		await this.createOthers();
		await this.payAll();
		const stuck = await Promise.all(
			[defaults, everything, changes].map(
				async (account) =>
					await account.settle().then(
						() => [],
						(error: Error) => [`after the update: ${error.message}`],
					),
			),
		);
		// After a Restart is Repeat if Recent: n8n's last execution may repeat, once.
		const mayRepeat = saving === 'static data' ? this.lastLeads : [];
		const [, , , workflow] = this.saved as [SavedWorkflow, SavedWorkflow, SavedWorkflow, SavedWorkflow];
		const traces = await traced(this.sandbox, session, workflow.id, actions.organization.id);
		return [
			...stuck.flat(),
			...(await defaults.problems('a trigger with its defaults', mayRepeat)),
			...(await everything.problems('a trigger with each of its parameters')),
			...(await changes.problems('a trigger of new and updated transactions')),
			...overlapProblems(await everything.journal()),
			...(await this.resume(session, waits)),
			...traceProblems(this.traces, traces),
			...(await this.savedProblems(session)),
			...unsetParameters(
				this.types,
				this.saved.flatMap(({ nodes }) => nodes),
			),
			...lostParameters(this.types, await ourTypes(session)),
		];
	}

	private async payAll(): Promise<void> {
		for (const account of [this.accounts.defaults, this.accounts.everything, this.accounts.changes])
			await account.pay(BATCH);
	}

	/** Transactions that fail one filter each, so none of them is to arrive. */
	private async createOthers(): Promise<void> {
		for (const name of Object.keys(PASSING)) await this.accounts.everything.create(1, { [name]: 'other' });
	}

	private async startWaiting({ credential, tagId, leads }: Account): Promise<void> {
		const { session } = this;
		const [one, other] = leads as [string, string];
		const { id } = await session.createWorkflow(waiting('waiting', credential, tagId, [one, other]));
		await session.publishWorkflow(id);
		const hook = `${session.url}/webhook/waiting`;
		await until('the webhook', async () => (await fetch(hook, { method: 'POST' })).status === 200);
		const filter = encodeURIComponent(JSON.stringify({ workflowId: id }));
		await until('an execution that waits', async () => {
			const { results } = (await session.request('GET', `/rest/executions?filter=${filter}&limit=1`)) as {
				results: Array<{ id: string; status: string }>;
			};
			this.waitingId = results[0]?.id ?? '';
			return results[0]?.status === 'waiting';
		});
		const [resume] = outputItems(await session.execution(this.waitingId), 'Resume');
		this.resumeUrl = (resume?.json as { url: string }).url;
	}

	private async resume(session: N8nSession, { organization, leads }: Account): Promise<string[]> {
		const { pathname, search } = new URL(this.resumeUrl);
		const response = await fetch(`${session.url}${pathname}${search}`);
		if (!response.ok) return [`a workflow that waits: n8n responded with ${response.status}`];
		const execution = await session.finishedExecution(this.waitingId, WITHIN_MS);
		const problems =
			execution.status === 'success' ? [] : [`a workflow that waits: ${execution.error?.message ?? execution.status}`];
		const tags = (await this.sandbox.control.tagApplications(organization.id)).map(({ lead_id: lead }) => lead);
		if (tags.join() !== leads.slice(0, 2).join())
			problems.push(`a workflow that waits: ${tags.length} tags instead of 2`);
		const drafts = (await this.sandbox.control.automations(organization.id)).length;
		if (drafts !== 1) problems.push(`a workflow that waits: ${drafts} automations instead of 1`);
		return problems;
	}

	/** Whether n8n still has the parameters as they were saved. */
	private async savedProblems(session: N8nSession): Promise<string[]> {
		const problems: string[] = [];
		for (const { id, name, nodes } of this.saved) {
			const now = (await session.workflow(id)).nodes;
			const parameters = (of: WorkflowNode[]) => JSON.stringify(of.map((node) => [node.name, node.parameters]));
			if (parameters(now) !== parameters(nodes))
				problems.push(`"${name}": its saved parameters are not what they were`);
		}
		return problems;
	}
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
