import type { Trail } from '../../service/trail';
import { FRESH_TRAIL } from '../../service/trail';
import { time } from './saved/shape';

// Times are milliseconds since the epoch.

/**
 * How many sweeps read the same period, which is all that changed since one watermark. A cursor may be an offset into a list.
 * When a record before that offset changes or is deleted during a sweep, the next page skips another record. A record is lost
 * only if three sweeps skip it.
 */
export const READINGS = 3;

/** The progress of a walk that had to start over. */
export interface Setbacks {
	/** How many times in a row the walk started over without reading further than before. */
	inVain: number;
	/** The most pages that the walk had read when it started over. */
	furthest: number;
}

/** A walk as it stands, so that a later poll can continue it. */
export type Walk = {
	/** The `updated_since` of all its requests. */
	since: number;
	trail: Trail;
	setbacks: Setbacks;
} & (Unbegun | Begun);

/** A walk that has received no page. */
interface Unbegun {
	cursor: null;
	startedAt: null;
}

interface Begun {
	/** The cursor of the next page; null for the first page, after the walk started over. */
	cursor: string | null;
	/** The start of the walk by the service's clock: the earliest time of its pages, or before (`pageCame`, `goBack`). */
	startedAt: number;
}

/** A complete sweep that counts towards the three of the same period. */
export interface Reading {
	startedAt: number;
	/** The memory's horizon at the start of the sweep, in days since the epoch (`oldBefore` and `knownBefore` in decide.ts). */
	horizon: number;
	/**
	 * A second before the start date in a sweep that reads from it (Start From: A Date), otherwise 0. The list also has records that
	 * occurred earlier and changed since; the sweep does not emit these.
	 */
	occurredSince: number;
}

/** A walk that emits records. `decide` uses its horizon and start date; the flags say what its end means. */
export type Sweep = Walk &
	Pick<Reading, 'horizon'> & {
		/** Whether no further sweep reads the same period: the memory has forgotten records that a further sweep would emit again. */
		isLast: boolean;
	} & (UsualSweep | SweepFromDate);

interface UsualSweep {
	occurredSince: 0;
	activatedAt?: undefined;
	/** Whether the end confirms no record: one learned since the start may be new although the sweep did not return it. */
	confirmsNothing: boolean;
}

/** A sweep from a start date. It learns records that occurred before the date as unconfirmed, so its end must not confirm them. */
interface SweepFromDate {
	/** See Reading. */
	occurredSince: number;
	/** The time of the activation by n8n's clock. Only the very first sweep has it, until its first page has come. */
	activatedAt?: number | undefined;
	confirmsNothing: true;
}

/** The progress of the census. */
export interface Census {
	/** The walk over the whole list: all records that changed since 1970. */
	walk: Walk;
	/** How many times the census has read the whole list. */
	walks: number;
	/** How many pages the census has read, and how many records it has learned. */
	pages: number;
	learned: number;
	/** The local clock when the census last began a part of the list; null before the first part. */
	readAt: number | null;
	/** A second before the start date. Absent with Start From: Now. */
	occurredSince?: number;
}

/** How far a started trigger has read the list. Without a watermark, its next sweep begins at `earliest`. */
export type Position = {
	/** The service's time before which everything was read often enough; null while there is no such time. */
	watermark: number | null;
	/** The complete sweeps that count towards the next watermark, oldest first; at most two. */
	readings: Reading[];
} & ({ phase: 'between' } | { phase: 'sweeping'; sweep: Sweep });

/** The members of a state in every phase. */
export interface Kept {
	/** The census under way; null after its end, and for a trigger that 0.1.0 started. */
	census: Census | null;
	/** The memory in its saved form. */
	memory: string;
	/** The details in their saved form; empty in states of earlier versions. */
	details: string;
}

/** The state before the trigger knows the service's clock, and with it where its first sweep begins. */
export interface Starting extends Kept {
	phase: 'starting';
	/** The local clock at activation. */
	activatedAt: number;
}

/** The state of a trigger that knows where its first sweep begins, or began. */
export type Started = Kept &
	Position & {
		/** No sweep begins earlier: older records were never read, and would arrive as new. 0 if an earlier version did not save it. */
		earliest: number;
	};

export type Between = Extract<Started, { phase: 'between' }>;
export type Sweeping = Extract<Started, { phase: 'sweeping' }>;

/** The trigger's knowledge of the list between two polls. cycle.ts has the transitions between its phases. */
export type State = Starting | Started;

/** Returns the members that a state has in every phase. */
export function keptOf({ census, memory, details }: State): Kept {
	return { census, memory, details };
}

/** Returns how far a trigger has read. A trigger in phase `starting` has read nothing. */
export function positionOf(state: State): Position {
	if (state.phase === 'starting') return { phase: 'between', watermark: null, readings: [] };
	const { phase, watermark, readings } = state;
	return phase === 'between' ? { phase, watermark, readings } : { phase, watermark, readings, sweep: state.sweep };
}

/** Returns the problem with a state whose members have their types; `undefined` if a poll can continue from the state. */
export function problemOf(state: State): string | undefined {
	const { census } = state;
	if (census !== null && census.walks >= READINGS) return 'its census is damaged';
	if (state.phase === 'starting') return time(state.activatedAt) ? undefined : 'its time of activation is not a time';
	const { earliest, watermark } = state;
	if (!time(earliest) || (watermark !== null && !time(watermark))) return 'its times are damaged';
	return problemOfPosition(positionOf(state));
}

/** Returns the problem with a position; `undefined` if a trigger can read on from the position. */
export function problemOfPosition(position: Position): string | undefined {
	if (position.readings.length >= READINGS) return 'its readings are damaged';
	if (position.phase === 'between') return undefined;
	const { watermark, readings, sweep } = position;
	const isFirst = watermark === null && readings.length === 0;
	const isUnbegun = sweep.startedAt === null;
	const isLegal = sweep.activatedAt === undefined || (isFirst && isUnbegun && isFromDate(sweep));
	return isLegal ? undefined : 'its sweep is damaged';
}

/** Whether a sweep reads from a start date. */
export function isFromDate({ occurredSince }: Pick<Reading, 'occurredSince'>): boolean {
	return occurredSince !== 0;
}

export function newWalk(since: number): Extract<Walk, Unbegun> {
	return { since, startedAt: null, cursor: null, trail: FRESH_TRAIL, setbacks: { inVain: 0, furthest: 0 } };
}

/** Makes a sweep that has read nothing yet. */
export function newSweep(since: number, horizon = 0): Extract<Sweep, Unbegun & UsualSweep> {
	return { ...newWalk(since), horizon, occurredSince: 0, isLast: false, confirmsNothing: false };
}

/**
 * Makes a census that has read nothing yet. It requests all changes since 1970, because the list's default period is a gap of the
 * API document (Endpoints, Gaps).
 * @param occurredSince a second before the start date, if there is one. Records that occurred since are not old.
 */
export function newCensus(occurredSince?: number): Census {
	const nothingRead = { walks: 0, pages: 0, learned: 0, readAt: null };
	return { walk: newWalk(0), ...nothingRead, ...(occurredSince !== undefined && { occurredSince }) };
}
