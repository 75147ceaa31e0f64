// The built Transaction Trigger in n8n's poll context, for benchmarks in their own process.
import type { IDataObject, INode, INodeExecutionData } from 'n8n-workflow';
import { PolledNode, SCHEDULED_BUDGET_MS } from '../scripts/n8n/polledNode.ts';
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

const nodeType = builtNode('TransactionTrigger');
const classes = { PollContext: core.PollContext, Workflow: n8n.Workflow };

let loaded = 0;

/** An active trigger. n8n stores each execution at once. */
export class BenchTrigger {
	private readonly polled: PolledNode;
	private readonly durable: boolean;

	constructor({ credential, parameters, durable = false, requested, saved }: TriggerOptions) {
		this.durable = durable;
		this.polled = new PolledNode(classes, {
			nodeType,
			node: {
				id: 'trigger',
				name: 'Transactions',
				parameters: parameters as INode['parameters'],
				credentials: { leadRevenueApi: { id: 'bench', name: 'Bench' } },
			},
			// A new one each time: a trigger rejects a state older than its last emission.
			workflowId: `bench-${++loaded}`,
			staticData: JSON.parse(saved ?? '{}') as IDataObject,
			durable,
			...(saved !== undefined && { budgetMs: SCHEDULED_BUDGET_MS }),
			additionalData: additionalDataWith(credential, requested),
			started: (done) => done?.resolve(undefined as never),
			log: () => undefined,
		});
	}

	/** Polls once. Returns the items of the execution that it starts. */
	async poll(): Promise<INodeExecutionData[]> {
		return (await this.polled.poll())?.[0] ?? [];
	}

	get state(): IDataObject {
		return this.durable ? this.polled.named : this.kept[1];
	}

	/** Returns what n8n saves of the workflow, with some of the state replaced. */
	saved(over: IDataObject): string {
		const [key, state] = this.kept;
		return JSON.stringify({ global: { [key]: { ...state, ...over } } });
	}

	private get kept(): [key: string, state: IDataObject] {
		return Object.entries(this.polled.staticData.global ?? {})[0] as [string, IDataObject];
	}
}
