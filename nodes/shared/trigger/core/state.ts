import type { Trail } from '../../service/trail';
import { FRESH_TRAIL } from '../../service/trail';
import { time } from './saved/shape';

// Times are milliseconds since the epoch.

/**
 * How many sweeps read the same. A cursor may be an offset into a list that shifts while it is read: when a record in
 * front of it changes or is deleted, the next page skips another one. Three sweeps would have to skip the same one.
 */
export const READINGS = 3;

/** What the rejected cursors of a walk led to. */
export interface Setbacks {
	/** How often in a row it got no further than before. */
	inVain: number;
	/** The most pages that it has read. */
	furthest: number;
}

/** Where reading a list page by page stands, so that a later poll can continue it. */
export type Walk = {
	/** The `updated_since` of all its pages. */
	since: number;
	/** Detects cursors that come back. */
	trail: Trail;
	setbacks: Setbacks;
} & (Unbegun | Begun);

/** No page of the walk has come. */
interface Unbegun {
	cursor: null;
	startedAt: null;
}

interface Begun {
	/** The cursor of the page to read next; null for the first page again. */
	cursor: string | null;
	/** The service's clock when it began, the earliest of its pages. */
	startedAt: number;
}

/** What counts later of a sweep that is complete. */
export interface Reading {
	startedAt: number;
	/** The memory's horizon when it began, in days since the epoch (`oldBefore` and `knownBefore` in decide.ts). */
	horizon: number;
	/**
	 * Start From: A Date, and only in the sweeps that read from it: a second before the start date, otherwise 0. A record that
	 * occurred before is in the list because it changed since, and is not emitted.
	 */
	occurredSince: number;
}

/** A walk that finds what is new: what counts for its records (decide.ts), and what its end means. */
export type Sweep = Walk &
	Pick<Reading, 'horizon'> & {
		/** Whether its end is enough: the memory has forgotten what a further sweep would have to recognize. */
		isLast: boolean;
	} & (UsualSweep | SweepFromDate);

interface UsualSweep {
	occurredSince: 0;
	activatedAt?: undefined;
	/** Whether its end confirms nothing: what was learned since it began may be new although it was not returned. */
	confirmsNothing: boolean;
}

/** It does not return what occurred earlier and has not changed since. */
interface SweepFromDate {
	/** See Reading. */
	occurredSince: number;
	/** When the trigger was activated, by n8n's clock: in the very first sweep, until its first page has come. */
	activatedAt?: number | undefined;
	confirmsNothing: true;
}

/** The progress of the census. */
export interface Census {
	/** Reads the whole list, all that changed since 1970. */
	walk: Walk;
	/** How often it has read the whole list. */
	walks: number;
	/** How many pages it has read, and how many records it has learned. */
	pages: number;
	learned: number;
	/** The local clock when a poll last read for it; null before the first. */
	readAt: number | null;
	/** A second before the start date. Absent with Start From: Now, and for records without a date of their own. */
	occurredSince?: number;
}

/** Where a trigger that has started stands. Without a watermark, its next sweep begins at the earliest moment. */
export type Position = {
	/** The service's time before which everything was read often enough; null before that. */
	watermark: number | null;
	/** The sweeps that are complete and have read on from there, oldest first; at most two. */
	readings: Reading[];
} & ({ phase: 'between' } | { phase: 'sweeping'; sweep: Sweep });

/** What is kept in every phase. */
export interface Kept {
	/** The census under way; null after it, and in states that began before there was one. */
	census: Census | null;
	/** See Memory. */
	memory: string;
	/** See Details; empty in states of earlier versions. */
	details: string;
}

/** The trigger has yet to read the service's clock, to know where its first sweep begins. */
export interface Starting extends Kept {
	phase: 'starting';
	/** The local clock at activation. */
	activatedAt: number;
}

/** The trigger knows where its first sweep began, or is to begin. */
export type Started = Kept &
	Position & {
		/**
		 * No sweep begins earlier: what is older was never read, and would arrive as new. 0 beside the watermark of an earlier version that did not keep it.
		 */
		earliest: number;
	};

export type Between = Extract<Started, { phase: 'between' }>;
export type Sweeping = Extract<Started, { phase: 'sweeping' }>;

/** What the trigger knows of the list between two polls; cycle.ts has what leads from one phase to another. */
export type State = Starting | Started;

/** Returns what a state keeps in every phase. */
export function keptOf({ census, memory, details }: State): Kept {
	return { census, memory, details };
}

/** Returns where a trigger stands; one that starts has read nothing. */
export function positionOf(state: State): Position {
	if (state.phase === 'starting') return { phase: 'between', watermark: null, readings: [] };
	const { phase, watermark, readings } = state;
	return phase === 'between' ? { phase, watermark, readings } : { phase, watermark, readings, sweep: state.sweep };
}

/** Returns what is wrong with a state whose members have their types; `undefined` when a poll can continue from it. */
export function problemOf(state: State): string | undefined {
	const { census } = state;
	if (census !== null && census.walks >= READINGS) return 'its census is damaged';
	if (state.phase === 'starting') return time(state.activatedAt) ? undefined : 'its time of activation is not a time';
	const { earliest, watermark } = state;
	if (!time(earliest) || (watermark !== null && !time(watermark))) return 'its times are damaged';
	return problemOfPosition(positionOf(state));
}

/** Returns what is wrong with a position; `undefined` when a trigger can read on from there. */
export function problemOfPosition(position: Position): string | undefined {
	if (position.readings.length >= READINGS) return 'its readings are damaged';
	if (position.phase === 'between') return undefined;
	const { watermark, readings, sweep } = position;
	const isFirst = watermark === null && readings.length === 0;
	const isLegal = sweep.activatedAt === undefined || (isFirst && isFromDate(sweep));
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
 * Makes a census that has read nothing yet. It requests all changes since 1970: the list's default period is a gap of the API
 * document (Endpoints, Gaps).
 * @param occurredSince a second before the start date, if there is one: what occurred since is not old.
 */
export function newCensus(occurredSince?: number): Census {
	const nothingRead = { walks: 0, pages: 0, learned: 0, readAt: null };
	return { walk: newWalk(0), ...nothingRead, ...(occurredSince !== undefined && { occurredSince }) };
}
