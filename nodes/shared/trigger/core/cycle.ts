import { must, WrongState } from './failures';
import { isTime } from './memory/fingerprint';
import { countReading, earliestStart, endPeriod, nextSince, nextStartDate } from './period';
import type { PollSettings } from './ports';
import { furthestBack, isFurtherBack } from './position';
import type { BegunWalk, Between, Census, NextPage, Position, Started, Starting, State, Sweeping, Walk } from './state';
import { hasFailedBefore, newCensus, newSweep, newWalk, pagesRead, positionOf, problemOf, startDateOf } from './state';

/*
 * The transitions between the phases of a trigger (`State` in state.ts): a pure function for each row, whose types are the phases
 * before and after, except those of `goBack`. `must` checks what types cannot express.
 *
 * begin         nothing  → starting  A poll finds no checkpoint of its credential, base URL and event: none has been stored,
 *                                    one of them has changed, in any phase, or n8n has lost the state.
 * adjustStart   starting → starting  The process that started the trigger measures the time of the activation again, by the clock
 *                                    as it is now. With a start date it never becomes later.
 * startFromNow  starting → between   The service's time is known. A poll that begins has learned the overlap, as far as it got.
 * startFromDate starting → sweeping  The service's time is known. The sweep has begun with the activation, by that time.
 * beginSweep    between  → sweeping  A poll without a sweep under way begins one, except one that begins with Start From: Now.
 *                                    The same poll begins another one if the census has learned a record, and the poll may go on.
 * pauseSweep    sweeping → sweeping  Time, Max … per Poll or a failure ended the poll.
 * endSweep      sweeping → between   The last page makes the sweep a reading, which may begin the next period (period.ts).
 * backdate      between  → between   At the end of a sweep both clocks are before `earliest`: they were ahead at the activation.
 *                                    With Start From: Now, and no census from a date, `earliest` moves to the overlap before
 *                                    that sweep.
 * pauseCensus   between  → between   The census has read a part of the list, or failed to read it.
 * rereadCensus  between  → between   The census has read the whole list, and reads it again.
 * endCensus     between  → between   The third walk of the census is complete, or a walk of a single page. Or the census cannot
 *                                    go on: a failure lasts, a cursor came back, or the walk `isStalled`.
 * endReadings   between, sweeping → the same     The memory forgot records that a further sweep of the period would emit again. A
 *                                                sweep under way becomes the last of its period. Between two sweeps the period
 *                                                ends (`endPeriod`).
 * goBack        between, sweeping → one of them  The trigger returns to the position where a redelivered emission began, never
 *                                                forward, perhaps with an earlier `earliest`.
 *
 * The start, each sweep and the census are walks, which begin at the first page (`newWalk`):
 *
 * pageCame      a page → the same        The page has come. The walk began no later than the service's time of the page.
 * turnPage      a page → the next        All records of the page are taken, and it names a cursor.
 * endWalk       a page → complete        All records of the page are taken, and it names none.
 * startOver     a later page → the first The service rejected the cursor, perhaps by a 500, or named one that came back. After
 *                                        five times in vain the walk `isStalled`. Then the census ends; for a sweep see
 *                                        `fatalFailure`.
 * undo          any page → a later page  It had started over after a 500, and a page then got a 500, too: the walk is where it
 *                                        was before this part.
 *
 * A poll that throws before it saves leaves the trigger where it was, and so does a sweep after the census that fails where it began:
 * it is dropped (`continueCensus`). The host may continue from an earlier state (host/store/), or from the former one if a change of
 * credential, base URL or event is undone while it is `starting` (saved/savedForm.ts).
 */

// A rejected cursor is normal. After this many starts in vain it fails the sweep, or ends the census.
const MAX_IN_VAIN = 5;

// The service may cut a time to seconds, and may leave out records that changed exactly at `updated_since`.
const DATE_MARGIN_MS = 1_000;

/** The totals of a census after another part of the list. */
type CensusCounts = Pick<Census, 'pages' | 'learned'> & { readAt: number };

/** The members of a state that each row may change, add or remove. A start makes a new state, which `checked` checks. */
const MEMBERS_OF = {
	adjustStart: ['activatedAt'],
	beginSweep: ['phase', 'sweep'],
	pauseSweep: ['sweep'],
	endSweep: ['phase', 'sweep', 'watermark', 'readings'],
	backdate: ['earliest'],
	pauseCensus: ['census'],
	rereadCensus: ['census'],
	endCensus: ['census'],
	endReadings: ['sweep', 'watermark', 'readings'],
	goBack: ['phase', 'sweep', 'watermark', 'readings', 'earliest'],
} satisfies Record<string, string[]>;

/** @param now n8n's clock. */
export function begin({ startFrom }: Pick<PollSettings, 'startFrom'>, now: number): Starting {
	const startDate = startFrom === 'now' ? null : startFrom - DATE_MARGIN_MS;
	return checked({ phase: 'starting', activatedAt: now, startDate });
}

/** @param activatedAt see Ports. A machine that slept makes it too late, which could lose a record with a start date. */
export function adjustStart(state: Starting, activatedAt: number): Starting {
	const isFromNow = state.startDate === null;
	const adjusted = isFromNow ? activatedAt : Math.min(state.activatedAt, activatedAt);
	return transition('adjustStart', state, { ...state, activatedAt: adjusted });
}

/** @param watermark the start of the first complete walk from `earliest`; null if no walk was complete. */
export function startFromNow(state: Starting, earliest: number, watermark: number | null): Between {
	must(state.startDate === null, 'a trigger with a start date starts from it');
	return checked({ phase: 'between', earliest, watermark, readings: [], census: newCensus(null) });
}

/** @param startedAt the activation by the service's time: a record that becomes visible later is new, whatever its date. */
export function startFromDate(state: Starting, startedAt: number): Sweeping {
	const { startDate } = state;
	must(startDate !== null, 'a trigger without a start date starts from now');
	const sweep = newSweep({ ...newWalk(startDate), startedAt }, 0, startDate);
	const census = newCensus(startDate);
	return checked({ phase: 'sweeping', earliest: startDate, watermark: null, readings: [], sweep, census });
}

export function beginSweep(state: Between, horizon: number, { overlapMs }: Pick<PollSettings, 'overlapMs'>): Sweeping {
	const walk = newWalk(nextSince(state, state.earliest, overlapMs));
	const sweep = newSweep(walk, horizon, nextStartDate(state));
	return transition('beginSweep', state, { ...state, phase: 'sweeping', sweep });
}

export function pauseSweep(state: Sweeping, { rest: walk }: { rest: Walk }): Sweeping {
	const { sweep } = state;
	must(walk.since === sweep.walk.since, 'a sweep reads on from where it began');
	must((walk.startedAt ?? Infinity) <= (sweep.walk.startedAt ?? Infinity), 'a sweep never begins later');
	return transition('pauseSweep', state, { ...state, sweep: { ...sweep, walk } });
}

export interface WalkEnd {
	/** The start of the walk by the service's time. */
	startedAt: number;
	/** The later of both clocks when the last page came. */
	latest: number;
	/** A walk of one page skips no record. */
	hadOnePage: boolean;
}

export function endSweep(state: Sweeping, { startedAt }: Pick<WalkEnd, 'startedAt'>): Between {
	const { sweep, ...kept } = state;
	const { horizon, isLast } = sweep;
	must(startedAt <= (sweep.walk.startedAt ?? Infinity), 'a sweep never begins later');
	const period = countReading(kept, { startedAt, horizon, startDate: startDateOf(sweep) }, isLast);
	return transition('endSweep', state, { ...kept, ...period, phase: 'between' });
}

/** Moves `earliest` back once a clock is right again: no sweep would find anything until that time. */
export function backdate(
	state: Between,
	{ startedAt, latest }: Omit<WalkEnd, 'hadOnePage'>,
	{ startFrom, overlapMs }: Pick<PollSettings, 'startFrom' | 'overlapMs'>,
): Between {
	// One clock before `earliest` says nothing: it may be behind for a moment.
	const wasAhead = latest < state.earliest;
	// A start date may lie in the future, and the user may have chosen Now since: the census has the date until then.
	const isFromDate = startFrom !== 'now' || (state.census?.startDate ?? null) !== null;
	if (!wasAhead || isFromDate) return state;
	return transition('backdate', state, { ...state, earliest: Math.min(state.earliest, startedAt - overlapMs) });
}

export function pauseCensus(state: Between, walk: Walk, counts: CensusCounts): Between {
	must(walk.since === state.census?.walk.since, 'a census reads on from where it began');
	return withCensus('pauseCensus', state, { ...counts, walk });
}

export function rereadCensus(state: Between, counts: CensusCounts): Between {
	return withCensus('rereadCensus', state, { ...counts, walk: newWalk(0) }, 1);
}

export function endCensus(state: Between): Between {
	must(state.census !== null, 'there is a census to end');
	return transition('endCensus', state, { ...state, census: null });
}

export function endReadings<S extends Started>(state: S): S {
	const next = state.phase === 'sweeping' ? { sweep: { ...state.sweep, isLast: true } } : endPeriod(state);
	return transition('endReadings', state, { ...state, ...next });
}

/**
 * Goes back to the furthest position where one of these emissions began, unless the trigger is further back already. A sweep at
 * that position confirms nothing: records that were learned or redelivered since its start may be new.
 * @param failedBefore see Redelivery.
 */
export function goBack(state: State, origins: readonly Position[], failedBefore: boolean): State {
	if (origins.length === 0) return state;
	must(state.phase !== 'starting', 'a trigger that starts has emitted nothing');
	const { earliest, census } = state;
	const own = positionOf(state);
	const position = furthestBack(origins, own);
	// Another process may have begun anew since the sweep at that position began.
	const since = position.phase === 'sweeping' ? position.sweep.walk.since : earliest;
	const next = { ...redelivering(position, earliest, failedBefore), earliest: Math.min(earliest, since), census };
	must(!isFurtherBack(own, next), 'going back never leads forward');
	return transition('goBack', state, next);
}

function redelivering(position: Position, earliest: number, failedBefore: boolean): Position {
	if (position.phase === 'between') return position;
	const { watermark, readings, sweep } = position;
	// A sweep that had read no page: the next one must reach back that far.
	const startOfReadings = readings.length === 0 ? (watermark ?? earliest) : earliestStart(readings);
	const walk = { ...sweep.walk, startedAt: sweep.walk.startedAt ?? startOfReadings };
	const kept = sweep.mode.kind === 'usual' ? { kind: 'redelivers' as const } : sweep.mode;
	const mode = { ...kept, failedBefore: failedBefore || hasFailedBefore(sweep) };
	return { ...position, sweep: { ...sweep, walk, mode } };
}

export function pageCame(walk: Walk, asOf: number): BegunWalk {
	must(isTime(asOf), 'a page comes at a time');
	return { ...walk, startedAt: Math.min(walk.startedAt ?? Infinity, asOf) };
}

export function turnPage(walk: BegunWalk, next: NextPage): BegunWalk {
	const turned = { ...walk, next };
	must(pagesRead(turned) === pagesRead(walk) + 1, 'a page is turned once');
	return turned;
}

export function endWalk({ startedAt, next }: BegunWalk, latest: number): WalkEnd {
	return { startedAt, latest, hadOnePage: next === null };
}

/** Starts a walk over. The walk keeps its start: unconfirmed records that it learned may have been created at any time since. */
export function startOver(walk: Walk): Walk {
	const { inVain, furthest } = walk.setbacks;
	const pages = pagesRead(walk);
	must(walk.next !== null, 'only a later page makes a walk start over');
	const setbacks = pages > furthest ? { inVain: 0, furthest: pages } : { inVain: inVain + 1, furthest };
	return { ...walk, next: null, setbacks };
}

export function undo(walk: Walk, before: Walk): Walk {
	must(walk.since === before.since && before.next !== null, 'a walk goes back to a later page of its list');
	return before;
}

/** Whether a walk has started over in vain too often to reach its end by itself, and has read no further since. */
export function isStalled(walk: Walk): boolean {
	const { inVain, furthest } = walk.setbacks;
	return inVain >= MAX_IN_VAIN && pagesRead(walk) <= furthest;
}

function withCensus(
	row: 'pauseCensus' | 'rereadCensus',
	state: Between,
	read: CensusCounts & { walk: Walk },
	times = 0,
): Between {
	const { census } = state;
	must(census !== null && read.pages >= census.pages && read.learned >= census.learned, 'a census reads on');
	const { startDate, walks } = census;
	return transition(row, state, { ...state, census: { ...read, startDate, walks: walks + times } });
}

/** @throws WrongState if a row makes a state from which no poll could continue, or changes what is not its own. */
function transition<S extends State>(row: keyof typeof MEMBERS_OF, before: State, next: S): S {
	const isForward = before.phase !== 'starting' && next.phase !== 'starting' && next.earliest > before.earliest;
	must(!isForward, 'the earliest time never moves forward');
	const own: readonly string[] = MEMBERS_OF[row];
	for (const name of Object.keys({ ...before, ...next })) {
		const isSame = before[name as keyof State] === next[name as keyof State];
		must(isSame || own.includes(name), `${row} changes ${name}`);
	}
	return checked(next);
}

/** @throws WrongState if no poll could continue from the state: once saved, it would fail each later poll. */
function checked<S extends State>(state: S): S {
	const problem = problemOf(state);
	if (problem !== undefined) throw new WrongState(problem);
	return state;
}
