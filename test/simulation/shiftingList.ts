import type { Checkpoint } from '../../nodes/shared/trigger/core/delivery.ts';
import type { RecordKind, RevenueRecord } from '../../nodes/shared/trigger/core/memory/fingerprint.ts';
import type { PollSettings, Ports } from '../../nodes/shared/trigger/core/ports.ts';
import type { State } from '../../nodes/shared/trigger/core/state.ts';
import { KIND } from '../support/scripted/kind.ts';
import { fetching, NO_LOG } from '../support/scripted/pages.ts';
import { leftBy, NOTHING, SETTINGS } from '../support/scripted/ports.ts';
import { storedCopy } from '../support/scripted/storing.ts';
import type { Core } from './core.ts';
import { randomFrom } from './random.ts';
import { MINUTE, SECOND } from './serviceModel.ts';

const NOON = Date.parse('2026-03-01T12:00:00Z');
const PAGE = 100;

/** What happens to the list per second, on average. */
export interface Traffic {
	created?: number;
	changed?: number;
	deleted?: number;
}

export interface ListOptions {
	/** How long a page takes; at the documented 120 reads a minute it is half a second. */
	msPerPage?: number;
	/** Whether each page begins with the last record of the previous one. */
	pagesOverlap?: boolean;
	order?: 'ascending' | 'descending';
	kind?: RecordKind;
	seed?: number;
}

interface Listed {
	id: string;
	amount: number;
	changedAt: number;
	occurred_at: string;
}

/** A service with many records, ordered by their last change and read by offsets, and a trigger that polls it. */
export class ShiftingList {
	/** In the order of the last change. */
	readonly list: Listed[] = [];
	now = NOON;
	traffic: Traffic = {};
	/** What happens before the n-th page of a poll is read, from 1 on. */
	atPage = new Map<number, () => void>();
	/** When each request was sent. */
	readonly requests: number[] = [];
	readonly arrived = new Map<string, number>();
	private checkpoint: Checkpoint | undefined;
	private readonly random: () => number;
	private readonly due = { created: 0, changed: 0, deleted: 0 };
	private readonly deleted = new Set<string>();
	private made = 0;
	private pages = 0;
	private endsAt = Infinity;

	constructor(
		private readonly core: Core,
		private readonly settings: Partial<PollSettings> = {},
		private readonly options: ListOptions = {},
	) {
		this.random = randomFrom(options.seed ?? 1);
	}

	create(count: number): void {
		for (let one = 0; one < count; one++) {
			const occurred_at = new Date(this.now).toISOString();
			this.list.push({ id: `tx_${++this.made}`, amount: 1, changedAt: this.now, occurred_at });
		}
	}

	change(index: number): void {
		const [one] = this.list.splice(index, 1);
		if (one !== undefined) this.list.push({ ...one, amount: one.amount + 1, changedAt: this.now });
	}

	/** All change, in their order, and another one is created between them. */
	changeAll(createdAt: number): void {
		const all = this.list.splice(0).map((one) => ({ ...one, amount: one.amount + 1, changedAt: this.now }));
		this.list.push(...all.slice(0, createdAt));
		this.create(1);
		this.list.push(...all.slice(createdAt));
	}

	remove(index: number): void {
		const [one] = this.list.splice(index, 1);
		if (one !== undefined) this.deleted.add(one.id);
	}

	/** Time that passes with its traffic. */
	pass(ms: number): void {
		for (let left = ms; left > 0; left -= SECOND) {
			const step = Math.min(SECOND, left);
			this.now += step;
			const happens = (kind: keyof Traffic) => {
				this.due[kind] += ((this.traffic[kind] ?? 0) * step * 2 * this.random()) / SECOND;
				const count = Math.floor(this.due[kind]);
				this.due[kind] -= count;
				return count;
			};
			this.create(happens('created'));
			for (let count = happens('changed'); count > 0; count--) this.change(this.anyIndex());
			for (let count = happens('deleted'); count > 0; count--) this.remove(this.anyIndex());
		}
	}

	get state(): State | undefined {
		return this.checkpoint?.state;
	}

	/** One poll, of at most four minutes. */
	async poll(): Promise<number> {
		const before = this.requests.length;
		this.pages = 0;
		this.endsAt = this.now + 4 * MINUTE;
		const settings = { ...SETTINGS, ...this.settings };
		const polled = await this.core.pollOnce(this.checkpoint, settings, this.ports(), NOTHING);
		// As n8n keeps it.
		this.checkpoint = storedCopy(leftBy(polled));
		for (const { record, event } of polled.emitted) {
			if (event === 'new') this.arrived.set(String(record.id), (this.arrived.get(String(record.id)) ?? 0) + 1);
		}
		return this.requests.length - before;
	}

	/** Polls on schedule for so long: a poll that takes longer than the interval delays the next one. */
	async run(durationMs: number, everyMs: number): Promise<void> {
		for (const end = this.now + durationMs; this.now < end;) {
			const next = this.now + everyMs;
			await this.poll();
			if (this.now < next) this.pass(next - this.now);
		}
	}

	/** Ids of records that exist and have not arrived. */
	lost(): string[] {
		return this.list.filter(({ id }) => !this.arrived.has(id)).map(({ id }) => id);
	}

	repeated(): string[] {
		return [...this.arrived].filter(([, times]) => times > 1).map(([id]) => id);
	}

	/** Returns the most requests within a span of that length. */
	mostRequestsIn(ms: number): number {
		let [most, first] = [0, 0];
		for (const [last, at] of this.requests.entries()) {
			while ((this.requests[first] as number) <= at - ms) first++;
			most = Math.max(most, last - first + 1);
		}
		return most;
	}

	private anyIndex(): number {
		return Math.floor(this.random() * this.list.length);
	}

	private ports(): Ports {
		return {
			kind: this.options.kind ?? KIND,
			now: () => this.now,
			hasTime: () => this.now < this.endsAt,
			occasion: this.checkpoint === undefined ? 'first' : 'scheduled',
			log: NO_LOG,
			...fetching(async (since, cursor) => {
				this.atPage.get(++this.pages)?.();
				this.requests.push(this.now);
				const asOf = this.now;
				const page = this.page(since, cursor);
				this.pass(this.options.msPerPage ?? 500);
				return { ...page, asOf, latest: asOf };
			}),
		};
	}

	private page(since = this.now, cursor: string | null): { records: RevenueRecord[]; nextCursor: string | null } {
		const { list } = this;
		const from = this.firstSince(since);
		const offset = Number(cursor ?? 0);
		const isDescending = this.options.order === 'descending';
		const [start, end] = isDescending
			? [Math.max(from, list.length - offset - PAGE), list.length - offset]
			: [from + offset, Math.min(list.length, from + offset + PAGE)];
		const records = list.slice(Math.min(start, list.length), Math.max(end, 0)).map((one) => ({ ...one }));
		const isLast = offset + PAGE >= list.length - from;
		const next = offset + PAGE - (this.options.pagesOverlap === true ? 1 : 0);
		return { records, nextCursor: isLast ? null : String(next) };
	}

	/** Returns the index of the first record that has changed since. */
	private firstSince(since: number): number {
		let [low, high] = [0, this.list.length];
		while (low < high) {
			const middle = Math.floor((low + high) / 2);
			if ((this.list[middle] as Listed).changedAt < since) low = middle + 1;
			else high = middle;
		}
		return low;
	}
}
