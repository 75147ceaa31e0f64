import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parse } from 'flatted';
import type { IDataObject, INodeExecutionData, ITaskData } from 'n8n-workflow';
import { until } from '../../../scripts/lib/until.ts';
import { DURABLE_CURSORS } from '../../../scripts/n8n/environment.ts';
import type { Credential, SavedWorkflow, Workflow } from '../../../scripts/n8n/session.ts';
import { chain, n8nNode, nodeOf, POLL_TIMES } from '../../../scripts/n8n/workflows.ts';
import { HOST } from '../hostUnderTest.ts';
import type { N8nHost } from './n8nHost.ts';

/** How n8n can keep a trigger's state, and the switches for it. n8n 1.x has only the first way. */
export const WAYS_OF_SAVING: Array<[way: string, switches: NodeJS.ProcessEnv]> = [["n8n's default static data", {}]];
if (HOST !== 'n8n-1') WAYS_OF_SAVING.push(['durable cursors', DURABLE_CURSORS]);

/** The scheduler polls, and the state stays where it is by default. */
export const SCHEDULED: (typeof WAYS_OF_SAVING)[number] = [
	'the polls of the scheduler and static data',
	{ ...DURABLE_CURSORS, N8N_POLLER_DURABLE_CURSORS_ENABLED: 'false' },
];

/**
 * How long n8n waits before it activates a workflow that it was activating when it died; two minutes by default. It gives up
 * an activation that takes 0.7 of that, as can happen on a busy machine.
 */
export const LEASES = {
	N8N_WORKFLOW_PUBLICATION_OUTBOX_LEASE_SECONDS: '20',
	N8N_WORKFLOW_PUBLICATION_OUTBOX_POLL_INTERVAL_MS: '2000',
};

/** A clock of an n8n that starts with `env`. It is ahead of the machine's by what `setAhead` was last called with. */
export interface OwnClock {
	env: NodeJS.ProcessEnv;
	setAhead(ms: number): void;
	remove(): void;
}

export function ownClock(): OwnClock {
	const folder = mkdtempSync(path.join(os.tmpdir(), 'lead-revenue-clock-'));
	const file = path.join(folder, 'ahead');
	return {
		env: { NODE_OPTIONS: `--require ${path.join(__dirname, 'clockAhead.cjs')}`, CLOCK_AHEAD: file },
		setAhead: (ms) => writeFileSync(file, String(ms)),
		remove: () => rmSync(folder, { recursive: true }),
	};
}

/** The name of the trigger in a workflow that polls. */
export const TRIGGER = 'Transactions';
const DONE = 'Done';

/** Returns a workflow that starts with a trigger polled every few seconds; its second node passes items on. */
export function pollingNodes(
	credential: Credential,
	parameters: IDataObject = {},
	type = 'transactionTrigger',
): Workflow {
	return chain('polling', [
		nodeOf(TRIGGER, type, credential, { pollTimes: { item: POLL_TIMES }, ...parameters }),
		n8nNode(DONE, 'noOp', 1),
	]);
}

/** Returns the same, saved. */
export async function pollingWorkflow(
	{ session }: N8nHost,
	credential: Credential,
	parameters: IDataObject = {},
	type?: string,
): Promise<SavedWorkflow> {
	return await session.createWorkflow(pollingNodes(credential, parameters, type));
}

interface StoredExecution {
	id: number;
	status: string;
	/** Ids of the records that the trigger passed to n8n. */
	emitted: string[];
	/** Ids of the records that reached the node after it. */
	done: string[];
}

interface StoredData {
	resultData?: { runData?: Record<string, ITaskData[]> };
	executionData?: {
		nodeExecutionStack?: Array<{ node: { name: string }; data: { main?: Array<INodeExecutionData[] | null> } }>;
	};
}

/** What n8n's database holds about a workflow; readable while n8n runs, and after it died. */
export class StoredWorkflow {
	private readonly file: string;

	constructor(
		{ address }: N8nHost,
		protected readonly workflowId: string,
	) {
		this.file = path.join(address.userFolder, '.n8n', 'database.sqlite');
	}

	/** Returns the executions so far, oldest first. */
	executions(): StoredExecution[] {
		const rows = this.query(
			'SELECT e.id, e.status, d.data FROM execution_entity e JOIN execution_data d ON d."executionId" = e.id WHERE e."workflowId" = ? ORDER BY e.id',
		) as Array<{ id: number; status: string; data: string }>;
		return rows.map(({ id, status, data }) => {
			const { resultData, executionData } = parse(data) as StoredData;
			// The execution of a failed poll has one empty item.
			const idsOf = (items: INodeExecutionData[] | null | undefined) =>
				(items ?? []).flatMap(({ json }) => (json.id === undefined ? [] : [json.id as string]));
			const ran = (node: string) => (resultData?.runData?.[node] ?? []).flatMap((run) => idsOf(run.data?.main?.[0]));
			// An interrupted execution still has its input.
			const waiting = (executionData?.nodeExecutionStack ?? []).filter(({ node }) => node.name === TRIGGER);
			const emitted = [...ran(TRIGGER), ...waiting.flatMap(({ data: input }) => idsOf(input.main?.[0]))];
			return { id, status, emitted, done: ran(DONE) };
		});
	}

	/** Ids of the records that the trigger passed to n8n, with repetitions. */
	emitted(): string[] {
		return this.executions().flatMap(({ emitted }) => emitted);
	}

	/** Ids of those that reached the node after it. */
	done(): string[] {
		return this.executions().flatMap(({ done }) => done);
	}

	/** Returns what the trigger has saved; empty when nothing. */
	state(): IDataObject {
		if (this.hasDurableCursors()) {
			const [durable] = this.query('SELECT cursor FROM poller_state WHERE "workflowId" = ?') as Array<{
				cursor: string;
			}>;
			if (durable !== undefined) return JSON.parse(durable.cursor) as IDataObject;
		}
		const [row] = this.query('SELECT "staticData" AS saved FROM workflow_entity WHERE id = ?') as Array<{
			saved: string | null;
		}>;
		const { global = {} } = JSON.parse(row?.saved ?? '{}') as { global?: IDataObject };
		const [key = ''] = Object.keys(global).filter((one) => one.endsWith(`Trigger:${TRIGGER.toLowerCase()}`));
		return (global[key] ?? {}) as IDataObject;
	}

	/**
	 * Returns how n8n's scheduler backs off from failed polls of the workflow's trigger; `ms` counts from the last failure.
	 */
	backoff(): { failures: number; ms: number } {
		const [row] = this.query(
			'SELECT "consecutiveErrors" AS failures, unixepoch("backoffUntil", \'subsec\') - unixepoch("updatedAt", \'subsec\') AS seconds FROM poller_state WHERE "workflowId" = ?',
		) as Array<{ failures: number; seconds: number | null }>;
		return { failures: row?.failures ?? 0, ms: Math.round((row?.seconds ?? 0) * 1_000) };
	}

	/** Ends the backoff, as its time would. */
	endBackoff(): void {
		const database = new DatabaseSync(this.file, { timeout: 60_000 });
		try {
			database
				.prepare('UPDATE poller_state SET "backoffUntil" = "updatedAt" WHERE "workflowId" = ?')
				.run(this.workflowId);
		} finally {
			database.close();
		}
	}

	/** State of the activation of the last published version: n8n 2.x activates in the background, 1.x while it publishes. */
	activation(): string {
		if (!this.hasTable('workflow_publication_outbox')) return 'completed';
		const [row] = this.query(
			'SELECT status FROM workflow_publication_outbox WHERE "workflowId" = ? ORDER BY id DESC LIMIT 1',
		) as Array<{ status: string }>;
		return row?.status ?? '';
	}

	/** Whether this n8n's database can store durable cursors, switched on or not. */
	hasDurableCursors(): boolean {
		return this.hasTable('poller_state');
	}

	protected hasTable(name: string): boolean {
		return this.query(`SELECT name FROM sqlite_master WHERE name = '${name}' AND ? IS NOT NULL`).length > 0;
	}

	/** Waits until `condition` holds. */
	async until(what: string, condition: (stored: StoredWorkflow) => boolean, withinMs: number): Promise<void> {
		await until(what, withinMs, () => condition(this));
	}

	protected query(sql: string): unknown[] {
		const database = new DatabaseSync(this.file, { readOnly: true, timeout: 60_000 });
		try {
			return database.prepare(sql).all(this.workflowId);
		} finally {
			database.close();
		}
	}
}
