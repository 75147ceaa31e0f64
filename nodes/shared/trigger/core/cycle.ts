import { FRESH_TRAIL, pagesOf } from '../../service/trail';
import type { RecordKind } from './memory/fingerprint';
import type { PollSettings } from './ports';
import type { Between, Position, Reading, Starting, State, Sweep, Sweeping, Walk } from './state';
import { isStarting, isSweeping, newCensus, newSweep } from './state';

/*
 * How a trigger moves between its phases (`State` in state.ts). Each row is a pure function. `walk` moves a sweep
 * within its phase, from page to page. `redeliver` calls `goBack`, and takes out of the memory what is emitted again.
 * `assertLegal` checks the state that a poll ends with.
 *
 * begin                nothing  → starting  the first poll, Start From: Now
 *                               → sweeping  the first poll, Start From: A Date
 * finishStart          starting → between   that poll has read the overlap
 *                               → sweeping  that poll could read only a part of it
 * adjustStart          starting → starting  the first poll got no response: the activation by the clock as it is now
 * sweepFromActivation  starting → sweeping  the first response after that, or after `goBack` to the start
 * beginSweep           between  → sweeping
 * pauseSweep           sweeping → sweeping  time, Max … per Poll or a failure ended the poll
 * startOver            sweeping → sweeping  the service rejected the cursor, or it came back: from the first page
 * endSweep             sweeping → between   the last page: a reading; the third, or an only one, moves the watermark
 * dropReadings         any      → the same  today and yesterday exceed the memory: the first reading is the last
 * goBack               any      → any       to the phase and position before an emission that is redelivered
 */

/**
 * How many sweeps read the same. A cursor may be an offset into a list that shifts while it is read: when a record in
 * front of it changes or is deleted, the next page skips another one. Three sweeps would have to skip the same one.
 */
export const READINGS = 3;

// Rejected cursors happen. Only a sweep that keeps starting over and gets no further needs help.
const MAX_IN_VAIN = 5;

// A date-time of the service may be cut to seconds, and updated_since may leave out the moment itself.
const DATE_MARGIN_MS = 1_000;

/** `now` is the local clock. */
export function begin(
	{ identity, startFrom }: PollSettings,
	{ occurredAt }: RecordKind,
	now: number,
): Starting | Sweeping {
	const since = startFrom === 'now' ? undefined : startFrom - DATE_MARGIN_MS;
	const blank = {
		version: 1 as const,
		identity,
		earliest: since ?? null,
		watermark: null,
		readings: [] as [],
		emissions: 0,
		last: null,
		census: newCensus(occurredAt === undefined ? undefined : since),
		memory: '',
		details: '',
	};
	if (since === undefined) return { ...blank, activatedAt: now, sweep: null };
	return { ...blank, activatedAt: null, sweep: sweepFromDate(since, since) };
}

/** `watermark` is when the first of its sweeps began, null when that was not complete. */
export function finishStart(state: Starting, since: number, watermark: number | null): Between | Sweeping {
	const begun = { ...state, activatedAt: null, earliest: since, watermark };
	return watermark === null ? { ...begun, sweep: newSweep(since) } : begun;
}

/** `activatedAt` is the time of the activation by the local clock as it is now. */
export function adjustStart(state: Starting, activatedAt: number): Starting {
	return { ...state, activatedAt };
}

/** By the service's clock, the overlap before the activation. `asOf` is that clock now, `now` the local one. */
export function sweepFromActivation(
	state: Starting,
	{ asOf, now, horizon }: { asOf: number; now: number; horizon: number },
	{ overlapMs }: PollSettings,
): Sweeping {
	// Known of a start that is redelivered; the local clock may have been set since.
	const earliest = state.earliest ?? state.activatedAt + (asOf - now) - overlapMs;
	return { ...state, activatedAt: null, earliest, sweep: { ...newSweep(earliest), horizon } };
}

/** `horizon` is the memory's. */
export function beginSweep(state: Between, horizon: number, { overlapMs }: PollSettings): Sweeping {
	const {
		watermark,
		readings: [first],
	} = state;
	const since = sinceOf(state, overlapMs);
	const isFromDate = watermark === null && first !== undefined && first.occurredSince !== 0;
	const sweep = isFromDate ? sweepFromDate(since, first.occurredSince) : newSweep(since);
	return {
		...state,
		sweep: { ...sweep, horizon: first === undefined ? horizon : first.horizon, isAgain: first !== undefined },
	};
}

export function pauseSweep(state: Sweeping, sweep: Sweep): Sweeping {
	return { ...state, sweep };
}

/** A walk keeps its start: what it has learned, and is unconfirmed, may have been created at any time since then. */
export function startOver<W extends Walk>(walk: W): W {
	const { inVain, furthest } = walk.setbacks;
	const pages = pagesOf(walk.trail);
	const setbacks = pages > furthest ? { inVain: 0, furthest: pages } : { inVain: inVain + 1, furthest };
	return { ...walk, cursor: null, trail: FRESH_TRAIL, setbacks };
}

/** Whether a walk has started over in vain too often to come to its end by itself. */
export function isStalled({ setbacks }: Walk): boolean {
	return setbacks.inVain >= MAX_IN_VAIN;
}

/** `startedAt` is when the sweep began, by the service's clock. */
export function endSweep(state: Sweeping, startedAt: number, { startFrom, overlapMs }: PollSettings): Between {
	const { horizon, occurredSince, isOnly } = state.sweep;
	const readings: [...Reading[], Reading] = [...state.readings, { startedAt, horizon, occurredSince }];
	// A clock was ahead at activation and has been set right: sweeps would find nothing until it gets there again.
	const wasAhead = startFrom === 'now' && state.earliest !== null && startedAt < state.earliest;
	const earliest = wasAhead ? startedAt - overlapMs : state.earliest;
	const next = { ...state, earliest, sweep: null };
	if (isOnly) return { ...next, watermark: startedAt, readings: [] };
	if (readings.length < READINGS) return { ...next, readings };
	return { ...next, watermark: readings[0].startedAt, readings: readings.slice(1) };
}

/**
 * Another reading would emit again what the memory has forgotten, so the first one is enough: the watermark moves to its start.
 * From a date, the earlier watermark stays, because unconfirmed records must be returned again.
 */
export function dropReadings(state: State): State {
	if (isStarting(state)) return state;
	const [first] = state.readings;
	const earlier = (first?.occurredSince ?? 0) === 0 ? null : state.watermark;
	const watermark = earlier ?? first?.startedAt ?? state.watermark;
	if (!isSweeping(state)) return { ...state, watermark, readings: [] };
	const startedAt = first?.startedAt ?? state.sweep.startedAt;
	return { ...state, watermark, readings: [], sweep: { ...state.sweep, isOnly: true, startedAt } };
}

/**
 * An older sweep then continues. Records learned since it began prove nothing by its end. It keeps its earlier start: the
 * next sweep must return everything still unconfirmed.
 */
export function goBack(state: State, before: Position): State {
	const { watermark, readings, sweep } = state;
	if (before.sweep === null) return { ...state, ...before };
	const startedAt = before.sweep.startedAt ?? watermark ?? readings[0]?.startedAt ?? sweep?.startedAt ?? null;
	return { ...state, ...before, sweep: { ...before.sweep, startedAt, confirmsNothing: true } };
}

function sweepFromDate(since: number, occurredSince: number): Sweep {
	return { ...newSweep(since), occurredSince, confirmsNothing: true };
}

/**
 * Where the next sweep begins: the overlap before the watermark. A sweep with an earlier start shows that the clock was ahead
 * before. A slow response makes a start earlier, so the overlap may reach back behind the very first sweep.
 */
function sinceOf({ watermark, readings, earliest }: Between, overlapMs: number): number {
	if (watermark === null) {
		if (earliest === null) throw new Error('A state has a watermark or an earliest moment');
		return earliest;
	}
	const starts = readings.map(({ startedAt }) => startedAt);
	return Math.max(Math.min(watermark, ...starts) - overlapMs, earliest ?? -Infinity);
}
