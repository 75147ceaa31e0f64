import type { PollContext } from 'n8n-core';
import type {
	IDataObject,
	INode,
	INodeExecutionData,
	INodeType,
	IPollFunctions,
	IWorkflowExecuteAdditionalData,
	Workflow,
	WorkflowActivateMode,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { PACKAGE } from '../lib/repository.ts';

/** n8n's own classes, which jest and Node load in different ways. */
interface PollClasses {
	PollContext: typeof PollContext;
	Workflow: typeof Workflow;
}

type Emit = IPollFunctions['__emit'];

export interface PolledOptions {
	nodeType: INodeType;
	node: Pick<INode, 'id' | 'name' | 'parameters' | 'credentials'>;
	workflowId: string;
	/** The workflow's static data at the start; none unless given. */
	staticData?: IDataObject;
	timezone?: string;
	/** Whether n8n gives each poll a snapshot of the state and stores it together with the execution. */
	durable?: boolean;
	/** The time limit of n8n's scheduler for one poll, in milliseconds; if set, the scheduler makes every poll. */
	budgetMs?: number;
	additionalData: IWorkflowExecuteAdditionalData;
	/** Is called when the node starts an execution itself, with what n8n reports its end to. */
	started(done: Parameters<Emit>[2]): void;
	log(message: string): void;
	/** Takes what is logged at the level debug; without it the level is info. */
	debug?(message: string): void;
}

/** The default time limit of n8n 2.41's scheduler for a poll; others have the 300 s that the context names. */
export const SCHEDULED_BUDGET_MS = 36_000;

/**
 * A polling node in an active workflow: n8n's own poll context and static data, polled by hand. The first poll is that of the
 * workflow's activation; as in n8n, later polls share its context, except those of the scheduler.
 */
export class PolledNode {
	/** The node, with the parameters that are left at their defaults. */
	readonly node: INode;
	private readonly workflow: Workflow;
	private readonly classes: PollClasses;
	private readonly options: PolledOptions;
	private activation: PollContext | undefined;
	private output: INodeExecutionData[][] | null = null;

	constructor(classes: PollClasses, options: PolledOptions) {
		this.classes = classes;
		this.options = options;
		const { nodeType, node, workflowId, staticData = {}, timezone = 'Europe/Berlin' } = options;
		this.workflow = new classes.Workflow({
			id: workflowId,
			nodes: [{ ...node, type: `${PACKAGE.name}.${nodeType.description.name}`, typeVersion: 1, position: [0, 0] }],
			connections: {},
			active: true,
			nodeTypes: { getByName: () => nodeType, getByNameAndVersion: () => nodeType, getKnownTypes: () => ({}) },
			staticData,
			settings: { timezone },
		});
		this.node = this.workflow.getNode(node.name) as INode;
	}

	/** Returns the items of the execution that one poll starts; null when it starts none. */
	async poll(mode: WorkflowExecuteMode = 'trigger'): Promise<INodeExecutionData[][] | null> {
		const { nodeType, budgetMs, durable = false } = this.options;
		const context = this.contextOf(mode);
		if ((context as Partial<PollContext>).getPollBudgetMs === undefined && budgetMs !== undefined) {
			throw new Error('this n8n tells no poll how long it may take');
		}
		this.output = null;
		const returned = (await nodeType.poll?.call(context)) ?? null;
		if (returned !== null && this.output !== null) throw new Error('a poll must not start an execution and return one');
		if (durable) Object.assign(this.watched(), context.getWorkflowStaticData('node'));
		return returned ?? this.output;
	}

	/** A copy of what n8n saves of the workflow. */
	get staticData(): IDataObject {
		return copyOf(this.workflow.staticData);
	}

	/** A copy of what n8n keeps under the node's name. */
	get named(): IDataObject {
		return copyOf((this.workflow.staticData[`node:${this.node.name}`] ?? {}) as IDataObject);
	}

	private contextOf(mode: WorkflowExecuteMode): PollContext {
		const { budgetMs, durable = false } = this.options;
		if (mode === 'manual') return this.newContext(mode, 'manual');
		if (budgetMs !== undefined || (durable && this.activation !== undefined)) {
			return this.newContext(mode, 'update', budgetMs ?? SCHEDULED_BUDGET_MS);
		}
		this.activation ??= this.newContext(mode, 'activate');
		return this.activation;
	}

	private newContext(mode: WorkflowExecuteMode, activation: WorkflowActivateMode, budgetMs?: number): PollContext {
		const { additionalData, durable = false, started, log, debug } = this.options;
		const emit: Emit = (data, _response, done) => {
			this.output = data;
			started(done);
		};
		const snapshot = durable ? this.named : undefined;
		const context = new this.classes.PollContext(
			this.workflow,
			this.node,
			additionalData,
			mode,
			activation,
			emit,
			undefined,
			undefined,
			undefined,
			() => snapshot ?? this.watched(),
			budgetMs === undefined ? undefined : () => budgetMs,
		);
		const level = debug === undefined ? 'info' : 'debug';
		Object.defineProperty(context, 'logger', { value: { info: log, warn: log, debug, level } });
		return context;
	}

	private watched(): IDataObject {
		return this.workflow.getStaticData('node', this.node);
	}
}

function copyOf(data: IDataObject): IDataObject {
	return JSON.parse(JSON.stringify(data)) as IDataObject;
}
