import type {
	IDataObject,
	IHttpRequestOptions,
	INodeExecutionData,
	IPollFunctions,
	WorkflowActivateMode,
} from 'n8n-workflow';
import { poll } from '../../../nodes/shared/trigger/poll.ts';
import { transactions } from '../../../nodes/TransactionTrigger/transactions.ts';
import type { Storing } from './storing.ts';
import { STATE_KEY, STORED } from './storing.ts';
import type { Scripted } from './wire.ts';
import { ScriptedWire } from './wire.ts';

/** The only secret of the trigger's credential. */
export const SECRET = 'sk_live_secret';

export interface ScriptedPollOptions {
	parameters?: IDataObject;
	saved?: IDataObject;
	mode?: 'trigger' | 'manual';
	/** Whether n8n's scheduler makes the polls. Otherwise the first poll is that of the workflow's activation. */
	isScheduled?: boolean;
	/** Why n8n activates the workflow; by default somebody publishes it. */
	activation?: WorkflowActivateMode;
	/** What n8n's durable cursors add; without them n8n watches the state for changes. */
	commitCursor?: () => Promise<void>;
	/** Whether n8n watches the state, as it does without durable cursors. */
	isWatched?: boolean;
	/** What becomes of an execution that the trigger starts itself; by default stored and ended at once. */
	storing?: Storing;
	workflowId?: string | undefined;
	/** By default a new one. */
	credentialId?: string;
	nodeId?: string;
}

// The census requests all changes since then.
const ALL = '1970-01-01T00:00:00.000Z';

const EMPTY = { statusCode: 200, headers: {}, body: '{"data":[],"next_cursor":null}' };

let worlds = 0;

/**
 * n8n as the trigger sees it, with scripted responses of the service. Without Maximum Attempts, a request is sent once. The
 * service tells a trigger that starts from a date its time at once.
 */
export class ScriptedPoll {
	readonly wire: ScriptedWire;
	readonly log: string[] = [];
	/** What it logs at the level debug. */
	readonly details: string[] = [];
	/** Requests and log lines of the census, apart from the others: its list is empty. */
	readonly census = { sent: [] as IHttpRequestOptions[], log: [] as string[] };
	/** What n8n keeps under the node's name, as earlier versions and durable cursors do, and for the whole workflow. */
	readonly named: IDataObject;
	readonly global: IDataObject;
	/** See ScriptedPollOptions. */
	storing: Storing;
	private readonly functions: IPollFunctions;
	private readonly isScheduled: boolean;
	private output: INodeExecutionData[][] | null = null;
	private readonly key: string | undefined;

	constructor(script: Scripted[], options: ScriptedPollOptions = {}) {
		const { mode = 'trigger', isScheduled = false, activation = 'activate', commitCursor, isWatched = false } = options;
		this.isScheduled = isScheduled;
		const own = `scripted-${++worlds}`;
		this.wire = new ScriptedWire(script);
		const isDurable = commitCursor !== undefined && !isWatched;
		this.storing = options.storing ?? STORED;
		const key = STATE_KEY + (options.nodeId ?? 'node');
		this.named = isDurable ? (options.saved ?? {}) : {};
		this.global = isDurable || options.saved === undefined ? {} : { [key]: options.saved };
		this.key = isDurable ? undefined : key;
		if (isWatched) {
			Object.defineProperty(this.named, '__dataChanged', { value: false, writable: true, configurable: true });
		}
		const parameters: IDataObject = { event: 'newTransaction', startFrom: 'now', ...options.parameters };
		parameters.options = { maxAttempts: 1, ...(parameters.options as IDataObject | undefined) };
		const note = (level: string) => (message: string) =>
			(message.includes(': The census') ? this.census.log : this.log).push(`${level}: ${message}`);
		const credentialId = (options.credentialId ?? own).replaceAll(' ', '-');
		this.functions = {
			...this.wire.functions,
			helpers: { httpRequestWithAuthentication: this.request },
			getNode: () => ({
				id: options.nodeId ?? 'node',
				name: 'Transactions',
				type: 't',
				parameters,
				credentials: { leadRevenueApi: { id: credentialId, name: 'C' } },
			}),
			getNodeParameter: (name: string, fallback?: unknown) => parameters[name] ?? fallback,
			getTimezone: () => 'UTC',
			// Each credential has its own address, and with it its own rate limit.
			getCredentials: async () => ({ baseUrl: `https://${credentialId}.example.com`, apiKey: SECRET }),
			getMode: () => mode,
			getActivationMode: () => (isScheduled ? 'update' : activation),
			getPollBudgetMs: () => (isScheduled ? 36_000 : 300_000),
			getWorkflow: () => ({ id: 'workflowId' in options ? options.workflowId : own, name: 'Buyers' }),
			getWorkflowStaticData: (type: string) => (type === 'node' ? this.named : this.global),
			__emit: ((data, _response, done) => {
				this.output = data;
				if (done !== undefined) this.storing(done);
			}) as IPollFunctions['__emit'],
			logger: { info: note('info'), warn: note('warn'), debug: (message: string) => this.details.push(message) },
			...(commitCursor !== undefined && { __commitCursor: commitCursor }),
		} as never;
	}

	private readonly request = async (type: string, options: IHttpRequestOptions): Promise<unknown> => {
		const { startFrom } = this.functions.getNode().parameters;
		const asksForTime = options.qs?.updated_since === undefined && startFrom === 'date';
		if (asksForTime) return EMPTY;
		if (options.qs?.updated_since !== ALL) {
			const { httpRequestWithAuthentication: send } = this.wire.functions.helpers;
			return await send.call(this.functions as never, type, options);
		}
		this.census.sent.push(options);
		return EMPTY;
	};

	get saved(): IDataObject {
		return this.key === undefined ? this.named : ((this.global[this.key] ?? {}) as IDataObject);
	}

	async poll(): Promise<INodeExecutionData[] | undefined> {
		this.output = null;
		// n8n's scheduler makes functions for each poll.
		const functions = this.isScheduled ? { ...this.functions } : this.functions;
		const output = (await poll(functions, transactions)) ?? this.output;
		return output?.[0];
	}

	/** Polls, and returns the ids of what is emitted. */
	async ids(): Promise<unknown[] | undefined> {
		return (await this.poll())?.map(({ json }) => json.id);
	}
}

/** Returns a page of transactions with these ids; the last page unless it has a cursor. */
export function pageOf(ids: readonly number[], nextCursor: string | null = null): Scripted {
	return { body: { data: ids.map((id) => ({ id, amount: 100 })), next_cursor: nextCursor } };
}

export const FROM_DATE = { startFrom: 'date', startDate: '2026-01-01' };

/** A trigger that starts from a date, so that its first poll emits what it finds. */
export function fromDate(script: Scripted[], options: ScriptedPollOptions = {}): ScriptedPoll {
	return new ScriptedPoll(script, { parameters: FROM_DATE, ...options });
}

/** What n8n's durable cursors add. */
export const DURABLE = { commitCursor: async () => {} };
