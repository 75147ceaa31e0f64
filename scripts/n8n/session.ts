import { setTimeout as wait } from 'node:timers/promises';
import { parse } from 'flatted';
import type { INodeExecutionData, ITaskData } from 'n8n-workflow';
import { ask } from './ask.ts';
import type { ListedExecution } from './executions.ts';

const ASK_AGAIN_AFTER_MS = 100;
const UNFINISHED = new Set(['new', 'running', 'waiting', 'unknown']);

export function isUnfinished({ status }: { status: string }): boolean {
	return UNFINISHED.has(status);
}

/**
 * The owner of every n8n here: each listens on this machine only. That of `npm start` has a password of its own; the others run
 * only for a test.
 */
export const OWNER = { email: 'demo@example.com', password: 'LeadRevenue1', firstName: 'Demo', lastName: 'Owner' };

/** A node of a workflow, as n8n exports it. */
export interface WorkflowNode {
	id?: string;
	name: string;
	type: string;
	typeVersion: number;
	position: [number, number];
	parameters: Record<string, unknown>;
	credentials?: Record<string, { id: string | null; name: string }>;
	[setting: string]: unknown;
}

/** A workflow, as n8n exports it. */
export interface Workflow {
	id?: string;
	name: string;
	nodes: WorkflowNode[];
	connections: Record<string, unknown>;
	settings?: Record<string, unknown>;
	[other: string]: unknown;
}

/** A workflow that n8n has stored. */
export interface SavedWorkflow extends Workflow {
	id: string;
}

/** A stored credential, without its fields. */
export interface Credential {
	id: string;
	name: string;
	type: string;
}

/** An execution record with its data unpacked. Times are milliseconds since the epoch. */
export interface Execution {
	id: string;
	status: string;
	startedAt: number;
	stoppedAt: number;
	runData: Record<string, ITaskData[]>;
	error?: { message: string; description?: string | null; [field: string]: unknown };
}

interface ExecutionRecord extends ListedExecution {
	/** A graph of indices, as the flatted package writes it. */
	data: string;
}

interface ExecutionData {
	resultData?: { runData?: Record<string, ITaskData[]>; error?: NonNullable<Execution['error']> };
}

/** Raised when n8n rejects a request to the editor's REST interface or to a webhook. */
export class N8nRestError extends Error {
	override readonly name = 'N8nRestError';
	readonly status: number;

	constructor(method: string, path: string, status: number, body: string) {
		super(`n8n responded to ${method} ${path} with ${status}: ${body.slice(0, 500)}`);
		this.status = status;
	}
}

/** The editor's REST interface, as a signed-in user. */
export class N8nSession {
	readonly url: string;
	private cookie: string;

	/** The Cookie header of a signed-in browser. */
	get cookies(): string {
		return this.cookie;
	}

	/** @param cookies of a user who is already signed in. */
	constructor(url: string, cookies = '') {
		this.url = url;
		this.cookie = cookies;
	}

	/** Returns a session of the owner; creates the account in a fresh n8n. */
	static async ofOwner(url: string, password = OWNER.password): Promise<N8nSession> {
		const session = new N8nSession(url);
		await session.request('POST', '/rest/owner/setup', { ...OWNER, password }).catch((error: unknown) => {
			// It has an owner.
			if (!(error instanceof N8nRestError) || error.status !== 400) throw error;
		});
		await session.login(OWNER.email, password);
		return session;
	}

	async login(email: string, password: string): Promise<void> {
		await this.request('POST', '/rest/login', { emailOrLdapLoginId: email, password });
	}

	async credentials(): Promise<Credential[]> {
		return (await this.request('GET', '/rest/credentials')) as Credential[];
	}

	async createCredential(name: string, type: string, data: Record<string, unknown>): Promise<Credential> {
		return (await this.request('POST', '/rest/credentials', { name, type, data })) as Credential;
	}

	/**
	 * Returns a credential's fields as the editor gets them. Secrets are placeholders; saving a placeholder keeps the
	 * secret.
	 */
	async credentialData({ id }: Credential): Promise<Record<string, unknown>> {
		const { data } = (await this.request('GET', `/rest/credentials/${id}?includeData=true`)) as {
			data: Record<string, unknown>;
		};
		return data;
	}

	async updateCredential(credential: Credential, data: Record<string, unknown>): Promise<void> {
		const { id, name, type } = credential;
		await this.request('PATCH', `/rest/credentials/${id}`, { name, type, data });
	}

	/** Tests a credential, as "Save" or "Retry" in the editor does. */
	async testCredential(
		credential: Credential,
		data?: Record<string, unknown>,
	): Promise<{ status: 'OK' | 'Error'; message: string }> {
		return (await this.request('POST', '/rest/credentials/test', {
			credentials: { ...credential, ...(data && { data }) },
		})) as { status: 'OK' | 'Error'; message: string };
	}

	async workflows(): Promise<SavedWorkflow[]> {
		return (await this.request('GET', '/rest/workflows')) as SavedWorkflow[];
	}

	async workflow(id: string): Promise<SavedWorkflow> {
		return (await this.request('GET', `/rest/workflows/${id}`)) as SavedWorkflow;
	}

	async createWorkflow(workflow: Workflow): Promise<SavedWorkflow> {
		return (await this.request('POST', '/rest/workflows', { settings: {}, ...workflow })) as SavedWorkflow;
	}

	/** Publishes a workflow, as the editor's "Publish" does. */
	async publishWorkflow(id: string): Promise<void> {
		const { versionId } = await this.workflow(id);
		await this.request('POST', `/rest/workflows/${id}/activate`, { versionId });
	}

	/** Starts a workflow from one of its triggers, as the editor's "Execute workflow" does. Returns the execution's id. */
	async startWorkflow(id: string, trigger: string): Promise<string> {
		// n8n 1.x runs the workflow in the request, n8n 2.x the saved one.
		const workflowData = await this.workflow(id);
		const started = (await this.request('POST', `/rest/workflows/${id}/run`, {
			workflowData,
			triggerToStartFrom: { name: trigger },
		})) as { executionId?: string };
		if (started.executionId === undefined) {
			throw new Error(`n8n did not start the workflow ${id}: ${JSON.stringify(started)}`);
		}
		return started.executionId;
	}

	/** Retries a failed execution, as "Retry" in the executions list does. Returns the new execution's id. */
	async retryExecution(id: string, { loadWorkflow = false } = {}): Promise<string> {
		const retry = (await this.request('POST', `/rest/executions/${id}/retry`, { loadWorkflow })) as { id: string };
		return retry.id;
	}

	async execution(id: string): Promise<Execution> {
		return unpackRecord(await this.executionRecord(id));
	}

	/** Waits for an execution to end. @throws Error when it runs longer than `withinMs`. */
	async finishedExecution(id: string, withinMs = 300_000, askAgainAfterMs = ASK_AGAIN_AFTER_MS): Promise<Execution> {
		const deadline = Date.now() + withinMs;
		for (;;) {
			const record = await this.executionRecord(id).catch((error: unknown) => {
				if (isWithoutData(error)) return undefined;
				throw error;
			});
			if (record !== undefined && isComplete(record)) return unpackRecord(record);
			if (Date.now() > deadline) {
				throw new Error(`Execution ${id} is still ${record?.status ?? 'without data'} after ${withinMs / 1_000} s.`);
			}
			await wait(askAgainAfterMs);
		}
	}

	/** Starts a workflow from a trigger and waits for its end. */
	async runWorkflow(id: string, trigger: string, withinMs?: number): Promise<Execution> {
		return await this.finishedExecution(await this.startWorkflow(id, trigger), withinMs);
	}

	/** Saves a workflow, runs it from its node Start and waits for its end. */
	async runNew(workflow: Workflow, withinMs?: number): Promise<Execution> {
		return await this.runWorkflow((await this.createWorkflow(workflow)).id, 'Start', withinMs);
	}

	/** Retries a failed execution and waits for the end of the new one. */
	async runRetry(id: string, options?: { loadWorkflow?: boolean }): Promise<Execution> {
		return await this.finishedExecution(await this.retryExecution(id, options));
	}

	/** Deactivates a workflow, as the editor's "Unpublish" does. */
	async deactivateWorkflow(id: string): Promise<void> {
		await this.request('POST', `/rest/workflows/${id}/deactivate`, {});
	}

	private async executionRecord(id: string): Promise<ExecutionRecord> {
		return (await this.request('GET', `/rest/executions/${id}`)) as ExecutionRecord;
	}

	/** Sends one request of the signed-in user. Returns the response's `data`. @throws N8nRestError unless it succeeds. */
	async request(method: string, path: string, body?: unknown): Promise<unknown> {
		const { response, text } = await ask(`${this.url}${path}`, {
			method,
			headers: {
				accept: 'application/json',
				// After a busy period n8n closes idle connections, just as the next request goes out on one.
				connection: 'close',
				...(this.cookie && { cookie: this.cookie }),
				...(body !== undefined && { 'content-type': 'application/json' }),
			},
			...(body !== undefined && { body: JSON.stringify(body) }),
		});
		if (!response.ok) throw new N8nRestError(method, path, response.status, text);
		const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0]);
		if (cookies.length > 0) this.cookie = cookies.join('; ');
		const parsed: unknown = JSON.parse(text);
		return typeof parsed === 'object' && parsed !== null && 'data' in parsed ? parsed.data : parsed;
	}
}

/** Returns the items that a node returned on its first output, of all runs. */
export function outputItems(execution: Execution, node: string): INodeExecutionData[] {
	return (execution.runData[node] ?? []).flatMap((run) => run.data?.main?.[0] ?? []);
}

function unpackRecord(record: ExecutionRecord): Execution {
	const { resultData } = unpackData(record) ?? {};
	return {
		id: record.id,
		status: record.status,
		startedAt: Date.parse(record.startedAt),
		stoppedAt: Date.parse(record.stoppedAt ?? record.startedAt),
		runData: resultData?.runData ?? {},
		...(resultData?.error && { error: resultData.error }),
	};
}

/**
 * Whether the record has all that n8n will store of an execution. n8n 1.x reports the end of an execution a moment before it
 * stores the output. A crashed one may have no data.
 */
function isComplete(record: ExecutionRecord): boolean {
	if (isUnfinished(record)) return false;
	return record.status === 'crashed' || unpackData(record) !== undefined;
}

function unpackData({ data }: ExecutionRecord): ExecutionData | undefined {
	return parse(data) as ExecutionData | undefined;
}

/**
 * Whether n8n failed for this reason: n8n 2.20 cannot return an execution that has stored no data yet (measured on 2.20.12).
 */
function isWithoutData(error: unknown): boolean {
	return error instanceof N8nRestError && error.status === 500 && error.message.includes("reading 'resultData'");
}
