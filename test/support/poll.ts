import 'reflect-metadata';
import { PollContext } from 'n8n-core';
import type {
	IDataObject,
	INode,
	INodeExecutionData,
	INodeParameters,
	INodeTypes,
	IPollFunctions,
	WorkflowActivateMode,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';
import type { Clock } from '../../nodes/shared/service/clock';
import { systemClock } from '../../nodes/shared/service/clock';
import { TransactionTrigger } from '../../nodes/TransactionTrigger/TransactionTrigger.node';
import type { Credential } from './engine';
import { additionalDataFor, nodeCredentials, PACKAGE } from './n8nParts';
import type { Storing } from './storing';
import { SILENT, STATE_KEY, STORED } from './storing';

const THIS_PROCESS = new TransactionTrigger();

/** The clock of each process. */
const clocks = new WeakMap<TransactionTrigger, Clock>([[THIS_PROCESS, systemClock]]);

/** The node as another process loads it: with its own modules, except n8n's. */
function nodeOfAnotherProcess(): TransactionTrigger {
	const n8nWorkflow: unknown = jest.requireActual('n8n-workflow');
	let node: TransactionTrigger | undefined;
	jest.isolateModules(() => {
		jest.doMock('n8n-workflow', () => n8nWorkflow);
		const loaded = jest.requireActual<{ TransactionTrigger: typeof TransactionTrigger }>(
			'../../nodes/TransactionTrigger/TransactionTrigger.node',
		);
		node = new loaded.TransactionTrigger();
		const { systemClock } = jest.requireActual<{ systemClock: Clock }>('../../nodes/shared/service/clock');
		clocks.set(node, systemClock);
	});
	jest.dontMock('n8n-workflow');
	return node as TransactionTrigger;
}

export interface TriggerOptions {
	parameters?: INodeParameters;
	credential: Credential;
	/** By default a new one: credentials with one id share a request gate. */
	credentialId?: string;
	/** By default a new one. */
	workflowId?: string;
	/** The time limit of n8n's scheduler for one poll, in milliseconds; if set, the scheduler makes every poll. */
	budgetMs?: number;
	/** The workflow's static data at the start. */
	staticData?: IDataObject;
	nodeId?: string;
	nodeName?: string;
	timezone?: string;
	/** Whether n8n gives each poll a snapshot of the state and stores it together with the execution. */
	durable?: boolean;
	/** The node of the process that polls; this one's unless given. */
	nodeType?: TransactionTrigger;
	/** What becomes of an execution that the trigger starts itself; by default stored and ended at once. */
	storing?: Storing;
}

type Emit = IPollFunctions['__emit'];

/** The default time limit of n8n's scheduler for a poll, in milliseconds. */
const SCHEDULED_BUDGET_MS = 36_000;

let workflowCount = 0;
let credentialCount = 0;

/**
 * A Transaction Trigger in an active workflow: n8n's own poll context and static data, polled by hand. The first poll is
 * that of the workflow's activation; as in n8n, later polls share its context, except those of the scheduler.
 */
export class Trigger {
	private readonly workflow: Workflow;
	private readonly node: INode;
	private readonly options: TriggerOptions & { credentialId: string; workflowId: string };
	/** The node in the process that polls. */
	readonly nodeType: TransactionTrigger;
	readonly log: string[] = [];
	/** What it logs at the level debug. */
	readonly decisions: string[] = [];
	private activation: PollContext | undefined;
	private started: INodeExecutionData[][] | null = null;
	/** See TriggerOptions. */
	storing: Storing;

	constructor(options: TriggerOptions) {
		this.options = {
			credentialId: `trigger-credential-${++credentialCount}`,
			workflowId: `workflow-${++workflowCount}`,
			...options,
		};
		this.nodeType = options.nodeType ?? THIS_PROCESS;
		this.storing = options.storing ?? STORED;
		const nodeTypes: INodeTypes = {
			getByName: () => this.nodeType,
			getByNameAndVersion: () => this.nodeType,
			getKnownTypes: () => ({}),
		};
		this.node = {
			id: options.nodeId ?? 'trigger-under-test',
			name: options.nodeName ?? 'Transactions',
			type: `${PACKAGE}.transactionTrigger`,
			typeVersion: 1,
			position: [0, 0],
			parameters: options.parameters ?? {},
			credentials: nodeCredentials(options.parameters ?? {}, this.options.credentialId),
		};
		this.workflow = new Workflow({
			id: this.options.workflowId,
			nodes: [this.node],
			connections: {},
			active: true,
			nodeTypes,
			staticData: options.staticData ?? {},
			settings: { timezone: options.timezone ?? 'Europe/Berlin' },
		});
		// The workflow fills in the parameters that are left at their defaults.
		this.node = this.workflow.getNode(this.node.name) as INode;
	}

	/** The transactions of one poll; none when it returns null. */
	async poll(): Promise<IDataObject[]> {
		const output = await this.run('trigger');
		if (output !== null && output[0]?.length === 0) throw new Error('a poll without transactions must return null');
		return (output?.[0] ?? []).map(({ json }) => json);
	}

	/** What "Fetch Test Event" shows. */
	async fetchTestEvent(): Promise<IDataObject[]> {
		return ((await this.run('manual'))?.[0] ?? []).map(({ json }) => json);
	}

	/** Polls until a poll returns nothing; the transactions of each poll. */
	async drain(maxPolls = 100): Promise<IDataObject[][]> {
		const polls: IDataObject[][] = [];
		for (;;) {
			if (polls.length > maxPolls) throw new Error(`still bringing transactions after ${maxPolls} polls`);
			const transactions = await this.poll();
			if (transactions.length === 0) return polls;
			polls.push(transactions);
		}
	}

	/** What the trigger keeps, as n8n saves it. */
	get state(): IDataObject {
		return (this.options.durable === true ? this.named : (this.global[STATE_KEY + this.node.id] ?? {})) as IDataObject;
	}

	/** What n8n keeps under the node's name. */
	get named(): IDataObject {
		return (this.staticData[`node:${this.node.name}`] ?? {}) as IDataObject;
	}

	/** What n8n keeps for the whole workflow. */
	get global(): IDataObject {
		return (this.staticData.global ?? {}) as IDataObject;
	}

	get credentialId(): string {
		return this.options.credentialId;
	}

	get staticData(): IDataObject {
		return JSON.parse(JSON.stringify(this.workflow.staticData)) as IDataObject;
	}

	/** The same workflow in another process, with the saved state. */
	restarted(changes: Partial<TriggerOptions> = {}): Trigger {
		return this.reloaded({ nodeType: nodeOfAnotherProcess(), ...changes });
	}

	/** The same workflow, loaded again by the same process as on publishing, with the saved state. */
	reloaded(changes: Partial<TriggerOptions> = {}): Trigger {
		return new Trigger({ ...this.options, staticData: this.staticData, ...changes });
	}

	private async run(mode: WorkflowExecuteMode): Promise<INodeExecutionData[][] | null> {
		const context = this.contextOf(mode);
		if ((context as Partial<PollContext>).getPollBudgetMs === undefined && this.options.budgetMs !== undefined) {
			throw new Error('this n8n tells no poll how long it may take');
		}
		this.started = null;
		const returned = await this.nodeType.poll.call(context as IPollFunctions);
		if (returned !== null && this.started !== null)
			throw new Error('a poll must not start an execution and return one');
		const output = returned ?? this.started;
		if (this.options.durable === true) Object.assign(this.watched(), context.getWorkflowStaticData('node'));
		return output;
	}

	private contextOf(mode: WorkflowExecuteMode): PollContext {
		const { budgetMs, durable = false } = this.options;
		if (mode === 'manual') return this.newContext(mode, 'manual');
		if (budgetMs !== undefined || (durable && this.activation !== undefined))
			return this.newContext(mode, 'update', budgetMs ?? SCHEDULED_BUDGET_MS);
		this.activation ??= this.newContext(mode, 'activate');
		return this.activation;
	}

	private newContext(mode: WorkflowExecuteMode, activation: WorkflowActivateMode, budgetMs?: number): PollContext {
		const { credential, durable = false } = this.options;
		const snapshot = this.named;
		const emit: Emit = (data, _response, done) => {
			this.started = data;
			// An activation would wait for what n8n does not report.
			if (this.storing === SILENT) this.stopWaiting();
			if (done !== undefined) this.storing(done);
		};
		const context = new PollContext(
			this.workflow,
			this.node,
			additionalDataFor(credential, this.workflow.id, 'poll'),
			mode,
			activation,
			emit,
			undefined,
			undefined,
			undefined,
			durable ? () => snapshot : () => this.watched(),
			budgetMs === undefined ? undefined : () => budgetMs,
		);
		const note = (message: string) => this.log.push(message);
		const debug = (message: string) => this.decisions.push(message);
		Object.defineProperty(context, 'logger', { value: { info: note, warn: note, debug, level: 'debug' } });
		return context;
	}

	private stopWaiting(): void {
		jest.spyOn(clocks.get(this.nodeType) as Clock, 'wait').mockResolvedValueOnce();
	}

	private watched(): IDataObject {
		return this.workflow.getStaticData('node', this.node);
	}
}
