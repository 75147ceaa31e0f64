import type { Trail } from '../../service/trail';
import { FRESH_TRAIL } from '../../service/trail';
import type { Objects, Shape, TypeOf } from './shape';
import { count, flag, list, nothing, nullable, object, text, time, where } from './shape';

// Times are milliseconds since the epoch.

const trailShape: Shape<Trail> = object({ mark: text, steps: count, reach: count }, { records: text });

/** What the rejected cursors of a walk led to. */
export type Setbacks = TypeOf<typeof setbacksShape>;
const setbacksShape = object({
	/** How often in a row it got no further than before. */
	inVain: count,
	/** The most pages that it has read. */
	furthest: count,
});

/** Where reading a list page by page stands, so that a later poll can continue it. */
export type Walk = TypeOf<typeof walkShape>;
const walkFields = {
	/** The `updated_since` of all its pages. */
	since: time,
	/** The service's clock when it began, the earliest of its pages; null before the first. */
	startedAt: nullable(time),
	/** Cursor of the page to read next; null for the first. */
	cursor: nullable(text),
	/** Detects cursors that come back. */
	trail: trailShape,
	setbacks: setbacksShape,
};
const hasBegun = ({ cursor, startedAt }: Pick<Objects<typeof walkFields>, 'cursor' | 'startedAt'>) =>
	cursor === null || startedAt !== null;
const walkShape = where(object(walkFields), hasBegun);

/** A walk that finds what is new: what counts for its records (decide.ts), and what its end means. */
export type Sweep = TypeOf<typeof sweepShape>;
const bounds = {
	/** The memory's horizon when it began. That of the first of the sweeps that read the same counts for all. */
	horizon: count,
	/**
	 * Start From: A Date, and only in the sweeps that read from it: the start date, otherwise 0. A record that occurred before is
	 * in the list because it changed since, and is not emitted.
	 */
	occurredSince: time,
};
const sweepFields = {
	...walkFields,
	...bounds,
	/** Whether its end is enough: the memory has forgotten what a further sweep would have to recognize. */
	isLast: flag,
	/** Whether its end confirms nothing: what was learned since it began may be new although it was not returned. */
	confirmsNothing: flag,
};
type SweepFields = Objects<typeof sweepFields>;
const sweepShape = where<SweepFields>(
	object(sweepFields),
	// A sweep from a date does not return what occurred earlier and has not changed since.
	(sweep) => hasBegun(sweep) && (sweep.occurredSince === 0 || sweep.confirmsNothing),
);

/** What counts later of a sweep that is complete. */
export type Reading = TypeOf<typeof readingShape>;
const readingShape = object({ startedAt: time, ...bounds });

/** The progress of the census. */
export type Census = TypeOf<typeof censusShape>;
const censusShape = object(
	{
		/** Reads the whole list, all that changed since 1970. */
		walk: walkShape,
		/** How often it has read the whole list. */
		walks: count,
		/** How many pages it has read, and how many records it has learned. */
		pages: count,
		learned: count,
		/** The local clock when a poll last read for it; null before the first. */
		readAt: nullable(time),
	},
	/** The start date; absent with Start From: Now, and for records without a date of their own. */
	{ before: time },
);

const positionFields = {
	/** See Starting; 0.2.0 reads it here, too, and users may go back to it. */
	activatedAt: nothing,
	/** The service's clock before which everything was read often enough; null before that. */
	watermark: nullable(time),
	/** The sweeps that are complete and have read on from there, oldest first; at most two. */
	readings: list(readingShape),
	/** The sweep under way; null between two sweeps. */
	sweep: nullable(sweepShape),
};

/** Where a trigger that has started stands. Without a watermark or a reading, its next sweep begins at the earliest moment. */
export type Position = Objects<typeof positionFields>;
const positionShape: Shape<Position> = object(positionFields);

/** The position before a poll that began with `state`. Nothing has been read while it starts. */
export function positionOf({ watermark, readings, sweep: underWay }: State): Position {
	return { activatedAt: null, watermark, readings, sweep: underWay };
}

/**
 * What was emitted under n8n's default static data and may not be stored yet: n8n saves the state some milliseconds
 * before it stores the execution (3 to 25 measured on 2.41.1). Only the process that emitted it learns the outcome.
 */
export type LastEmission = TypeOf<typeof lastEmissionShape>;
const lastEmissionShape = object(
	{
		/** Names the process that emitted it. */
		process: text,
		/** Whether it redelivered the emission of an earlier process. */
		repeats: flag,
		/**
		 * How many records it added to the end of the memory, and how many that changed follow them there. Counted, because 0.2.0
		 * counts them, and users may go back to it. The process that emitted them has their keys (Emission).
		 */
		added: count,
		changed: count,
		/** Where the trigger stood before. */
		before: positionShape,
	},
	/** The local clock; absent where it counts as recent however late, see Emission. */
	{ at: time },
);

/** All that is kept, but what names it and the texts. */
export const KEPT = {
	...positionFields,
	/** The local clock at activation, until the trigger has read the service's clock; null from then on. */
	activatedAt: nullable(time),
	/**
	 * The `updated_since` of the very first sweep. No other sweep begins earlier: what is older was never read, and would
	 * arrive as new. Null while it starts; 0 beside the watermark of an earlier version that did not keep it.
	 */
	earliest: nullable(time),
	/** How many polls have emitted, or redelivered what n8n did not store. Tells which of two states is the later one. */
	emissions: count,
	/** Null when its execution is known to be stored. */
	last: nullable(lastEmissionShape),
	/** The census under way; null after it, and in states that began before there was one. */
	census: nullable(censusShape),
};

type Kept = Pick<Objects<typeof KEPT>, 'emissions' | 'census'> & {
	version: 1;
	/** Names the credential, the base URL and the event that the rest belongs to. */
	identity: string;
	/** See Memory. */
	memory: string;
	/** See Details; absent in states of earlier versions. */
	details?: string;
};

/** It has yet to read the service's clock, to know where its first sweep begins. */
export type Starting = Kept & {
	activatedAt: number;
	earliest: null;
	watermark: null;
	readings: [];
	sweep: null;
	last: null;
};

type AfterStart = Kept & Position & { earliest: number; last: LastEmission | null };

/** Its next sweep is to begin. */
export type Between = AfterStart & { sweep: null };

/** A sweep is under way. */
export type Sweeping = AfterStart & { sweep: Sweep };

/** It knows where its first sweep began, or is to begin. */
export type Started = Between | Sweeping;

/**
 * What the trigger keeps between two polls, in one of its three phases; cycle.ts has what leads from one to another. Plain
 * JSON of at most 1 MB.
 */
export type State = Starting | Started;

/** What is wrong with a state in which one of these does not have its shape. */
const DAMAGES: Record<keyof typeof KEPT, string> = {
	watermark: 'its watermark is not a time',
	activatedAt: 'its time of activation is not a time',
	sweep: 'its sweep is damaged',
	readings: 'its readings are damaged',
	earliest: 'its earliest moment is not a time',
	emissions: 'its emissions are not counted',
	last: 'its last emission is damaged',
	census: 'its census is damaged',
};

/** What is wrong with all that is kept but the texts; undefined when a poll can continue from it. */
export function damageIn(kept: Readonly<Record<keyof typeof KEPT, unknown>>): string | undefined {
	const damaged = (Object.keys(DAMAGES) as Array<keyof typeof KEPT>).find((name) => !KEPT[name](kept[name]));
	if (damaged !== undefined) return DAMAGES[damaged];
	const { activatedAt, earliest, watermark, readings, sweep, last } = kept as State;
	const isUnread = watermark === null && readings.length === 0 && sweep === null && last === null;
	const isInOnePhase = activatedAt === null ? earliest !== null : earliest === null && isUnread;
	return isInOnePhase ? undefined : 'it does not say where to continue';
}

/**
 * A state, unchanged. Each transition checks with it what it leads to.
 * @throws an Error where no poll could continue: saved, such a state would fail each later poll.
 */
export function legal<S extends State>(state: S): S {
	const damage = damageIn(state);
	if (damage !== undefined) throw new Error(`The state of this trigger would be wrong: ${damage}. Nothing was saved.`);
	return state;
}

export const isStarting = (state: State): state is Starting => state.activatedAt !== null;
export const isSweeping = (state: State): state is Sweeping => state.sweep !== null;

export function newWalk(since: number): Walk {
	return { since, startedAt: null, cursor: null, trail: FRESH_TRAIL, setbacks: { inVain: 0, furthest: 0 } };
}

/** A sweep that has read nothing yet. */
export function newSweep(since: number): Sweep {
	return { ...newWalk(since), horizon: 0, occurredSince: 0, isLast: false, confirmsNothing: false };
}

/**
 * A census that has read nothing yet. `before` is the start date, if there is one: what occurred since is not old. It
 * requests all changes since 1970, because the API document does not give the list's default period (Gaps).
 */
export function newCensus(before?: number): Census {
	const nothingRead = { walks: 0, pages: 0, learned: 0, readAt: null };
	return { walk: newWalk(0), ...nothingRead, ...(before !== undefined && { before }) };
}
