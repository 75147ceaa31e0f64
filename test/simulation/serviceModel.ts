import type { IDataObject } from 'n8n-workflow';

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;

/** The gaps of the API document about the list of transactions. */
export interface Gaps {
	order: 'ascending' | 'descending' | 'shuffled';
	bound: 'inclusive' | 'exclusive';
	compared: 'updatedAt' | 'createdAt' | 'occurredAt';
	dateHeader: 'present' | 'absent';
}

export interface ServiceOptions extends Gaps {
	pageSize: number;
	/** How long a cursor is accepted, in milliseconds. */
	cursorLifetime: number;
	/** What a cursor holds: the last record of the previous page, or how many records came before. */
	cursors: 'position' | 'offset';
	/** Whether each page begins with the last record of the previous one. */
	pagesOverlap: boolean;
	/** A record's own date: when it occurred, or when it is due, which may be in the future. */
	dated: 'occurred_at' | 'due_at';
}

/** A record as the service keeps it. Times are the service's clock, in milliseconds since the epoch. */
export interface Kept {
	id: string;
	/** Its versions from its creation and from each change on; the number of a version is its place, from 1. */
	versions: Array<{ at: number; status: string }>;
	createdAt: number;
	updatedAt: number;
	/** Its own date. */
	occurredAt: number;
	/** When its commit becomes visible to readers. */
	visibleAt: number;
	isDeleted?: boolean;
}

/** A record and where it stands in the list. */
interface Placed {
	record: Kept;
	key: [number, string];
}

interface Position {
	since: number;
	/** Key of the last record of the previous page. */
	after: Placed['key'];
	/** How many records were before this page. */
	offset: number;
	issuedAt: number;
	/** How often the list had shifted when its first page was read. */
	shifts: number;
}

export interface Listed {
	records: IDataObject[];
	nextCursor: string | null;
	/** Whether a last page is the only one, and whether the list has shifted since the first one. */
	end?: 'of one page' | 'of several pages' | 'of a list that shifted';
}

export class RejectedCursor extends Error {}

/** The service's list of transactions in memory: pages by position or by offset, cursors that expire, commits that become visible late. */
export class ServiceModel {
	readonly kept: Kept[] = [];
	private readonly cursors = new Map<string, Position>();
	private shifts = 0;

	constructor(
		private readonly options: ServiceOptions,
		private readonly now: () => number,
	) {}

	create({ lateness, backdated, status }: { lateness: number; backdated: number; status: string }): void {
		const now = this.now();
		this.kept.push({
			id: `tx_${this.kept.length + 1}`,
			versions: [{ at: now, status }],
			createdAt: now,
			updatedAt: now,
			occurredAt: this.options.dated === 'due_at' && backdated % 2 === 1 ? now + backdated : now - backdated,
			visibleAt: now + lateness,
		});
	}

	update(pick: number, status: string): void {
		const visible = this.kept.filter(({ visibleAt }) => visibleAt <= this.now());
		const record = visible[pick % visible.length];
		if (record === undefined || record.isDeleted === true) return;
		record.updatedAt = this.now();
		record.versions.push({ at: record.updatedAt, status });
		this.shifts++;
	}

	remove(pick: number): void {
		const visible = this.kept.filter(({ visibleAt, isDeleted }) => visibleAt <= this.now() && !isDeleted);
		const record = visible[pick % visible.length];
		if (record === undefined) return;
		record.isDeleted = true;
		this.shifts++;
	}

	list(since: number | undefined, cursor: string | null): Listed {
		const position = cursor === null ? undefined : this.cursors.get(cursor);
		if (cursor !== null && (position === undefined || this.now() - position.issuedAt > this.options.cursorLifetime)) {
			throw new RejectedCursor();
		}
		const from = position?.since ?? since ?? -Infinity;
		const all = this.listedSince(from);
		const before = position?.offset ?? 0;
		const rest =
			this.options.cursors === 'offset'
				? all.slice(before)
				: all.filter(({ key }) => position === undefined || compare(key, position.after) > 0);
		const page = rest.slice(0, this.options.pageSize);
		const last = page.at(-1);
		if (last === undefined || rest.length <= page.length) {
			const end =
				position === undefined
					? 'of one page'
					: this.isShifted(position)
						? 'of a list that shifted'
						: 'of several pages';
			return { records: page.map(({ record }) => this.present(record)), nextCursor: null, end };
		}
		const again = this.options.pagesOverlap && page.length > 1 ? 1 : 0;
		const nextCursor = `cursor_${this.cursors.size + 1}`;
		this.cursors.set(nextCursor, {
			since: from,
			after: (page.at(-1 - again) as Placed).key,
			offset: before + page.length - again,
			issuedAt: this.now(),
			shifts: position?.shifts ?? this.shifts,
		});
		return { records: page.map(({ record }) => this.present(record)), nextCursor };
	}

	/** The amount contains the version, so that every change shows. */
	private present({ id, versions, occurredAt }: Kept): IDataObject {
		return {
			id,
			amount: versions.length,
			status: versions.at(-1)?.status ?? '',
			[this.options.dated]: new Date(occurredAt).toISOString(),
		};
	}

	private isShifted({ shifts }: Position): boolean {
		return this.options.cursors === 'offset' && shifts < this.shifts;
	}

	/** Returns the records of a list, in its order. Most of a simulation's time is spent here. */
	private listedSince(since: number): Placed[] {
		const now = this.now();
		const { compared, bound } = this.options;
		const listed: Placed[] = [];
		for (const record of this.kept) {
			if (record.visibleAt > now || record.isDeleted === true) continue;
			const at = record[compared];
			if (at > since || (at === since && bound === 'inclusive')) listed.push({ record, key: this.keyOf(record) });
		}
		return listed.sort((one, other) => compare(one.key, other.key));
	}

	/**
	 * Returns where a record stands in the list. Ordered by the compared timestamp, as a service with an index on it does;
	 * behind offsets by the last change, so that records move across them.
	 */
	private keyOf(record: Kept): Placed['key'] {
		if (this.options.order === 'shuffled') return [scatter(record.id), record.id];
		const time = record[this.options.cursors === 'offset' ? 'updatedAt' : this.options.compared];
		return [this.options.order === 'ascending' ? time : -time, record.id];
	}
}

function compare([a, idA]: Placed['key'], [b, idB]: Placed['key']): number {
	if (a !== b) return a - b;
	return idA < idB ? -1 : idA > idB ? 1 : 0;
}

function scatter(id: string): number {
	let hash = 0;
	for (const character of id) hash = (hash * 31 + character.charCodeAt(0) * 2654435761) % 2 ** 31;
	return hash;
}
