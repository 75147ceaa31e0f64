import type { Trail } from '../../service/trail';
import { pagesOf } from '../../service/trail';
import { isTime } from './memory/fingerprint';
import type { Period, Reading } from './period';
import { problemOfPeriod, READINGS } from './period';

// Times are milliseconds since the epoch.

/** The progress of a walk that had to start over. */
export interface Setbacks {
	/** How many times in a row the walk started over without reading further than before. */
	inVain: number;
	/** The most pages that the walk had read when it started over. */
	furthest: number;
}

/** A walk as it stands, for a later poll to continue. */
export type Walk = UnbegunWalk | BegunWalk;

interface Requests {
	/** The `updated_since` of all requests. */
	since: number;
	setbacks: Setbacks;
}

interface UnbegunWalk extends Requests {
	startedAt: null;
	next: null;
}

export interface BegunWalk extends Requests {
	/** The start of the walk by the service's time: the earliest time of its pages, or before (`startFromDate`, `goBack`). */
	startedAt: number;
	/** The page to read next; null for the first page. */
	next: NextPage | null;
}

export interface NextPage {
	cursor: string;
	trail: Trail;
}

/** A walk that emits records, and counts as a reading once it is complete. `decide` uses its horizon and start date. */
export interface Sweep extends Pick<Reading, 'horizon'> {
	walk: Walk;
	/** Whether it is the last of its period: the memory has forgotten records that a further sweep would emit again. */
	isLast: boolean;
	mode: Mode;
}

/**
 * The end of a usual sweep confirms that unconfirmed records which it did not return are old. The others confirm nothing: a sweep
 * from a date learns such records itself, and where the trigger went back (`goBack`), they may be newer than the sweep's start.
 * With `failedBefore`, see Redelivery, the emissions of the sweep stay recent.
 */
export type Mode =
	| { kind: 'usual' }
	| { kind: 'from a date'; startDate: number; failedBefore: boolean }
	| { kind: 'redelivers'; failedBefore: boolean };

export interface Census {
	/** The start date, less a second; null if Start From is Now. Records that occurred since are not old. */
	startDate: number | null;
	/** The walk over the whole list: all records that changed since 1970. */
	walk: Walk;
	/** How many times the census has read the whole list, how many pages it has read, and how many records it has learned. */
	walks: number;
	pages: number;
	learned: number;
	/** When the census last began a part of the list, by n8n's clock; null before the first part. */
	readAt: number | null;
}

/** How far a started trigger has read the list. Without a watermark, its next sweep begins at `earliest`. */
export type Position = Period & ({ phase: 'between' } | { phase: 'sweeping'; sweep: Sweep });

/** The state before the trigger knows the service's time, and with it where its first sweep begins. */
export interface Starting {
	phase: 'starting';
	/** The time of the activation, by n8n's clock. */
	activatedAt: number;
	/** See Census. */
	startDate: number | null;
}

/** The state of a trigger that knows where its first sweep begins, or began. */
export type Started = Position & {
	/** No sweep begins earlier: older records, which none has read, would arrive as new. It never moves forward. */
	earliest: number;
	/** The census under way; null after its end, and for a trigger that 0.1.0 started. */
	census: Census | null;
};

export type Between = Extract<Started, { phase: 'between' }>;
export type Sweeping = Extract<Started, { phase: 'sweeping' }>;

/** The state of a trigger, as it is kept between two polls. cycle.ts has the transitions between its phases. */
export type State = Starting | Started;

export function positionOf(state: Started): Position {
	const { phase, watermark, readings } = state;
	return phase === 'between' ? { phase, watermark, readings } : { phase, watermark, readings, sweep: state.sweep };
}

/** Returns the state with its sweep at the first page again; the start and the setbacks of the sweep stay. */
export function fromFirstPage(state: Sweeping): Sweeping {
	const { sweep } = state;
	return { ...state, sweep: { ...sweep, walk: { ...sweep.walk, next: null } } };
}

/** Returns the problem with a state whose members have their types; `undefined` if a poll can continue from it. */
export function problemOf(state: State): string | undefined {
	if (state.phase === 'starting') {
		const { activatedAt, startDate } = state;
		return isTime(activatedAt) && isTime(startDate ?? 0) ? undefined : 'its time of activation is not a time';
	}
	const { earliest, watermark, census } = state;
	const isPossible = census === null || (census.walks < READINGS && census.pages >= pagesRead(census.walk));
	if (!isPossible) return 'its census is damaged';
	const { since, startedAt } = state.phase === 'sweeping' ? state.sweep.walk : { since: earliest, startedAt: null };
	if (![earliest, watermark ?? 0, since, startedAt ?? 0].every(isTime)) return 'its times are damaged';
	if (since < earliest) return 'its sweep began too early';
	return problemOfPeriod(state);
}

/** Returns how many pages a walk has read since it began or started over. */
export function pagesRead({ next }: Walk): number {
	return next === null ? 0 : pagesOf(next.trail);
}

/** Returns the date of a sweep from a date (see Reading); null for any other sweep. */
export function startDateOf({ mode }: Sweep): number | null {
	return mode.kind === 'from a date' ? mode.startDate : null;
}

export function hasFailedBefore({ mode }: Sweep): boolean {
	return mode.kind !== 'usual' && mode.failedBefore;
}

export function newWalk(since: number): UnbegunWalk {
	return { since, startedAt: null, next: null, setbacks: { inVain: 0, furthest: 0 } };
}

export function newSweep(walk: Walk, horizon: number, startDate: number | null): Sweep {
	const mode: Mode = startDate === null ? { kind: 'usual' } : { kind: 'from a date', startDate, failedBefore: false };
	return { walk, horizon, isLast: false, mode };
}

/** Makes an unread census: all changes since 1970, because the list's default period is not documented (Endpoints, Gaps). */
export function newCensus(startDate: number | null): Census {
	return { walk: newWalk(0), walks: 0, pages: 0, learned: 0, readAt: null, startDate };
}
