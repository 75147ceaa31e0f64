// The built Transaction Trigger in n8n's poll context, for benchmarks in their own process.
import type {
	IDataObject,
	INode,
	INodeExecutionData,
	IPollFunctions,
	Workflow,
	WorkflowActivateMode,
} from 'n8n-workflow';
import { additionalDataWith, builtNode, core, n8n } from './engine.ts';

export interface TriggerOptions {
	credential: { baseUrl: string; apiKey: string };
	parameters: IDataObject;
	/** Whether n8n gives each poll a snapshot of the state, and stores it together with the execution. */
	durable?: boolean;
	/** Is called with each request that n8n authenticates. */
	requested?: () => void;
	/** What n8n has saved of the workflow, as JSON: the trigger then polls on schedule, without an activation. */
	saved?: string;
}

// The time limit of n8n 2.41's scheduler for a poll; the others have the 300 s that the context names.
const SCHEDULED_BUDGET_MS = 36_000;

const ignore = () => undefined;
const silent = { info: ignore, warn: ignore, debug: ignore };

const nodeType = builtNode('TransactionTrigger');

let loaded = 0;

/** An active trigger. n8n stores each execution at once. */
export class BenchTrigger {
	private readonly workflow: Workflow;
	private readonly node: INode;
	private readonly options: TriggerOptions;
	private activation: IPollFunctions | undefined;
	private snapshot: IDataObject = {};
	private started: INodeExecutionData[][] | null = null;

	constructor(options: TriggerOptions) {
		this.options = options;
		const node: INode = {
			id: 'trigger',
			name: 'Transactions',
			type: 'n8n-nodes-lead-revenue.transactionTrigger',
			typeVersion: 1,
			position: [0, 0],
			parameters: options.parameters as INode['parameters'],
			credentials: { leadRevenueApi: { id: 'bench', name: 'Bench' } },
		};
		this.workflow = new n8n.Workflow({
			// A new one each time: a trigger rejects a state older than its last emission.
			id: `bench-${++loaded}`,
			nodes: [node],
			connections: {},
			active: true,
			nodeTypes: { getByName: () => nodeType, getByNameAndVersion: () => nodeType, getKnownTypes: () => ({}) },
			staticData: JSON.parse(options.saved ?? '{}') as IDataObject,
		});
		this.node = this.workflow.getNode(node.name) as INode;
	}

	/** One poll; returns the items of the execution that it starts. */
	async poll(): Promise<INodeExecutionData[]> {
		this.started = null;
		const named = JSON.parse(JSON.stringify(this.snapshot)) as IDataObject;
		const returned = await nodeType.poll?.call(this.functions(named));
		this.snapshot = named;
		return (returned ?? this.started)?.[0] ?? [];
	}

	/** What the trigger keeps. */
	get state(): IDataObject {
		if (this.options.durable) return this.snapshot;
		return Object.values((this.workflow.staticData.global ?? {}) as IDataObject)[0] as IDataObject;
	}

	/** What n8n saves of the workflow, with some of the state replaced. */
	saved(over: IDataObject): string {
		const [key] = Object.keys((this.workflow.staticData.global ?? {}) as IDataObject) as [string];
		return JSON.stringify({ global: { [key]: { ...this.state, ...over } } });
	}

	/** By default n8n polls with the functions of the activation. Its scheduler creates new ones for each poll. */
	private functions(named: IDataObject): IPollFunctions {
		const { durable = false, saved } = this.options;
		const isActivated = this.activation !== undefined || saved !== undefined;
		if (durable || saved !== undefined) {
			const functions = this.newContext(isActivated ? 'update' : 'activate', durable ? () => named : undefined);
			this.activation ??= functions;
			return functions;
		}
		return (this.activation ??= this.newContext('activate'));
	}

	private newContext(activation: WorkflowActivateMode, snapshot?: () => IDataObject): IPollFunctions {
		const context = new core.PollContext(
			this.workflow,
			this.node,
			additionalDataWith(this.options.credential, this.options.requested),
			'trigger',
			activation,
			(data, _response, done) => {
				this.started = data;
				done?.resolve(undefined as never);
			},
			undefined,
			undefined,
			undefined,
			snapshot,
			activation === 'activate' ? undefined : () => SCHEDULED_BUDGET_MS,
		);
		Object.defineProperty(context, 'logger', { value: silent });
		return context;
	}
}
