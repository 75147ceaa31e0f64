import type { Trail } from '../../service/trail';
import { FRESH_TRAIL, pagesOf } from '../../service/trail';
import { must } from './failures';
import type { RecordKind } from './memory/fingerprint';
import type { MemoryEnd } from './memory/memory';
import { sizeOf } from './memory/memory';
import type { PollSettings } from './ports';
import { earliestStart, furthestBack, isFurtherBack } from './position';
import { byService } from './serviceTime';
import type {
	Between,
	Census,
	Kept,
	Position,
	Reading,
	Started,
	Starting,
	State,
	Sweep,
	Sweeping,
	Walk,
} from './state';
import { isFromDate, keptOf, newCensus, newSweep, newWalk, positionOf, problemOf, READINGS } from './state';

/*
 * How a trigger moves between its phases (`State` in state.ts). Each row is a pure function. Its types say from where to where
 * it leads, `must` checks what types cannot say, and `legal` the state that it leads to.
 *
 * begin         nothing  → starting  the first poll, Start From: Now
 *                        → sweeping  the first poll, Start From: A Date
 * adjustStart   starting → starting  the host tells the activation by the clock as it is now, before a poll
 * finishStart   starting → between   the clock of the service is known; that poll has perhaps read the overlap
 * beginSweep    between  → sweeping  a poll that finds none under way begins one, except the first with Now; another one at once if
 *                                    the census has learned anything, and the poll may go on
 * pauseSweep    sweeping → sweeping  time, Max … per Poll or a failure ended the poll
 * endSweep      sweeping → between   the last page: a reading, after which what was not returned is confirmed (memory/entry.ts). The
 *                                    third moves the watermark to the start of the first of them, one by a sweep that `isLast` to
 *                                    the earliest start. If the clock was ahead at activation, and Start From is Now (still), a
 *                                    sweep that began before `earliest` lowers it
 * pauseCensus   between  → between   a part of the census is read, or could not be
 * rereadCensus  between  → between   the census has read the whole list, and reads it again
 * endCensus     between  → between   its third walk is complete, or one of a single page; or it cannot go on: a failure lasts, a cursor
 *                                    came back, or the walk `isStalled`
 * endReadings   between, sweeping → the same     the memory forgot what a further sweep that reads the same would emit again
 * goBack        between, sweeping → one of them  to the position before an emission that is redelivered, never forward. A sweep
 *                                    found there confirms nothing; one that had read no page counts from the readings before it
 * endPoll       between, sweeping → the same     what the poll has remembered
 *
 * The start, sweeps and the census are walks, which `walk` moves from page to page:
 *
 * pageCame      a page → the same      the page has come: the walk began no later than that, by the service's clock
 * turnPage      a page → the next      all of it is read
 * startOver     any page → the first   the service rejected the cursor, or named one that came back. After five times in vain the
 *                                      walk `isStalled`: the census ends; what a sweep does then, says fatalFailure in pollOnce.ts
 *
 * A poll that throws before it is saved leaves the trigger where it was, and so does a row that throws. The host may put it back to
 * an earlier state, from which it reads again (host/store/). A trigger stays `starting` where the service does not respond to an
 * activation, and a census stays as it is where no page of it is due. After a change of credential, base URL or event there is no
 * state (`readCheckpoint`), so the trigger begins again, whatever its phase was.
 *
 * What becomes of a record is in memory/entry.ts, of the position where an emission began in position.ts, of the last emission in
 * delivery.ts, of an execution in host/store/executions.ts.
 */

// Rejected cursors happen. Only a walk that keeps starting over and gets no further needs help, or ends if it is the census.
const MAX_IN_VAIN = 5;

// What counts for the records of a sweep, and what its end means.
const COUNTS = ['horizon', 'occurredSince', 'isLast', 'confirmsNothing'] as const;

// A date-time of the service may be cut to seconds, and updated_since may leave out the moment itself.
const DATE_MARGIN_MS = 1_000;

/** What a census has read in all, and when, by the local clock. */
type CensusCounts = Pick<Census, 'pages' | 'learned' | 'readAt'>;

/** @param now the local clock. */
export function begin(
	{ startFrom }: Pick<PollSettings, 'startFrom'>,
	{ occurredAt }: RecordKind,
	now: number,
): Starting | Sweeping {
	// 0 stands for no start date.
	const since = startFrom === 'now' ? undefined : startFrom - DATE_MARGIN_MS || -1;
	const census = newCensus(occurredAt === undefined ? undefined : since);
	const blank = { census, memory: '', details: '' };
	if (since === undefined) return legal({ ...blank, phase: 'starting', activatedAt: now });
	const sweep = { ...sweepFromDate(since, since), activatedAt: now };
	return legal({ ...blank, phase: 'sweeping', earliest: since, watermark: null, readings: [], sweep });
}

/** @param activatedAt the time of the activation, by the local clock as it is now. */
export function adjustStart(state: Starting, activatedAt: number): Starting {
	return legal({ ...state, activatedAt });
}

/** @param watermark when the first of the sweeps that have read on from `earliest` began; null when none was complete. */
export function finishStart(state: Starting, earliest: number, watermark: number | null): Between {
	return legal({ ...keptOf(state), phase: 'between', earliest, watermark, readings: [] });
}

/** @param horizon the memory's. */
export function beginSweep(state: Between, horizon: number, { overlapMs }: Pick<PollSettings, 'overlapMs'>): Sweeping {
	const {
		watermark,
		readings: [first],
	} = state;
	const since = sinceOf(state, overlapMs);
	const readsAgain = watermark === null && first !== undefined && isFromDate(first);
	must(since >= state.earliest, 'no sweep begins before the very first');
	const sweep = readsAgain ? sweepFromDate(since, first.occurredSince, horizon) : newSweep(since, horizon);
	return legal({ ...state, phase: 'sweeping', sweep });
}

/** @param sweep where it stands. */
export function pauseSweep(state: Sweeping, sweep: Sweep): Sweeping {
	must(sweep.since === state.sweep.since, 'a sweep reads on from where it began');
	const isSame = (name: (typeof COUNTS)[number]) => sweep[name] === state.sweep[name];
	must(COUNTS.every(isSame), 'a sweep ends as it began');
	must((sweep.startedAt ?? Infinity) <= (state.sweep.startedAt ?? Infinity), 'a sweep never begins later');
	return legal({ ...state, sweep });
}

/** 6. Counts a reading. @param startedAt when the sweep began, by the service's clock. */
export function endSweep(
	state: Sweeping,
	startedAt: number,
	{ startFrom, overlapMs }: Pick<PollSettings, 'startFrom' | 'overlapMs'>,
): Between {
	const { sweep, ...kept } = state;
	const { horizon, occurredSince, isLast } = sweep;
	must(startedAt <= (sweep.startedAt ?? Infinity), 'a sweep never begins later');
	const readings: [...Reading[], Reading] = [...kept.readings, { startedAt, horizon, occurredSince }];
	// A clock was ahead at activation and has been set right: sweeps would find nothing until it gets there again. A start date,
	// however, may be yet to come.
	const wasAhead = startFrom === 'now' && startedAt < kept.earliest;
	const earliest = wasAhead ? startedAt - overlapMs : kept.earliest;
	const next = { ...kept, phase: 'between' as const, earliest };
	if (!isLast && readings.length < READINGS) return legal({ ...next, readings });
	if (isLast) return legal({ ...next, watermark: earliestStart(readings), readings: [] });
	return legal({ ...next, watermark: readings[0].startedAt, readings: readings.slice(1) });
}

/** @param walk where the census stands. */
export function pauseCensus(state: Between, walk: Walk, counts: CensusCounts): Between {
	must(walk.since === state.census?.walk.since, 'a census reads on from where it began');
	return withCensus(state, counts, walk);
}

export function rereadCensus(state: Between, counts: CensusCounts): Between {
	return withCensus(state, counts, newWalk(0), 1);
}

export function endCensus(state: Between): Between {
	must(state.census !== null, 'there is a census to end');
	return legal({ ...state, census: null });
}

/**
 * Ends the readings: the sweep under way is the last, or the readings so far are enough. Exception: sweeps from a date keep an
 * existing watermark, so that the next sweep returns unconfirmed records again.
 */
export function endReadings<S extends Started>(state: S): S {
	if (state.phase === 'sweeping') return legal({ ...state, sweep: { ...state.sweep, isLast: true } });
	const { watermark, readings } = state;
	const [first] = readings;
	if (first === undefined) return state;
	const stays = watermark !== null && isFromDate(first);
	return legal({ ...state, watermark: stays ? watermark : earliestStart(readings), readings: [] });
}

/**
 * Goes back to where emissions began that are redelivered. The trigger may be further back already, where it redelivered another
 * emission: it stays there, but its sweep must not confirm what was taken out, either. An older sweep then continues, and its end
 * confirms nothing learned since it began. A sweep that had read no page gets the earliest start of the readings before it: the
 * next sweep must reach back that far.
 */
export function goBack(state: Started, from: readonly Position[]): Started {
	const { earliest } = state;
	const own = positionOf(state);
	const position = furthestBack(from, own);
	const next = {
		...keptOf(state),
		earliest,
		...(position.phase === 'between' ? position : confirmsNothing(position, earliest)),
	};
	const isForward = [...from, own].some((one) => isFurtherBack(one, positionOf(next)));
	must(!isForward, 'going back never leads forward');
	return legal(next);
}

/** Returns the same position with a sweep that confirms nothing, and has begun. */
function confirmsNothing(position: Extract<Position, { phase: 'sweeping' }>, earliest: number): typeof position {
	const { watermark, readings, sweep } = position;
	const startOfReadings = readings.length === 0 ? (watermark ?? earliest) : earliestStart(readings);
	const isUnbegun = sweep.startedAt === null && sweep.activatedAt === undefined;
	const begun = isUnbegun ? { ...sweep, startedAt: startOfReadings, activatedAt: undefined } : sweep;
	return { ...position, sweep: { ...begun, confirmsNothing: true } };
}

/** Whether the poll has emitted anything, what it has left in the memory, and how many records that has. */
interface EndOfPoll extends Pick<Kept, 'memory' | 'details'> {
	hasEmitted: boolean;
	end: MemoryEnd;
	size: number;
}

export function endPoll<S extends Started>(state: S, { hasEmitted, memory, details, end, size }: EndOfPoll): S {
	must(!hasEmitted || sizeOf(end) > 0, 'what is emitted is remembered');
	must(sizeOf(end) <= size, 'what was emitted last is remembered');
	return legal({ ...state, memory, details });
}

/**
 * Notes that a page has come. It tells the activation by the service's clock.
 * @param asOf the service's clock when it read the page. @param now the local clock.
 */
export function pageCame<W extends Walk & { activatedAt?: number | undefined }>(walk: W, asOf: number, now: number) {
	const { startedAt, activatedAt = Infinity } = walk;
	const activated = Math.min(activatedAt, byService(activatedAt, asOf, now));
	return { ...walk, startedAt: Math.min(startedAt ?? Infinity, activated, asOf), activatedAt: undefined };
}

export function turnPage<W extends Walk>(walk: W & { startedAt: number }, cursor: string, trail: Trail): W {
	must(pagesOf(trail) === pagesOf(walk.trail) + 1, 'a page is turned once');
	return { ...walk, cursor, trail };
}

/** Starts a walk over. It keeps its start: what it has learned, and is unconfirmed, may have been created any time since. */
export function startOver<W extends Walk>(walk: W): W {
	const { inVain, furthest } = walk.setbacks;
	const pages = pagesOf(walk.trail);
	const setbacks = pages > furthest ? { inVain: 0, furthest: pages } : { inVain: inVain + 1, furthest };
	return { ...walk, cursor: null, trail: FRESH_TRAIL, setbacks };
}

/** Whether a walk has started over in vain too often to come to its end by itself, and has got no further since. */
export function isStalled({ trail, setbacks }: Walk): boolean {
	return setbacks.inVain >= MAX_IN_VAIN && pagesOf(trail) <= setbacks.furthest;
}

function withCensus(state: Between, counts: CensusCounts, walk: Walk, times = 0): Between {
	const { census } = state;
	must(census !== null && counts.pages >= census.pages && counts.learned >= census.learned, 'a census reads on');
	return legal({ ...state, census: { ...census, ...counts, walk, walks: census.walks + times } });
}

/** @throws an Error where no poll could continue: saved, such a state would fail each later poll. */
function legal<S extends State>(state: S): S {
	const problem = problemOf(state);
	must(problem === undefined, problem);
	return state;
}

function sweepFromDate(since: number, occurredSince: number, horizon = 0) {
	return { ...newSweep(since, horizon), occurredSince, confirmsNothing: true as const };
}

/**
 * Returns where the next sweep begins: the overlap before the watermark, or before a reading that began earlier. A slow
 * response makes a start earlier, so the overlap may reach back behind the very first sweep.
 */
function sinceOf({ watermark, readings, earliest }: Between, overlapMs: number): number {
	if (watermark === null) return earliest;
	return Math.max(Math.min(watermark, earliestStart(readings)) - overlapMs, earliest);
}
