import type { IDataObject, IHttpRequestOptions, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { NodeApiError, ObservableObject } from 'n8n-workflow';
import type { poll } from '../../../nodes/shared/trigger/poll.ts';
import { transactions } from '../../../nodes/TransactionTrigger/transactions.ts';
import type { Surroundings } from '../moduleLoader.ts';
import { randomFrom } from '../random.ts';
import { SECOND } from '../serviceModel.ts';
import { NEVER, VirtualTime } from '../time.ts';
import { Process } from '../writes/process.ts';
import type { Account, Arrival } from './account.ts';
import type { Schedule, Trouble } from './schedule.ts';
import { CALM } from './schedule.ts';

/** The code of the triggers as one process of n8n has it loaded. */
export interface Poller {
	poll: typeof poll;
}

/** An object that n8n watches for changes. */
type StaticData = NonNullable<Parameters<typeof ObservableObject.create>[1]>;

/** A trigger that n8n has loaded. Those that it loaded together share its copy of the workflow's static data. */
interface Loaded {
	readonly copy: StaticData;
	/** n8n keeps those of the activation, unless its scheduler polls. */
	functions?: IPollFunctions;
	isActive: boolean;
	/** What goes wrong in the latest poll; each request takes one of the faults. */
	trouble: Trouble;
	/** When the latest poll opened its state. */
	polledAt: number;
}

export interface TriggerNode {
	readonly id: string;
	name: string;
	readonly parameters: IDataObject & { options: IDataObject };
	loaded?: Loaded;
	/** The poll that started it. This and the next three are gone again if n8n did not store the start, and ended. */
	start?: { from: number; to: number };
	/** When its first poll began, and whether the time was known then. */
	begunAt?: number;
	isTimed?: boolean;
	/** Whether any poll has had a response. */
	hasResponse?: boolean;
	isSaved: boolean;
}

/** How long n8n may take to store something, or to fail. */
const LONGEST_WRITE_MS = 20 * SECOND;

type Done = { resolve(value: undefined): void; reject(reason: Error): void };

/** n8n's polling triggers, its database, and the process that polls. */
export class N8n {
	readonly time = new VirtualTime();
	readonly random = randomFrom(1);
	readonly nodes: TriggerNode[] = [];
	isLocked = false;
	isPublished = true;
	isDurable: boolean;
	private process: Process<Poller> | undefined;
	/** The workflow's static data, and which emissions it knows (see Account). */
	private saved = { data: '{}', known: new Map<string, number>() };
	private readonly cursors = new Map<string, string>();

	constructor(
		readonly load: (surroundings: Surroundings) => Poller,
		private readonly saving: Schedule['saving'],
		private readonly account: Account,
		private readonly respond: (options: IHttpRequestOptions) => object,
	) {
		this.isDurable = saving === 'durable cursors';
	}

	/** The process dies, and another one begins. */
	async restart(downMs: number, trouble: Trouble): Promise<void> {
		if (this.process?.isAlive === false) return;
		this.process?.kill();
		for (const one of this.account.arrivals) one.endedAt = Math.min(one.endedAt, this.time.now);
		for (const node of this.nodes) Reflect.deleteProperty(node, 'loaded');
		await this.time.wait(downMs);
		if (this.process !== undefined) {
			this.account.restart(this.saved.known, this.cursors, this.clocks());
			this.isDurable ||= this.saving === 'durable cursors later';
		}
		for (const node of this.nodes.filter(({ isSaved }) => !isSaved)) {
			for (const fact of ['start', 'begunAt', 'isTimed', 'hasResponse']) Reflect.deleteProperty(node, fact);
		}
		// n8n has only the time of the activation, which was wrong.
		const isLate = (node: TriggerNode) => node.isTimed === false && typeof this.savedOf(node)?.activatedAt === 'number';
		for (const node of this.nodes.filter(isLate)) Reflect.deleteProperty(node, 'start');
		this.process = new Process(this);
		// Its module state begins now.
		void this.process.nodes;
		if (this.isPublished) await this.publish(this.nodes, trouble);
	}

	/** The state of a trigger, as n8n has it. */
	private savedOf({ id }: TriggerNode): IDataObject | undefined {
		const { global = {} } = JSON.parse(this.saved.data) as { global?: Record<string, IDataObject> };
		const cursor = this.cursors.get(id);
		return cursor === undefined ? global[transactions.stateKeyPrefix + id] : (JSON.parse(cursor) as IDataObject);
	}

	/** The workflow's polls end, except one under way. */
	unpublish(): void {
		this.isPublished = false;
		for (const { loaded } of this.nodes) if (loaded) loaded.isActive = false;
	}

	/** The machine sleeps, or the process is stopped. */
	sleep(ms: number, isStopped: boolean): void {
		this.time.sleep(ms, isStopped);
		// Without a response only the clocks say when a trigger started, and the monotonic one stood still.
		for (const node of this.nodes) {
			if (!isStopped && node.hasResponse !== true && node.start !== undefined) node.start.to = this.time.now;
		}
	}

	/** Loads some triggers, and polls with each. */
	async publish(nodes: readonly TriggerNode[], trouble: Trouble): Promise<void> {
		const saved = JSON.parse(this.saved.data) as IDataObject;
		const copy = ObservableObject.create(saved, undefined, { ignoreEmptyOnFirstChild: true }) as StaticData;
		const { process } = this;
		this.isPublished = true;
		if (process?.isAlive !== true) return;
		const all = nodes.map((node) => {
			const loaded: Loaded = { copy, isActive: false, trouble, polledAt: 0 };
			return { node: Object.assign(node, { loaded }), loaded };
		});
		for (const { node, loaded } of all) {
			await this.pollWith(process, node, loaded, { ...trouble, hangs: false }, true);
			if (!process.isAlive) return;
			if (!this.isDurable) this.save(copy);
			loaded.isActive = true;
		}
	}

	/** A poll on schedule. */
	async poll(node: TriggerNode, trouble: Trouble): Promise<void> {
		const { process } = this;
		const { loaded } = node;
		if (process?.isAlive === true && loaded?.isActive === true) {
			await this.pollWith(process, node, loaded, trouble, false);
		}
	}

	private async pollWith(
		process: Process<Poller>,
		node: TriggerNode,
		loaded: Loaded,
		trouble: Trouble,
		isActivation: boolean,
	): Promise<void> {
		loaded.trouble = { ...trouble, faults: [...trouble.faults] };
		const { now: from, ahead } = this.time;
		const ofNode = (loaded.copy[`node:${node.name}`] ?? {}) as IDataObject;
		const before = this.cursors.get(node.id) ?? JSON.stringify(ofNode);
		const snapshot = this.isDurable ? (JSON.parse(before) as IDataObject) : undefined;
		const kept = isActivation || this.isDurable ? undefined : loaded.functions;
		const functions = (loaded.functions = kept ?? this.functions(process, node, loaded, { isActivation, snapshot }));
		const work = process.nodes.poll(functions, transactions).catch((error: unknown) => {
			if (isActivation) throw new Error('switched off by a failure that passes', { cause: error });
			if (!(error instanceof NodeApiError)) throw error;
		});
		const output = await Promise.race([work, process.died]);
		if (!process.isAlive) return;
		const state = snapshot ?? (loaded.copy.global as IDataObject)[transactions.stateKeyPrefix + node.id];
		// Without a response only n8n's clock says when the trigger starts.
		if (Object.keys(state ?? {}).length > 0) {
			node.begunAt ??= from;
			node.isTimed ??= node.hasResponse === true || Math.max(ahead, this.time.ahead) <= 0;
			if (node.isTimed || (node.hasResponse && !trouble.faults.some((one) => one !== 'none'))) {
				node.start ??= { from: node.begunAt, to: this.time.now };
			}
		}
		if (snapshot === undefined || output === undefined) return;
		if (Array.isArray(output)) return await this.commit(process, node, output, snapshot, { ...trouble, from });
		// n8n drops the state of an activation that emits nothing (measured on 2.41.1).
		const drops = isActivation || !this.isPublished;
		if (!drops && JSON.stringify(snapshot) !== before) this.saveCursor(node, snapshot);
	}

	/** Stores the state and the execution of a poll under durable cursors, or neither. */
	private async commit(
		process: Process<Poller>,
		node: TriggerNode,
		items: INodeExecutionData[][],
		snapshot: IDataObject,
		{ fate, afterMs, from }: Trouble & { from: number },
	): Promise<void> {
		await Promise.race([this.time.wait(Math.min(afterMs, LONGEST_WRITE_MS)), process.died]);
		if (!process.isAlive || fate === 'not stored' || !this.isPublished) return;
		if (fate === 'n8n dies') return await this.restart(SECOND, CALM);
		if (this.saveCursor(node, snapshot)) this.store(node, idsOf(items), from);
	}

	/** The real time, and n8n's. */
	private clocks(): number[] {
		return [this.time.now, this.time.now + this.time.ahead];
	}

	private saveCursor(node: TriggerNode, snapshot: IDataObject): boolean {
		if (this.isLocked) return false;
		this.cursors.set(node.id, JSON.stringify(snapshot));
		return (node.isSaved = true);
	}

	private save(copy: StaticData): void {
		if (this.isLocked || copy.__dataChanged !== true) return;
		this.put({ data: JSON.stringify(copy), known: new Map(this.account.known) });
		copy.__dataChanged = false;
	}

	private put(saved: N8n['saved'], isOlder = false): void {
		this.saved = saved;
		for (const node of this.nodes) {
			// A copy that lacks a state which n8n had must not be saved, except an older one.
			const isIn = saved.data.includes(transactions.stateKeyPrefix + node.id);
			node.isSaved = isIn || (node.isSaved && !isOlder);
		}
	}

	private store({ id: node }: TriggerNode, ids: string[], polledAt: number): Arrival[] {
		const at = this.time.now;
		const arrived = ids.map((id) => ({ node, id, polledAt, at, endedAt: Infinity }));
		this.account.arrivals.push(...arrived);
		return arrived;
	}

	/** Without durable cursors n8n saves the state first, and stores the execution afterwards. */
	private emit(process: Process<Poller>, node: TriggerNode, loaded: Loaded, ids: string[], done: Done): void {
		const { time, account } = this;
		const { fate, afterMs } = loaded.trouble;
		account.noteEmitted(node.id, loaded.polledAt, this.clocks());
		this.save(loaded.copy);
		const later = (ms: number, what: () => void) => time.after(ms, () => process.isAlive && what());
		// n8n 2.x has no published version to run; n8n 1.x runs the one that the poll began with.
		const cannotRun = !this.isPublished && this.saving !== 'n8n 1.x';
		if (this.isLocked || cannotRun || fate === 'not stored' || fate === 'n8n dies') {
			account.noteNotStored(node.id, ids, this.clocks());
			if (fate === 'n8n dies') void this.restart(SECOND, CALM);
			else if (this.saving !== 'n8n 1.x') {
				later(Math.min(afterMs, LONGEST_WRITE_MS), () => done.reject(new Error('SQLITE_BUSY')));
			}
			return;
		}
		const arrived = this.store(node, ids, loaded.polledAt);
		const { saved } = this;
		later(afterMs, () => {
			const own = fate === 'drops static data' ? { data: '{}', known: new Map<string, number>() } : saved;
			if (fate.endsWith('static data') && !this.isLocked) this.put(own, true);
			for (const one of arrived) one.endedAt = time.now;
			done.resolve(undefined);
		});
	}

	private async request(
		process: Process<Poller>,
		node: TriggerNode,
		loaded: Loaded,
		options: IHttpRequestOptions,
	): Promise<object> {
		const { trouble } = loaded;
		await process.outlives(this.time.wait(trouble.slow));
		const fault = trouble.faults.shift();
		if (fault === 'reset') throw Object.assign(new Error('ECONNRESET'), { isAxiosError: true, code: 'ECONNRESET' });
		if (fault === 'outage') return { statusCode: 503, headers: {}, body: '{}' };
		const response = this.respond(options);
		await process.outlives(this.time.wait(trouble.slow));
		node.hasResponse = true;
		return response;
	}

	/** Returns n8n's functions for polls, from which the nodes also tell the versions of n8n and its ways of saving apart. */
	private functions(
		process: Process<Poller>,
		node: TriggerNode,
		loaded: Loaded,
		{ isActivation, snapshot }: { isActivation: boolean; snapshot: IDataObject | undefined },
	): IPollFunctions {
		const { id, name } = node;
		const parameters = structuredClone(node.parameters);
		const credentials = { leadRevenueApi: { id: 'key', name: 'Key' } };
		const credential = { baseUrl: 'https://api.example.com', apiKey: 'sk_live_secret' };
		const staticData = (type: string) => {
			if (type === 'global') loaded.polledAt = this.time.now;
			return (loaded.copy[type === 'global' ? type : `node:${name}`] ??= ObservableObject.create({}, loaded.copy));
		};
		const ofTwo = {
			getPollBudgetMs: () => (this.isDurable && !isActivation ? 36_000 : 300_000),
			__commitCursor: async () => {
				await process.restIfDead();
				if (snapshot !== undefined && !this.saveCursor(node, snapshot)) throw new Error('SQLITE_BUSY');
			},
		};
		const functions = {
			...(this.saving === 'n8n 1.x' ? {} : ofTwo),
			getNode: () => ({ id, name, type: 'transactionTrigger', parameters, credentials }),
			getNodeParameter: (path: string, fallback: unknown) =>
				path.split('.').reduce<unknown>((from, part) => (from as IDataObject | undefined)?.[part], parameters) ??
				fallback,
			getTimezone: () => 'UTC',
			getCredentials: async () => (loaded.trouble.hangs ? await NEVER : credential),
			getMode: () => 'trigger',
			getActivationMode: () => (this.isDurable && !isActivation ? 'update' : 'activate'),
			getWorkflow: () => ({ id: 'workflow' }),
			getWorkflowStaticData: (type: string) => (type === 'node' && snapshot) || staticData(type),
			logger: { level: 'info', info() {}, warn() {}, debug() {} },
			helpers: {
				httpRequestWithAuthentication: async (_type: string, options: IHttpRequestOptions) =>
					await this.request(process, node, loaded, options),
			},
			__emit: (items: INodeExecutionData[][], _response: unknown, done: Done) => {
				if (process.isAlive) this.emit(process, node, loaded, idsOf(items), done);
			},
		};
		return functions as unknown as IPollFunctions;
	}
}

function idsOf([items = []]: INodeExecutionData[][]): string[] {
	return items.map(({ json }) => String(json.id));
}
