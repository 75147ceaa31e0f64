import type { IDataObject } from 'n8n-workflow';
import type { AfterRestart, OwnEmission } from '../../nodes/shared/trigger/core/delivery.ts';
import { RECENT_MS, STAYS_RECENT } from '../../nodes/shared/trigger/core/delivery.ts';
import type { EmittedRecord } from '../../nodes/shared/trigger/core/finds.ts';
import type { RecordKind, RevenueRecord } from '../../nodes/shared/trigger/core/memory/fingerprint.ts';
import type { Occasion } from '../../nodes/shared/trigger/core/occasion.ts';
import { begins, occasionOf } from '../../nodes/shared/trigger/core/occasion.ts';
import { READINGS } from '../../nodes/shared/trigger/core/period.ts';
import type { PollSettings, Ports, RecordPage } from '../../nodes/shared/trigger/core/ports.ts';
import type { SavedPosition } from '../../nodes/shared/trigger/core/saved/parts.ts';
import { transactions } from '../../nodes/TransactionTrigger/transactions.ts';
import { fetching, NO_LOG } from '../support/scripted/pages.ts';
import type { Core } from './core.ts';
import type { OpenExecution } from './n8nExecutions.ts';
import { N8nExecutions } from './n8nExecutions.ts';
import type { Action, Change, Death as Dying, Interruption, Schedule } from './schedule.ts';
import { OVERLAP_MS } from './schedule.ts';
import type { Gaps, Listed } from './serviceModel.ts';
import { MINUTE, RejectedCursor, SECOND, ServiceModel } from './serviceModel.ts';

const START = Date.parse('2026-03-01T12:00:00.250Z');
const MAX_SKEW_WITHOUT_DATE = 2 * MINUTE;
const IDENTITY = 'simulated';
const CALM: Interruption = { before: 50, after: 50 };

/** What n8n sees of a poll. */
type Seen = 'success' | 'failure' | 'death';

/** The process is gone: nothing after it counts. */
class Death extends Error {}

/** What the service, n8n and the trigger do under a schedule, on a virtual clock. */
export class World {
	readonly service: ServiceModel;
	/** What reached n8n's executions: record id and version. */
	readonly emitted: Array<{ id: string; version: number; change: string; changedFields?: string[]; at: number }> = [];
	/** How often the end of a process lets a version arrive again, by `id@version`. */
	readonly mayRepeat = new Map<string, number>();
	/** Ids of what a user who chose Never Repeat agreed to lose. */
	readonly mayLose = new Set<string>();
	/** Ids of what n8n may not have received when it was emitted, so that its receiver may know an earlier version. */
	readonly unsure = new Set<string>();
	readonly settings: PollSettings;
	private readonly afterRestart: AfterRestart;
	readonly kind: RecordKind;
	/** Between these the trigger learned what "now" is (the service's clock); `undefined` before its activation. */
	activation: { from: number; to: number; seeded: boolean } | undefined;
	readonly longestLateness: number;
	largestState = 0;
	/** Until when it had read nothing. */
	blankUntil = -Infinity;
	/** When the whole history changes at once. */
	bulkAt = Infinity;
	/** Whether three sweeps in a row, or three readings of the census, read a list that shifted: they may skip the same. */
	mayHaveSkipped = false;
	/** Whether the census said that it could not learn everything. */
	censusEndedEarly = false;
	/** Whether the first poll said that it could not learn the whole overlap. */
	private startEndedEarly = false;
	/** Until when the trigger had yet to learn what existed at its start. */
	learnedAt = -Infinity;

	private time = START;
	/** When the latest poll began. */
	private polledAt = START;
	private readonly skew: number;
	private responses = 0;
	/** How many sweeps and readings of the census in a row have read a list that shifted. */
	private readonly shifted = { sweep: 0, census: 0 };
	/** n8n's static data in memory, and what its database holds. */
	private live: IDataObject = {};
	private saved = '{}';
	/** What n8n's executions received with the state that was saved last. */
	private lastReceived: { records: RevenueRecord[]; at: OwnEmission['emittedAt'] } = { records: [], at: 0 };
	private process = 1;
	private begunAt = START;
	private readonly executions: N8nExecutions;
	/** Ids of what was not stored and has not been emitted again, with the time of their last emission. */
	private readonly owed = new Map<string, { at: number; isNoted: boolean }>();
	/** Ids of what the poll under way redelivers because n8n has told the process that it did not store it. */
	private told = new Set<unknown>();
	private timeIsUp = false;
	/** Whether the process ended in the poll under way, and nothing after that counts, although the core may catch it. */
	private isDead = false;
	private watchesStatus: boolean;
	private readsPerPoll: number;
	private rejectedEvery: number;
	/** What the rate limit has left for the poll under way. */
	private readsLeft = 0;

	constructor(
		private readonly core: Core,
		private readonly gaps: Gaps,
		private readonly schedule: Schedule,
		{ capacity, kind = transactions.kind }: { capacity?: number; kind?: RecordKind } = {},
	) {
		this.kind = kind;
		this.executions = new N8nExecutions(core, kind, () => this.time);
		// Without a Date header to rely on, a local clock ahead by more than the overlap is the documented limit.
		const hasDate = gaps.dateHeader === 'present' && (schedule.hosts?.ahead ?? 0) === 0;
		this.skew = hasDate ? schedule.skew : Math.min(schedule.skew, MAX_SKEW_WITHOUT_DATE);
		this.longestLateness = hasDate ? OVERLAP_MS : OVERLAP_MS - Math.max(0, this.skew);
		this.watchesStatus = schedule.watching === 'the status' || schedule.watching === 'the status at first';
		this.readsPerPoll = schedule.readsPerPoll;
		this.rejectedEvery = schedule.rejectedEvery;
		this.service = new ServiceModel(
			{
				...gaps,
				pageSize: schedule.pageSize,
				cursorLifetime: schedule.cursorLifetime,
				cursors: schedule.cursors,
				pagesOverlap: schedule.pagesOverlap ?? false,
				dated: kind.occurredAt === undefined ? 'due_at' : 'occurred_at',
			},
			() => this.time,
		);
		this.afterRestart = schedule.afterRestart === 'repeat' ? 'recent' : 'never';
		this.settings = {
			keepsContent: schedule.event === 'new or updated',
			fieldsToWatch: [],
			overlapMs: OVERLAP_MS,
			startFrom: schedule.startFrom === 'now' ? 'now' : START + 10 * MINUTE,
			maxRecords: schedule.maxRecords,
			failedFilter: ({ status }) => (!schedule.filtered || status === 'paid' ? undefined : 'Status'),
			...(capacity === undefined ? {} : { capacity }),
		};
	}

	async run(): Promise<void> {
		for (const action of this.schedule.past) await this.act(action);
		await this.activate(this.schedule.activation);
		const { actions, watching = 'any field' } = this.schedule;
		for (const [index, action] of actions.entries()) {
			if (index === Math.floor(actions.length / 2)) this.watchesStatus = /^the status( later)?$/.test(watching);
			await this.act(action);
		}
		await this.settle();
	}

	private async act(action: Action): Promise<void> {
		switch (action.kind) {
			case 'wait':
				this.time += action.ms;
				return;
			case 'create':
			case 'update':
				this.change(action);
				return;
			case 'poll':
				if (this.activation === undefined) await this.activate(action.interruptions);
				else await this.poll(action.interruptions, action.death);
				return;
			case 'restart':
				this.restart();
				return;
			case 'republish':
				this.reload(true);
				await this.activate(action.interruptions);
		}
	}

	private change(change: Change): void {
		if (change.kind === 'update') {
			if (this.schedule.deletes && change.pick % 4 === 0) this.service.remove(change.pick);
			else this.service.update(change.pick, change.status);
			return;
		}
		for (let made = 0; made < change.count; made++) {
			this.service.create({ ...change, lateness: Math.floor(change.late * this.longestLateness) });
		}
	}

	/** Only what was saved is left, and the later state that the process knows. */
	private reload(sameProcess = false): void {
		const { live } = this;
		this.live = JSON.parse(this.saved) as IDataObject;
		const isLater = Number(live.emissions ?? 0) > Number(this.live.emissions ?? 0);
		if (sameProcess && isLater && this.schedule.saving === 'static data') this.live = live;
	}

	/** Another process cannot know whether the last execution was stored. */
	private restart(): void {
		this.process++;
		this.begunAt = this.time + this.skew;
		this.loseNotStored();
		this.reload();
		const { records, at } = this.lastReceived;
		const mayRepeat = this.schedule.saving === 'static data' && this.schedule.afterRestart === 'repeat';
		if (mayRepeat && (at === STAYS_RECENT || this.begunAt - at < RECENT_MS)) this.allowRepeating(records);
	}

	/** Nobody learns any more what was not stored. What is recent is repeated, and what a poll has emitted again. */
	private loseNotStored(): void {
		for (const [id, { at, isNoted }] of this.owed) {
			const isRepeated = isNoted || this.begunAt - at < RECENT_MS;
			if (this.schedule.afterRestart !== 'repeat' || !isRepeated) this.mayLose.add(id);
		}
		this.executions.restart();
	}

	/** Allows these versions to arrive once more, or a later one that n8n has reported as stored before them. */
	private allowRepeating(records: RevenueRecord[]): void {
		this.noteUnsure(records);
		const arrived = records.flatMap(({ id }) => this.emitted.findLast((one) => one.id === id) ?? []);
		const latest = arrived.map(({ id, version }) => `${id}@${version}`);
		for (const version of new Set([...records.map(versionOf), ...latest])) {
			this.mayRepeat.set(version, (this.mayRepeat.get(version) ?? 0) + 1);
		}
	}

	private noteUnsure(records: RevenueRecord[]): void {
		for (const { id } of records) this.unsure.add(id as string);
	}

	/** n8n polls once when a workflow is activated, and saves static data afterwards. */
	private async activate(interruptions: Interruption[]): Promise<void> {
		const first = this.activation === undefined;
		const from = this.time;
		const seen = await this.poll(interruptions, undefined, true);
		if (seen === 'failure') throw new Error('switched off by a failure that passes');
		if (seen === 'death') return;
		if (this.schedule.saving === 'static data') this.saved = JSON.stringify(this.live);
		const seeded = JSON.parse(this.saved).watermark !== null && !this.startEndedEarly;
		if (first) this.activation = { from, to: this.time, seeded };
	}

	/** Lets the trigger finish what the last polls left: no more faults, and time for every late commit. */
	private async settle(): Promise<void> {
		while (this.activation === undefined) await this.activate([]);
		this.time += OVERLAP_MS;
		// While n8n stores nothing, each poll starts where the first one did.
		if (this.rejectedEvery === 1) this.rejectedEvery = 0;
		await this.settleWithinRateLimit();
		this.readsPerPoll = Infinity;
		this.rejectedEvery = 0;
		await this.rest();
		// Finally the whole history changes at once, long after the census.
		this.bulkAt = this.time;
		for (let pick = 0; pick < this.service.kept.length; pick++) this.service.update(pick, 'paid');
		await this.rest();
	}

	/** Polls until nothing is left to be done. */
	private async rest(): Promise<void> {
		for (let idle = 0, polls = 0; idle < 2; polls++) {
			if (polls > 5_000) throw new Error('the trigger does not come to rest');
			this.time += MINUTE;
			const before = this.emitted.length;
			await this.poll([]);
			const isAtRest = this.emitted.length === before && this.isBetweenSweeps();
			idle = isAtRest && !this.isLearning(this.live) && !this.owes() ? idle + 1 : 0;
		}
	}

	/** However little each poll may read: sweeps reach their end, or the trigger reports that they do not. */
	private async settleWithinRateLimit(): Promise<void> {
		const pages = Math.ceil(this.service.kept.length / this.schedule.pageSize);
		for (let vain = 0, polls = 0; vain < 2 || !this.isBetweenSweeps(); vain++, polls++) {
			// Runs without a rate limit find what never comes to rest.
			if (polls > 1_000) return;
			// Each sweep that starts over gets a page further than all before, or is one of five that do not.
			if (vain > 6 * (pages + 3)) throw new Error('the trigger stands still without a word');
			this.time += MINUTE;
			const before = this.emitted.length;
			if ((await this.poll([])) === 'failure') {
				if (this.schedule.cursorLifetime === Infinity) throw new Error('a poll fails that could come on');
				return;
			}
			if (this.emitted.length > before) vain = 0;
		}
	}

	/** Whether the trigger has yet to learn that something was not stored. */
	private owes(): boolean {
		return this.executions.open.some(({ stored }) => !stored);
	}

	private isBetweenSweeps(): boolean {
		return (this.live.sweep ?? null) === null;
	}

	/** Whether a census is under way, or something that it learned and is unconfirmed. */
	private isLearning({ census, memory }: IDataObject): boolean {
		return (census ?? null) !== null || /[~+*!]/.test(String(memory));
	}

	private async poll(interruptions: Interruption[], death?: Dying, activating = false): Promise<Seen> {
		this.polledAt = this.time;
		this.readsLeft = this.readsPerPoll;
		this.isDead = false;
		const durable = this.schedule.saving === 'durable cursors';
		// With durable cursors a poll works on a snapshot, and what is saved is all there is.
		const staged = durable ? (JSON.parse(this.saved) as IDataObject) : this.live;
		let emitted: EmittedRecord[];
		let emission: OwnEmission | undefined;
		let first: boolean;
		this.executions.sayWhatIsStored();
		const { watermark, readings, sweep, activatedAt } = staged as Partial<
			SavedPosition & { activatedAt: number | null }
		>;
		const wasLearning = this.isLearning(staged);
		const hasRead = (watermark ?? (sweep && (sweep.startedAt ?? activatedAt)) ?? readings?.[0] ?? null) !== null;
		try {
			const read = this.core.readCheckpoint(staged, IDENTITY, this.settings.keepsContent, this.kind.fields);
			if ('problem' in read) throw new Error(`the state is corrupt: ${read.problem}`);
			const { checkpoint: known } = read;
			first = known === undefined;
			const watches = this.watchesStatus && this.settings.keepsContent;
			const settings = { ...this.settings, fieldsToWatch: watches ? ['status'] : [] };
			const ports = this.ports([...interruptions], occasionOf(known, activating));
			const { begunAt } = this;
			const process = {
				name: durable ? undefined : `process ${this.process}`,
				begunAt,
				redeliveredFrom: new Set<string>(),
			};
			const outcomes = this.executions.outcomes(this.afterRestart);
			this.told = this.executions.idsOf(outcomes.notStored);
			const redelivery = this.core.redeliveryOf(known, outcomes, this.afterRestart, process, ports.now());
			const result = await this.core.pollOnce(known, settings, ports, redelivery);
			if (this.isDead) throw new Death();
			const begun = known ?? { subject: IDENTITY, revision: 1 };
			const after = this.core.checkpointAfter(begun, result, redelivery, process.name, ports.now());
			this.core.writeCheckpoint(staged, after.checkpoint);
			({ emitted } = result);
			({ emission } = after);
			if (after.origin !== undefined) this.executions.settle(redelivery, after.origin);
		} catch (failure) {
			if (failure instanceof this.core.NoPage || failure instanceof this.core.Stalled) return 'failure';
			if (!(failure instanceof Death)) throw failure;
			this.restart();
			return 'death';
		}
		if (!hasRead) this.blankUntil = this.time;
		if (first || wasLearning) this.learnedAt = this.time;
		this.largestState = Math.max(this.largestState, JSON.stringify(staged).length);
		if (durable) this.storeTogether(emitted, staged, { death, discards: activating && !first });
		else if (emission !== undefined) this.storeApart(emitted, emission, death);
		if (death !== undefined) this.restart();
		return 'success';
	}

	private storeTogether(
		emitted: EmittedRecord[],
		staged: IDataObject,
		{ death, discards }: { death: Dying | undefined; discards: boolean },
	): void {
		if (death === undefined) {
			this.hand(emitted);
			// n8n does not save an activation that emits nothing; the node does that for the first one.
			if (emitted.length > 0 || !discards) this.saved = JSON.stringify(staged);
		}
		this.reload();
	}

	/** What n8n may yet say that it did not store. */
	private unacknowledged(): OpenExecution[] {
		const now = this.polledAt + this.skew;
		return this.executions.open.filter(
			({ emission: { emittedAt } }) => emittedAt === STAYS_RECENT || now - emittedAt < RECENT_MS,
		);
	}

	private storeApart(emitted: EmittedRecord[], emission: OwnEmission, death: Dying | undefined): void {
		const records = emitted.map(({ record }) => record);
		if (death === 'execution stored, state not saved') {
			this.allowRepeating(records);
			this.hand(emitted);
			return;
		}
		const { toldAfter, toldLater = [] } = this.schedule;
		const { count } = this.executions;
		const polls = toldAfter + (toldLater[count % toldLater.length] ?? 0);
		const stored = death === undefined && (this.rejectedEvery === 0 || (count + 1) % this.rejectedEvery !== 0);
		const before = this.unacknowledged();
		const received = [...before, { stored, records }].filter((one) => one.stored).flatMap((one) => one.records);
		// What is emitted again after a failure stays recent, and with it all that is unacknowledged.
		const times = [...before.map((one) => one.emission.emittedAt), emission.emittedAt];
		this.saved = JSON.stringify(this.live);
		this.lastReceived = { records: received, at: times.includes(STAYS_RECENT) ? STAYS_RECENT : emission.emittedAt };
		if (death === undefined) this.executions.handOver({ emission, records, stored, polls });
		if (stored) return this.hand(emitted);
		this.owe(records, emission.emittedAt === STAYS_RECENT ? this.time + this.skew : emission.emittedAt);
		this.noteUnsure(records);
	}

	/** A poll that emits something again notes it for the next process. */
	private owe(records: RevenueRecord[], at: number): void {
		for (const id of records.map((record) => record.id as string)) {
			this.owed.set(id, { at, isNoted: this.owed.get(id)?.isNoted === true || this.told.has(id) });
		}
	}

	private hand(emitted: EmittedRecord[]): void {
		for (const { record, event: change, changedFields } of emitted) {
			const { id, amount } = record as { id: string; amount: number };
			this.owed.delete(id);
			this.emitted.push({ id, version: amount, change, ...(changedFields && { changedFields }), at: this.time });
		}
	}

	private ports(interruptions: Interruption[], occasion: Occasion): Ports {
		this.timeIsUp = false;
		if (begins(occasion)) this.startEndedEarly = false;
		return {
			kind: this.kind,
			now: () => this.time + this.skew,
			hasTime: () => !this.timeIsUp,
			occasion,
			log: {
				...NO_LOG,
				warn: (message) => {
					this.censusEndedEarly ||= message.startsWith('The census ended early');
					this.startEndedEarly ||= begins(occasion) && /^(Old |The list could not be)/.test(message);
				},
				debug: (message) => {
					this.startEndedEarly ||= message.startsWith('the poll ends before it has read what is old');
				},
			},
			...fetching(async (since, cursor) => this.respond(interruptions.shift() ?? CALM, since, cursor)),
		};
	}

	private respond(
		{ before, after, change, fault }: Interruption,
		since: number | undefined,
		cursor: string | null,
	): RecordPage {
		const sentAt = this.time + this.skew;
		this.time += before;
		if (change !== undefined) this.change(change);
		if (fault === 'time is up') this.timeIsUp = true;
		if (fault === 'outage') throw this.failure('recovering');
		if (this.readsLeft-- <= 0) throw new this.core.NoPage('recovering', 'the rate limit is reached');
		if (fault === 'death') this.isDead = true;
		if (this.isDead) throw new Death();
		if (cursor !== null && fault === 'rejected cursor') throw this.failure('rejected cursor');
		const { end, ...page } = this.list(since, cursor);
		this.time += after;
		if (fault === 'rejection') throw new this.core.NoPage('recovering', 'the response was lost');
		if (end !== undefined && since !== undefined) this.noteShift(since === 0 ? 'census' : 'sweep', end);
		const date = this.gaps.dateHeader === 'present' ? this.dateHeader() : undefined;
		return { ...page, ...this.core.timesOf({ date, sentAt, receivedAt: this.time + this.skew }) };
	}

	private dateHeader(): string {
		const { ahead, every } = this.schedule.hosts ?? { ahead: 0, every: 1 };
		const isAhead = ++this.responses % every === 0;
		return new Date(Math.floor((this.time + (isAhead ? ahead : 0)) / SECOND) * SECOND).toUTCString();
	}

	private noteShift(what: 'sweep' | 'census', end: Listed['end']): void {
		this.shifted[what] = end === 'of a list that shifted' ? this.shifted[what] + 1 : 0;
		// A memory that is too small may leave a sweep the only one that reads the same: see Reading in the core's README.
		const readings = what === 'sweep' && this.settings.capacity !== undefined ? 1 : READINGS;
		if (this.shifted[what] >= readings) this.mayHaveSkipped = true;
	}

	private list(since: number | undefined, cursor: string | null): Listed {
		try {
			return this.service.list(since, cursor);
		} catch (error) {
			throw error instanceof RejectedCursor ? this.failure('rejected cursor') : error;
		}
	}

	/** The service may reject a cursor with the status of an outage. */
	private failure(why: 'rejected cursor' | 'recovering'): Error {
		return new this.core.NoPage(this.schedule.pageSize % 2 === 0 ? 'failing' : why, why);
	}
}

function versionOf({ id, amount }: RevenueRecord): string {
	return `${String(id)}@${String(amount)}`;
}
