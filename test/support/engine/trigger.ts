import { PollContext } from 'n8n-core';
import type { IDataObject, INodeParameters, INodeType } from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';
import type { Clock } from '../../../nodes/shared/service/clock.ts';
import { systemClock } from '../../../nodes/shared/service/clock.ts';
import type { OrganizationOptions } from '../../../sandbox/src/client.ts';
import type { PolledOptions } from '../../../scripts/n8n/polledNode.ts';
import { PolledNode } from '../../../scripts/n8n/polledNode.ts';
import type { Storing } from '../scripted/storing.ts';
import { SILENT, STORED } from '../scripted/storing.ts';
import type { TestOrganization } from '../service.ts';
import { organization } from '../service.ts';
import type { Watched } from '../watched.ts';
import { TRANSACTIONS, WATCHED } from '../watched.ts';
import { additionalDataFor, nodeCredentials } from './n8nParts.ts';
import type { Credential } from './runNode.ts';

import 'reflect-metadata';

/** The clock of each process. */
const clocks = new WeakMap<INodeType, Clock>(WATCHED.map(({ nodeType }) => [nodeType, systemClock]));

/** Returns the node as another process loads it: with its own modules, except n8n's. */
function nodeOfAnotherProcess({ file, className }: Watched): INodeType {
	const n8nWorkflow: unknown = jest.requireActual('n8n-workflow');
	let node: INodeType | undefined;
	jest.isolateModules(() => {
		jest.doMock('n8n-workflow', () => n8nWorkflow);
		const loaded = jest.requireActual<Record<string, new () => INodeType>>(`../../../nodes/${file}`);
		node = new (loaded[className] as new () => INodeType)();
		const { systemClock } = jest.requireActual<{ systemClock: Clock }>('../../../nodes/shared/service/clock');
		clocks.set(node, systemClock);
	});
	jest.dontMock('n8n-workflow');
	return node as INodeType;
}

/** What a trigger is polled with. What is left out is as in a new workflow. */
export interface TriggerOptions extends Pick<PolledOptions, 'staticData' | 'timezone' | 'durable' | 'budgetMs'> {
	parameters?: INodeParameters;
	credential: Credential;
	/** By default a new one: credentials with one id share lanes. */
	credentialId?: string;
	/** By default a new one. */
	workflowId?: string;
	nodeId?: string;
	nodeName?: string;
	/** Which trigger; the Transaction Trigger unless given. */
	watched?: Watched;
	/** The node of the process that polls; this one's unless given. */
	nodeType?: INodeType;
	/** What becomes of an execution that the trigger starts itself; by default stored and ended at once. */
	storing?: Storing;
}

/** Parameters with which all records arrive. */
export const ALL_RECORDS = { startFrom: 'date', startDate: '2000-01-01' };

let workflowCount = 0;
let credentialCount = 0;

/** A trigger in an active workflow, polled by hand. */
export class Trigger {
	private readonly polled: PolledNode;
	private readonly watched: Watched;
	private readonly options: TriggerOptions & { credentialId: string; workflowId: string };
	/** The node in the process that polls. */
	readonly nodeType: INodeType;
	readonly log: string[] = [];
	/** What it logs at the level debug. */
	readonly decisions: string[] = [];
	/** See TriggerOptions. */
	storing: Storing;

	constructor(options: TriggerOptions) {
		this.watched = options.watched ?? TRANSACTIONS;
		this.options = {
			credentialId: `trigger-credential-${++credentialCount}`,
			workflowId: `workflow-${++workflowCount}`,
			...options,
		};
		const { workflowId, credentialId, parameters = {} } = this.options;
		this.nodeType = options.nodeType ?? this.watched.nodeType;
		this.storing = options.storing ?? STORED;
		const classes = { PollContext, Workflow };
		this.polled = new PolledNode(classes, {
			...this.options,
			nodeType: this.nodeType,
			node: {
				id: options.nodeId ?? 'trigger-under-test',
				name: options.nodeName ?? 'Transactions',
				parameters,
				credentials: nodeCredentials(parameters, credentialId),
			},
			additionalData: additionalDataFor(options.credential, workflowId, 'poll'),
			started: (done) => {
				// An activation would wait for what n8n does not report.
				if (this.storing === SILENT) this.stopWaiting();
				if (done !== undefined) this.storing(done);
			},
			log: (message) => this.log.push(message),
			debug: (message) => this.decisions.push(message),
		});
	}

	/** Returns the records of one poll; none when it returns null. */
	async poll(): Promise<IDataObject[]> {
		const output = await this.polled.poll();
		if (output !== null && output[0]?.length === 0) throw new Error('a poll without records must return null');
		return (output?.[0] ?? []).map(({ json }) => json);
	}

	/** Returns what "Fetch Test Event" shows. */
	async fetchTestEvent(): Promise<IDataObject[]> {
		return ((await this.polled.poll('manual'))?.[0] ?? []).map(({ json }) => json);
	}

	/** Polls until a poll returns nothing; the records of each poll. */
	async drain(maxPolls = 100): Promise<IDataObject[][]> {
		const polls: IDataObject[][] = [];
		for (;;) {
			if (polls.length > maxPolls) throw new Error(`still bringing records after ${maxPolls} polls`);
			const records = await this.poll();
			if (records.length === 0) return polls;
			polls.push(records);
		}
	}

	/** What the trigger keeps, as n8n saves it. */
	get state(): IDataObject {
		return (
			this.options.durable === true
				? this.named
				: (this.global[this.watched.source.stateKeyPrefix + this.polled.node.id] ?? {})
		) as IDataObject;
	}

	/** What n8n keeps under the node's name. */
	get named(): IDataObject {
		return this.polled.named;
	}

	/** What n8n keeps for the whole workflow. */
	get global(): IDataObject {
		return (this.staticData.global ?? {}) as IDataObject;
	}

	get credentialId(): string {
		return this.options.credentialId;
	}

	get staticData(): IDataObject {
		return this.polled.staticData;
	}

	/** Returns the same workflow in another process, with the saved state. */
	restarted(changes: Partial<TriggerOptions> = {}): Trigger {
		return this.reloaded({ nodeType: nodeOfAnotherProcess(this.watched), ...changes });
	}

	/** Returns the same workflow, loaded again by the same process as on publishing, with the saved state. */
	reloaded(changes: Partial<TriggerOptions> = {}): Trigger {
		return new Trigger({ ...this.options, staticData: this.staticData, ...changes });
	}

	private stopWaiting(): void {
		jest.spyOn(clocks.get(this.nodeType) as Clock, 'wait').mockResolvedValueOnce();
	}
}

/** Returns a trigger that has polled once, and its organization, which is new. */
export async function startedTrigger(
	watched: Watched,
	options: Partial<TriggerOptions> = {},
	records: OrganizationOptions = {},
): Promise<{ org: TestOrganization; trigger: Trigger }> {
	const org = await organization(records);
	const trigger = new Trigger({ watched, ...org, ...options });
	await trigger.poll();
	return { org, trigger };
}

/** Returns the ids of records, sorted. */
export const sortedIds = (records: Array<{ id?: unknown }>) => records.map(({ id }) => id).sort();
