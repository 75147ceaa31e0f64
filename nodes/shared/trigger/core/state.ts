import type { Trail } from '../../service/trail';
import { FRESH_TRAIL } from '../../service/trail';
import { areDetails } from './memory/details';
import { entriesIn, isMemory } from './memory/text';
import type { Shape, TypeOf } from './shape';
import { count, flag, list, nullable, object, text, time, usually, where } from './shape';
import { upgradedState } from './upgrade';

const trailShape: Shape<Trail> = object({ mark: text, steps: count, reach: count }, { records: text });

/** What the rejected cursors of one sweep led to. */
const setbacksShape = object({
	/** How often in a row the sweep got no further than before. */
	inVain: count,
	/** The most pages that it has read. */
	furthest: count,
});

/** The memory's horizon when the first of the three sweeps began. What the memory forgets during them takes effect after the third. */
const horizonShape = usually(0, count);

/**
 * Start From: A Date, and only in the sweeps that read from it: the start date, otherwise 0. A record that occurred before is
 * in the list because it changed since, and is not emitted.
 */
const occurredSinceShape = usually(0, time);

/*
 * A sweep: where it is (since to setbacks), what counts for its records (horizon, isAgain, occurredSince; see decide.ts), and
 * what its end means (isOnly, confirmsNothing).
 */
const sweepShape = where(
	object({
		/** The `updated_since` of all its pages. */
		since: time,
		/** The service's clock when it began, the earliest of its pages; null before the first. */
		startedAt: nullable(time),
		/** Cursor of the page to read next; null for the first. */
		cursor: nullable(text),
		/** Detects cursors that come back. */
		trail: trailShape,
		/** What starting over led to. */
		setbacks: usually({ inVain: 0, furthest: 0 }, setbacksShape),
		horizon: horizonShape,
		/** Whether another sweep has read the same before. */
		isAgain: usually(false, flag),
		/** Whether no other sweep reads the same: the memory has forgotten what it would have to recognize. */
		isOnly: usually(false, flag),
		occurredSince: occurredSinceShape,
		/** Whether something may have been learned since it began, so that it cannot tell whether that is old. */
		confirmsNothing: usually(false, flag),
	}),
	({ cursor, startedAt }) => cursor === null || startedAt !== null,
);

const readingShape = object({ startedAt: time, horizon: horizonShape, occurredSince: occurredSinceShape });

const censusShape = object(
	{
		/** Reads the whole list, as a sweep since 1970. */
		walk: sweepShape,
		/** How often it has read the whole list. */
		readings: usually(0, count),
		/** How many pages it has read, and how many records it has learned. */
		pages: count,
		learned: count,
		/** The local clock when a poll last read for it; null before the first. */
		readAt: nullable(time),
	},
	/** The start date; absent with Start From: Now, and for records without a date of their own. */
	{ before: time },
);

const position = {
	/** The local clock at activation, until the trigger has read the service's clock; null from then on. */
	activatedAt: nullable(time),
	/** The service's clock before which everything was read often enough; null before that. */
	watermark: nullable(time),
	/** The sweeps that are complete and have read on from there, oldest first; fewer than that takes. */
	readings: list(readingShape),
	/** The sweep under way; null between two sweeps. */
	sweep: nullable(sweepShape),
};

/** While it starts, a trigger has its time of activation and nothing else: that says where to begin. Later it has none. */
const positionShape = where(
	object(position),
	({ activatedAt, watermark, readings, sweep }) =>
		(activatedAt !== null) === (watermark === null && readings.length === 0 && sweep === null),
);

const lastEmissionShape = object(
	{
		/** Names the process that emitted it. */
		process: text,
		/** Whether it redelivered the emission of an earlier process. */
		repeats: flag,
		/** How many records it added to the end of the memory, and how many that changed follow them there. */
		added: count,
		changed: count,
		/** Where the trigger stood before. */
		before: positionShape,
	},
	/** The local clock, in milliseconds since the epoch; absent where it counts as recent however late, see Emission. */
	{ at: time },
);

const kept = object(
	{
		...position,
		/**
		 * The `updated_since` of the very first sweep. No other sweep begins earlier: what is older was never read, and would
		 * arrive as new. Null when it is not known: before that sweep, and beside the watermark of an earlier version.
		 */
		earliest: nullable(time),
		/** How many polls have emitted, or redelivered what n8n did not store. Tells which of two states is the later one. */
		emissions: count,
		/** Null when its execution is known to be stored. */
		last: nullable(lastEmissionShape),
	},
	/** The census under way; null after it, absent in states that an earlier version began. */
	{ census: nullable(censusShape) },
);

/** Where a sweep stands, so that a later poll can continue it. Times are milliseconds since the epoch. */
export type Sweep = TypeOf<typeof sweepShape>;

export type Setbacks = TypeOf<typeof setbacksShape>;

/** What counts later of a sweep that is complete. */
export type Reading = TypeOf<typeof readingShape>;

/** The progress of the census; times as above. */
export type Census = TypeOf<typeof censusShape>;

/** Where the trigger stands; times as above. */
export type Position = TypeOf<typeof positionShape>;

/**
 * What was emitted under n8n's default static data and may not be stored yet: n8n saves the state some milliseconds
 * before it stores the execution (3 to 25 measured on 2.41.1). Only the process that emitted it learns the outcome.
 */
export type LastEmission = TypeOf<typeof lastEmissionShape>;

/** What the trigger keeps between two polls. Plain JSON of at most 1 MB. */
export type State = TypeOf<typeof kept> & {
	version: 1;
	/** Names the credential, the base URL and the event that the rest belongs to. */
	identity: string;
	/** See Memory. */
	memory: string;
	/** See Details; absent in states of earlier versions. */
	details?: string;
};

/** A sweep that has read nothing yet. */
export function newSweep(since: number): Sweep {
	return sweepShape.read({ since, startedAt: null, cursor: null, trail: FRESH_TRAIL } as Sweep);
}

/**
 * A census that has read nothing yet. `before` is the start date, if there is one: what occurred since is not old. It
 * requests all changes since 1970, because the API document does not give the list's default period (Gaps).
 */
export function newCensus(before?: number): Census {
	const nothingRead = { readings: 0, pages: 0, learned: 0, readAt: null };
	return { walk: newSweep(0), ...nothingRead, ...(before !== undefined && { before }) };
}

/** It has yet to read the service's clock, to know where its first sweep begins. */
export type Starting = State & { activatedAt: number; sweep: null };

/** Its next sweep is to begin. */
export type Between = State & { activatedAt: null; sweep: null };

/** A sweep is under way. */
export type Sweeping = State & { activatedAt: null; sweep: Sweep };

/** Where the trigger stands; cycle.ts has what leads from one phase to another. */
export type Phase =
	{ is: 'starting'; state: Starting } | { is: 'between'; state: Between } | { is: 'sweeping'; state: Sweeping };

export function phaseOf(state: State): Phase {
	if (state.sweep !== null) return { is: 'sweeping', state: state as Sweeping };
	if (state.activatedAt !== null) return { is: 'starting', state: state as Starting };
	return { is: 'between', state: state as Between };
}

/** Without a watermark, the next sweep begins at the earliest moment. */
function needsEarliest({ activatedAt, watermark }: Readonly<Record<string, unknown>>): boolean {
	return watermark === null && activatedAt === null;
}

function damageIn(
	saved: Readonly<Record<string, unknown>>,
	memory: unknown,
	keepsContent: boolean,
): string | undefined {
	const { earliest, emissions, last, census: underWay = null } = saved;
	if (!position.watermark.accepts(saved.watermark)) return 'its watermark is not a time';
	if (!position.activatedAt.accepts(saved.activatedAt)) return 'its time of activation is not a time';
	if (!position.sweep.accepts(saved.sweep)) return 'its sweep is damaged';
	if (!position.readings.accepts(saved.readings)) return 'its readings are damaged';
	if (!positionShape.accepts(saved)) return 'it does not say where to continue';
	if (typeof memory !== 'string' || !isMemory(memory, keepsContent)) return 'its memory is damaged';
	if (!nullable(time).accepts(earliest)) return 'its earliest moment is not a time';
	if (earliest === null && needsEarliest(saved)) return 'it does not say where to continue';
	if (!count.accepts(emissions)) return 'its emissions are not counted';
	if (!nullable(lastEmissionShape).accepts(last)) return 'its last emission is damaged';
	if (last !== null && last.added + last.changed > entriesIn(memory, keepsContent))
		return 'its last emission is damaged';
	if (earliest === null && last !== null && needsEarliest(last.before)) return 'its last emission is damaged';
	return nullable(censusShape).accepts(underWay) ? undefined : 'its census is damaged';
}

/**
 * Reads what was saved. There is no state for a node that never polled, nor for one whose credential, base URL or event
 * has changed since. Anything that this version cannot have written is a problem. `fields`: see RecordKind.
 */
export function readState(
	saved: Readonly<Record<string, unknown>>,
	identity: string,
	keepsContent: boolean,
	fields: readonly string[],
): { state: State | undefined } | { problem: string } {
	if (Object.keys(saved).length === 0) return { state: undefined };
	const { version, earliest, activatedAt, watermark, readings, sweep, emissions, last, memory } = saved;
	if (version !== 1) return { problem: `its version is ${JSON.stringify(version) ?? 'missing'}, not 1` };
	if (typeof saved.identity !== 'string') return { problem: 'it does not say what it is about' };
	if (saved.identity !== identity) return { state: undefined };
	const place = { activatedAt, watermark, readings, sweep };
	const read = upgradedState({ version, identity, earliest, ...place, emissions, last, census: saved.census });
	const problem = damageIn(read, memory, keepsContent);
	if (problem !== undefined) return { problem };
	// A copy, because n8n's object is live; but not of its texts, which may be a megabyte.
	const state = kept.read(JSON.parse(JSON.stringify(read)) as State);
	const details = areDetails(saved.details, fields) ? { details: saved.details } : {};
	return { state: { ...state, memory, ...details } as State };
}

/** What to save of a state: all but defaults. */
export function savedForm(state: State): State {
	return kept.save(state) as State;
}

/** Writes a state in place, and assigns only what differs: n8n saves what was assigned. */
export function writeState(saved: Record<string, unknown>, state: State): void {
	for (const [name, value] of Object.entries(savedForm(state))) {
		const differs =
			typeof value === 'object' ? JSON.stringify(saved[name]) !== JSON.stringify(value) : saved[name] !== value;
		if (differs) saved[name] = value;
	}
}
