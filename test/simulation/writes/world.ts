import { storedCopy } from '../../support/scripted/storing.ts';
import { randomFrom } from '../random.ts';
import { VirtualTime } from '../time.ts';
import { argumentsFor, callTool } from './agent.ts';
import type { Engine2World } from './engine2.ts';
import { runOnEngine2 } from './engine2.ts';
import type { ExecutionWorld } from './execution.ts';
import { Execution } from './execution.ts';
import type { NodesLoader } from './modules.ts';
import type { ExecutionData, Item, Mode, StackEntry, StoredExecution, WorkflowModel } from './n8n.ts';
import type { ProcessWorld } from './process.ts';
import { Process, uuidFrom } from './process.ts';
import type { Attempt, ItemAttempt } from './records.ts';
import { begin } from './records.ts';
import type { Action, Editor, Journey, Schedule } from './schedule.ts';
import { ServiceModel, SMOOTH, SPENT_MS } from './service.ts';
import { edit, itemFrom, toolOf, workflowOf } from './workflows.ts';

/** How long a person waits for a retry before the next action. */
const RETRY_MS = 1_000;
/** How long the node Wait waits. */
const WAIT_MS = 10_000;

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
export class World implements ProcessWorld, ExecutionWorld, Engine2World {
	readonly time = new VirtualTime();
	readonly random: () => number;
	readonly service: ServiceModel<ItemAttempt>;
	readonly attempts: Attempt[] = [];
	readonly executions: StoredExecution[] = [];
	private readonly workers: Process[];
	private readonly workflows: WorkflowModel[];
	private readonly running = new Set<Running>();
	/** The waits of executions that a Wait node has stored. */
	private readonly waiting = new Set<Promise<void>>();
	private readonly ofProcess = new Map<Process, number>();
	/** How many of each there were that a schedule can trouble. */
	awaits = 0;
	requests = 0;
	private reads = 0;
	private failures: number;
	private isCalm = false;
	/** What no node can throw: a mistake of the simulation, or of the nodes. */
	private broken: unknown;

	constructor(
		readonly load: NodesLoader,
		readonly schedule: Schedule,
		private readonly tally?: Tally,
	) {
		this.random = randomFrom(schedule.chance);
		this.service = new ServiceModel(this.time, schedule.gaps);
		this.failures = schedule.failures;
		this.workers = [0, 1].map((worker) => this.newWorker(worker));
		this.workflows = [0, 1].map((index) => workflowOf(`w${index}`, schedule));
	}

	get host(): 'n8n 2' | 'n8n 1' {
		return this.schedule.host === 'n8n 1' ? 'n8n 1' : 'n8n 2';
	}

	get tokenOf(): 'step' | 'execution' {
		return this.schedule.host === 'engine 2.0' ? 'step' : 'execution';
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

	isReadable(): boolean {
		return this.isCalm || !this.schedule.unreadable.includes(this.reads++);
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
		while (this.running.size + this.waiting.size > 0) {
			await Promise.all([...this.waiting, ...[...this.running].map(async ({ ended }) => await ended)]);
		}
	}

	private async perform(action: Action): Promise<void> {
		switch (action.kind) {
			case 'wait':
				return await this.time.wait(action.ms);
			case 'start': {
				const { editor, workflow, items, worker } = action;
				const mode = editor === 'no' ? 'trigger' : 'manual';
				this.start(this.workflows[workflow]!, items.map(itemFrom), worker, mode, editor);
				return;
			}
			case 'mcp':
				this.callByMcp(action.worker, action.title);
				return;
			case 'retry': {
				const all = this.retriable({ inOldList: true });
				const picked = all[action.pick % all.length];
				if (picked !== undefined) await this.retry(picked, action.worker, action.current);
				return;
			}
			case 'edit': {
				const node = this.workflows[action.workflow]!.nodes.find(({ name }) => name === 'Write');
				if (node?.kind === 'write') edit(node, action.set);
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

	private start(workflow: WorkflowModel, items: Item[], worker: number, mode: Mode, editor: Editor = 'no'): Running {
		const id = this.newId();
		const own = storedCopy(workflow);
		const ours = own.nodes.find(({ kind }) => kind === 'write' || kind === 'agent');
		if (ours?.kind === 'write') ours.isPinned = editor === 'pinned';
		// Execute Step runs only what has no data yet.
		const first: StackEntry = { node: editor === 'one step' && ours !== undefined ? ours : own.nodes[0]!, items };
		const data: ExecutionData = {
			...(this.schedule.host !== 'n8n 1' && { resumeToken: uuidFrom(this.random) }),
			stack: [first],
			runData: {},
			contextData: {},
			seen: {},
		};
		const stored: StoredExecution = {
			id,
			status: 'running',
			mode,
			isManual: mode === 'manual',
			data: JSON.stringify(data),
			workflow: own,
			onlyTo: editor === 'one step' ? ours?.name : undefined,
			lineage: id,
			started: new Set(),
			finished: new Set(),
		};
		return this.execute(stored, worker, items);
	}

	/** Engine 2.0 names its executions by a UUID (read in n8n 2.41.1). */
	private newId(): string {
		return this.schedule.host.startsWith('engine') ? uuidFrom(this.random) : String(this.executions.length + 1);
	}

	private execute(stored: StoredExecution, worker: number, items: Item[] = []): Running {
		this.count('executions');
		this.executions.push(stored);
		const stop = new AbortController();
		const process = this.workers[worker]!;
		return this.track(stored, worker, stop, async () => {
			if (this.schedule.host.startsWith('engine')) await runOnEngine2(this, process, stored, items, stop.signal);
			else await this.runUntilWait(stored, worker, stop.signal);
		});
	}

	/** Runs an execution until its end, or until a Wait node has stored it: later it goes on, perhaps in the worker's next process. */
	private async runUntilWait(stored: StoredExecution, worker: number, signal: AbortSignal): Promise<void> {
		await new Execution(this, this.workers[worker]!, stored, signal).run();
		if (stored.status !== 'waiting') return;
		const over = this.time.wait(WAIT_MS).then(() => {
			this.waiting.delete(over);
			stored.status = 'running';
			const stop = new AbortController();
			this.track(stored, worker, stop, async () => await this.runUntilWait(stored, worker, stop.signal));
		});
		this.waiting.add(over);
	}

	private track(stored: StoredExecution, worker: number, stop: AbortController, work: () => Promise<void>): Running {
		const running: Running = { stored, worker, stop, ended: Promise.resolve() };
		const { died } = this.workers[worker]!;
		this.running.add(running);
		running.ended = Promise.race([work(), died])
			.catch((error: unknown) => (this.broken ??= error))
			.then(() => {
				this.running.delete(running);
			});
		return running;
	}

	/** The MCP Server Trigger calls a tool without the data of an execution (measured, see docs/idempotency.md). */
	private callByMcp(worker: number, title: string): void {
		const process = this.workers[worker]!;
		const stop = new AbortController();
		const tool = toolOf('Tool', this.schedule.node);
		const scope = `call ${this.attempts.length} of an MCP client`;
		const stored = { id: scope, status: 'success', lineage: scope } as StoredExecution;
		const caller = {
			world: this,
			process,
			workflowId: 'mcp',
			executionId: undefined,
			mode: 'trigger' as const,
			context: () => undefined,
			resumeToken: undefined,
			signal: stop.signal,
			runs: [],
			node: { name: 'MCP Server Trigger', type: '@n8n/n8n-nodes-langchain.mcpTrigger' },
			input: [{ json: {}, start: {} }],
			source: null,
			newAttempt: () =>
				begin(this.attempts, { scope, unit: scope, lineage: scope, executionId: undefined, node: tool, size: 1 }),
		};
		this.track(stored, worker, stop, async () => {
			await callTool(caller, tool, argumentsFor(tool, title, { json: {}, start: {} }), { runIndex: 0 });
		});
	}

	/**
	 * Returns what n8n's list of executions offers Retry for (read in its execution service and list, 2.41.1). A list that is older
	 * than a retry still offers what the retry has done.
	 */
	private retriable({ inOldList = false } = {}): StoredExecution[] {
		// Engine 2.0 has no Retry (read in EngineV2Dispatcher, 2.41.1).
		if (this.schedule.host.startsWith('engine')) return [];
		const hasSucceeded = new Set(
			this.executions.filter(({ status }) => status === 'success').map(({ lineage }) => lineage),
		);
		return this.executions.filter(
			({ status, isManual, lineage }) =>
				(status === 'error' || (status === 'crashed' && !isManual)) && (inOldList || !hasSucceeded.has(lineage)),
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
				if (node === undefined) continue;
				entry.node = node;
			}
		}
		const running = this.execute(
			{
				...failed,
				id: this.newId(),
				status: 'running',
				mode: 'retry',
				data: JSON.stringify(data),
				workflow: storedCopy(workflow),
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
	// Engine 2.0 leaves such a step running for ever.
	if (stored.status !== 'running' || stored.data === '') return;
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
