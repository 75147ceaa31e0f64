import { randomFrom } from '../random';
import { Execution } from './execution';
import type { ExecutionWorld } from './execution';
import { OWN_KEYS, TEXTS } from './expressions';
import type { Written } from './expressions';
import type { Loader } from './modules';
import type { ExecutionData, Item, Mode, NodeModel, StoredExecution, WorkflowModel, WriteNode } from './n8n';
import { copy } from './n8n';
import type { ProcessWorld } from './process';
import { Process, uuidFrom } from './process';
import type { Attempt, ItemAttempt } from './records';
import type { Action, Journey, NodeSettings, Schedule, Shape, SourceItem } from './schedule';
import { ServiceModel, SMOOTH, SPENT_MS } from './service';
import { VirtualTime } from './time';

/** How long a person waits for a retry before the next action. */
const RETRY_MS = 1_000;

const SECONDS: Record<WriteNode['type'], Written[]> = {
	tagLead: [
		{ text: '7', isComputed: false, names: [] },
		{ text: '={{ $json.tag }}', isComputed: false, names: [] },
		{ text: '={{ 3 + 4 }}', isComputed: true, names: [] },
	],
	createKeywordAutomation: [
		{ text: 'Thanks', isComputed: false, names: [] },
		{ text: '=Hello {{ $json.name }}', isComputed: false, names: [] },
		{ text: '={{ $now + " " + $json.name }}', isComputed: true, names: ['$json.name'] },
	],
};

/** How much happened, over all schedules. */
export interface Tally {
	executions: number;
	kills: number;
	retries: number;
	requests: number;
	'runs of our nodes': number;
}

interface Running {
	stored: StoredExecution;
	worker: number;
	stop: AbortController;
	ended: Promise<void>;
}

/** n8n with its database and workers, the service, and a person who acts as the schedule says. */
export class World implements ProcessWorld, ExecutionWorld {
	readonly time = new VirtualTime();
	readonly random: () => number;
	readonly service: ServiceModel<ItemAttempt>;
	readonly attempts: Attempt[] = [];
	readonly executions: StoredExecution[] = [];
	private readonly workers: Process[];
	private readonly workflows: WorkflowModel[];
	private readonly running = new Set<Running>();
	private readonly ofProcess = new Map<Process, number>();
	private awaits = 0;
	private requests = 0;
	private failures: number;
	private isCalm = false;
	/** What no node can throw: a mistake of the simulation, or of the nodes. */
	private broken: unknown;

	constructor(
		readonly load: Loader,
		readonly schedule: Schedule,
		private readonly tally?: Tally,
	) {
		this.random = randomFrom(schedule.chance);
		this.service = new ServiceModel(this.time, schedule.gaps);
		this.failures = schedule.failures;
		this.workers = [0, 1].map((worker) => this.newWorker(worker));
		this.workflows = [0, 1].map((index) => workflowOf(`w${index}`, schedule));
	}

	get savesProgress(): boolean {
		return this.schedule.savesProgress;
	}

	get hasOrganizations(): boolean {
		return this.schedule.organizations;
	}

	count(what: keyof Tally): void {
		if (this.tally !== undefined) this.tally[what]++;
	}

	nextCourse(): Journey {
		this.count('requests');
		const journey = this.isCalm ? undefined : this.schedule.journeys[this.requests++];
		return journey ?? { ...SMOOTH, isSent: true };
	}

	failsNow(): boolean {
		if (this.isCalm || this.failures === 0) return false;
		this.failures--;
		return true;
	}

	onAwait(process: Process): void {
		if (this.isCalm) return;
		const now = this.awaits++;
		if (this.schedule.deaths.includes(now)) this.kill(this.ofProcess.get(process)!);
		if (!this.schedule.stops.includes(now)) return;
		const worker = this.ofProcess.get(process);
		[...this.running].find((running) => running.worker === worker)?.stop.abort();
	}

	/** Everything that the schedule says, and then retries until each execution that n8n can retry has succeeded. */
	async run(): Promise<void> {
		await this.time.until(this.act());
		if (this.broken !== undefined) throw this.broken as Error;
	}

	private async act(): Promise<void> {
		for (const action of this.schedule.actions) await this.perform(action);
		await this.allEnded();
		this.isCalm = true;
		if (this.schedule.journeys.some(({ fault }) => fault === '429 without an end')) await this.time.wait(SPENT_MS);
		while (this.service.isBusy) await this.time.wait(1_000);
		// Once more than any execution can fail without a fault.
		for (let round = 0; round < 3; round++) {
			for (const execution of this.retriable()) await this.retry(execution, 0, false);
			await this.allEnded();
		}
	}

	private async allEnded(): Promise<void> {
		while (this.running.size > 0) await Promise.all([...this.running].map(async ({ ended }) => await ended));
	}

	private async perform(action: Action): Promise<void> {
		switch (action.kind) {
			case 'wait':
				return await this.time.wait(action.ms);
			case 'start': {
				const { manual, workflow, items, worker } = action;
				this.start(this.workflows[workflow]!, items.map(itemFrom), worker, manual ? 'manual' : 'trigger');
				return;
			}
			case 'retry': {
				const all = this.retriable();
				const picked = all[action.pick % all.length];
				if (picked !== undefined) await this.retry(picked, action.worker, action.current);
				return;
			}
			case 'edit': {
				const node = this.workflows[action.workflow]!.nodes.find(({ name }) => name === 'Write') as
					WriteNode | undefined;
				if (node !== undefined) node.written = TEXTS[action.text]!;
				return;
			}
			case 'stop': {
				const all = [...this.running];
				all[action.pick % all.length]?.stop.abort();
				return;
			}
			case 'kill':
				this.kill(action.worker);
		}
	}

	private newWorker(worker: number): Process {
		const process = new Process(this);
		this.ofProcess.set(process, worker);
		return process;
	}

	/** Kills a process without warning. The next one finds what was running, and marks it as crashed. */
	private kill(worker: number): void {
		this.count('kills');
		this.workers[worker]!.kill();
		for (const running of this.running) if (running.worker === worker) recover(running.stored);
		this.workers[worker] = this.newWorker(worker);
	}

	private start(workflow: WorkflowModel, items: Item[], worker: number, mode: Mode): Running {
		const id = String(this.executions.length + 1);
		const data: ExecutionData = {
			...(this.schedule.host === 'n8n 2' && { resumeToken: uuidFrom(this.random) }),
			stack: [{ node: workflow.nodes[0]!, items }],
			runData: {},
			contextData: {},
			seen: {},
		};
		return this.execute(
			{
				id,
				status: 'running',
				mode,
				isManual: mode === 'manual',
				data: JSON.stringify(data),
				workflow: copy(workflow),
				lineage: id,
				started: new Set(),
				finished: new Set(),
			},
			worker,
		);
	}

	private execute(stored: StoredExecution, worker: number): Running {
		this.count('executions');
		this.executions.push(stored);
		const stop = new AbortController();
		const process = this.workers[worker]!;
		const execution = new Execution(this, process, stored, stop.signal);
		const running: Running = { stored, worker, stop, ended: Promise.resolve() };
		this.running.add(running);
		running.ended = Promise.race([execution.run(), process.died])
			.catch((error: unknown) => (this.broken ??= error))
			.then(() => {
				this.running.delete(running);
			});
		return running;
	}

	/** What n8n's list of executions offers Retry for (read in its execution service and list, 2.41.1). */
	private retriable(): StoredExecution[] {
		const hasSucceeded = new Set(
			this.executions.filter(({ status }) => status === 'success').map(({ lineage }) => lineage),
		);
		return this.executions.filter(
			({ status, isManual, lineage }) =>
				(status === 'error' || (status === 'crashed' && !isManual)) && !hasSucceeded.has(lineage),
		);
	}

	/** n8n's Retry (read in ExecutionService.retry, 2.41.1 and 1.123.81). */
	private async retry(failed: StoredExecution, worker: number, current: boolean): Promise<void> {
		this.count('retries');
		const data = JSON.parse(failed.data) as ExecutionData;
		const runs = data.runData[data.lastNode ?? ''];
		if (runs?.at(-1)?.error !== undefined) runs.pop();
		let { workflow } = failed;
		if (current) {
			workflow = this.workflows.find(({ id }) => id === failed.workflow.id) ?? workflow;
			for (const entry of data.stack) {
				const node = workflow.nodes.find(({ name }) => name === entry.node.name);
				if (node === undefined) return;
				entry.node = node;
			}
		}
		const running = this.execute(
			{
				...failed,
				id: String(this.executions.length + 1),
				status: 'running',
				mode: 'retry',
				data: JSON.stringify(data),
				workflow: copy(workflow),
				started: new Set(),
				finished: new Set(),
			},
			worker,
		);
		if (this.isCalm) await running.ended;
		else await Promise.race([running.ended, this.time.wait(RETRY_MS)]);
	}

	/** Execute Sub-workflow: an execution of its own, which another attempt does not continue. */
	async runSubWorkflow(workflow: WorkflowModel, items: Item[], process: Process): Promise<Item[]> {
		const running = this.start(workflow, items, this.ofProcess.get(process)!, 'integrated');
		await process.outlives(running.ended);
		if (running.stored.status !== 'success') throw new Error('failed');
		return items;
	}
}

/**
 * What n8n makes of an execution that was running when it died (read in ExecutionRecoveryService.amend, 2.41.1): nodes that
 * had started, as its log of events says, get artificial entries, unless their runs were stored.
 */
function recover(stored: StoredExecution): void {
	if (stored.status !== 'running') return;
	const data = JSON.parse(stored.data) as ExecutionData;
	for (const { name } of stored.workflow.nodes) {
		if (!stored.started.has(name) || data.runData[name] !== undefined) continue;
		const crashed = !stored.finished.has(name);
		data.runData[name] = [{ isArtificial: true, ...(crashed && { error: 'crashed' }) }];
		data.lastNode = name;
	}
	stored.data = JSON.stringify(data);
	stored.status = 'crashed';
}

function itemFrom({ name, org }: SourceItem): Item {
	const uuids: Record<string, string> = {
		a: '6f1c1e0a-6f3b-4e86-9d0c-2b8f1d6c1a11',
		b: '0F1C1E0A-6f3b-4e86-9d0c-2b8f1d6c1a11',
	};
	const json = { name, org, seen: `${name}-seen`, tag: 5, uuid: uuids[name] ?? 'no uuid' };
	return { json, start: json };
}

function writeNode(name: string, settings: NodeSettings): WriteNode {
	const { type, text, second, ownKey, onError, retryOnFail, maxTries, waitBetweenTries, maxAttempts } = settings;
	return {
		name,
		kind: 'write',
		type,
		written: TEXTS[text]!,
		second: SECONDS[type][second]!,
		ownKey: OWN_KEYS[ownKey]!,
		settings: { onError, retryOnFail, maxTries, waitBetweenTries },
		maxAttempts,
		timeout: 40,
		isPinned: false,
	};
}

const CALM_NODE: NodeSettings = {
	type: 'tagLead',
	text: 2,
	second: 0,
	ownKey: 0,
	onError: 'stopWorkflow',
	retryOnFail: false,
	maxTries: 2,
	waitBetweenTries: 0,
	maxAttempts: 1,
};

/** Start, then what the shape says, with the nodes of ours in a row; a loop goes back to its start after the last one. */
function workflowOf(id: string, { shape, node }: Pick<Schedule, 'shape' | 'node'>): WorkflowModel {
	const { fetch, batchSize, second, again, check, sub } = shape;
	const write = writeNode('Write', node);
	const ours: NodeModel[] = [
		write,
		...(second === 'none' ? [] : [writeNode('Second', { ...CALM_NODE, type: second })]),
		...(check ? [{ name: 'Check', kind: 'check' as const }] : []),
	];
	const inner = sub === 'no' ? ours : [callOf(id, sub, ours)];
	const row: NodeModel[] = [
		{ name: 'Start', kind: 'start' },
		...(fetch === 'none' ? [] : [{ name: 'Fetch', kind: 'fetch' as const, what: fetch }]),
		...(batchSize === 0 ? [] : [{ name: 'Loop', kind: 'loop' as const, batchSize }]),
		...inner,
	];
	const workflow = inRow(id, row);
	const last = row.at(-1)!.name;
	if (batchSize > 0) workflow.connections[last] = ['Loop'];
	if (again && sub === 'no' && node.onError === 'continueErrorOutput') {
		const key: Written = { text: '={{ $json.idempotencyKey }}', isComputed: false, names: [] };
		workflow.nodes.push({ ...writeNode('Again', { ...CALM_NODE, type: node.type }), ownKey: key });
		workflow.connections.Write = [workflow.connections.Write?.[0], 'Again'];
	}
	return workflow;
}

function callOf(id: string, sub: Shape['sub'], ours: NodeModel[]): NodeModel {
	const workflow = inRow(`sub of ${id}`, [{ name: 'Start', kind: 'start' }, ...ours]);
	return { name: 'Call', kind: 'call', retryOnFail: sub === 'with retries', workflow };
}

function inRow(id: string, nodes: NodeModel[]): WorkflowModel {
	const connections: WorkflowModel['connections'] = {};
	for (const [index, { name, kind }] of nodes.entries()) {
		const next = nodes[index + 1]?.name;
		// The second output of Loop Over Items is the loop.
		if (next !== undefined) connections[name] = kind === 'loop' ? [undefined, next] : [next];
	}
	return { id, nodes, connections };
}
