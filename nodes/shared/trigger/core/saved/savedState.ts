import { FRESH_TRAIL } from '../../../service/trail';
import type { Reading } from '../period';
import type { Census, Mode, Position, State, Sweep, Walk } from '../state';
import { hasFailedBefore, newCensus, newSweep, newWalk } from '../state';
import type { Parts, SavedCensus, SavedPosition, SavedSweep, SavedWalk } from './parts';

type SavedState = Omit<Parts, 'emissions' | 'last'>;
type SavedReading = SavedPosition['readings'][number];

export function positionIn({ watermark, readings, sweep }: SavedPosition): Position {
	const read = { watermark, readings: readings.map(readingIn) };
	return sweep === null ? { phase: 'between', ...read } : { phase: 'sweeping', ...read, sweep: sweepIn(sweep) };
}

export function savedPositionOf(position: Position): SavedPosition {
	const { watermark, readings } = position;
	const sweep = position.phase === 'sweeping' ? savedSweepOf(position.sweep) : null;
	return { watermark, readings: readings.map(savedReadingOf), sweep };
}

/** Returns the state in the phase that its saved parts fit; `undefined` if they fit none. */
export function stateIn({ activatedAt, earliest, census, ...position }: SavedState): State | undefined {
	if (activatedAt === null) {
		if (earliest === null) return undefined;
		return { ...positionIn(position), earliest, census: census && censusIn(census) };
	}
	const { watermark, readings, sweep } = position;
	const hasRead = watermark !== null || readings.length > 0 || (sweep?.since ?? null) !== earliest;
	return hasRead ? undefined : { phase: 'starting', activatedAt, startDate: earliest };
}

/** Returns the saved state. A trigger that starts from a date has a sweep without a page, as in 0.2.0. */
export function savedStateOf(state: State): SavedState {
	if (state.phase !== 'starting') {
		const { earliest, census } = state;
		return { activatedAt: null, earliest, census: census && savedCensusOf(census), ...savedPositionOf(state) };
	}
	const { activatedAt, startDate } = state;
	const sweep = startDate === null ? null : savedSweepOf(newSweep(newWalk(startDate), 0, startDate));
	const census = savedCensusOf(newCensus(startDate));
	return { activatedAt, earliest: startDate, census, watermark: null, readings: [], sweep };
}

function censusIn({ walk, before, readAt, ...counts }: SavedCensus): Census {
	const startDate = before ?? null;
	return readAt === null ? newCensus(startDate) : { ...counts, walk: walkIn(walk), readAt, startDate };
}

function savedCensusOf({ walk, startDate, ...census }: Census): SavedCensus {
	return { ...census, walk: savedWalkOf(walk), ...(startDate !== null && { before: startDate }) };
}

// In a saved sweep or reading.
const NO_DATE = 0;

function dateIn(occurredSince: number): number | null {
	return occurredSince === NO_DATE ? null : occurredSince;
}

function savedDateOf(startDate: number | null): number {
	// The epoch itself, which would mean no date, is saved a millisecond earlier.
	return startDate === null ? NO_DATE : startDate || -1;
}

function readingIn({ startedAt, horizon, occurredSince }: SavedReading): Reading {
	return { startedAt, horizon, startDate: dateIn(occurredSince) };
}

function savedReadingOf({ startedAt, horizon, startDate }: Reading): SavedReading {
	return { startedAt, horizon, occurredSince: savedDateOf(startDate) };
}

function sweepIn(saved: SavedSweep): Sweep {
	const { horizon, isLast } = saved;
	return { walk: walkIn(saved), horizon, isLast, mode: modeIn(saved) };
}

function modeIn({ occurredSince, confirmsNothing, redeliversFailed: failedBefore = false }: SavedSweep): Mode {
	const startDate = dateIn(occurredSince);
	if (startDate !== null) return { kind: 'from a date', startDate, failedBefore };
	return confirmsNothing || failedBefore ? { kind: 'redelivers', failedBefore } : { kind: 'usual' };
}

function savedSweepOf(sweep: Sweep): SavedSweep {
	const { walk, horizon, isLast, mode } = sweep;
	const members = { ...savedWalkOf(walk), horizon, isLast, ...(hasFailedBefore(sweep) && { redeliversFailed: true }) };
	return mode.kind === 'from a date'
		? { ...members, occurredSince: savedDateOf(mode.startDate), confirmsNothing: true }
		: { ...members, occurredSince: NO_DATE, confirmsNothing: mode.kind === 'redelivers' };
}

function walkIn({ since, startedAt, cursor, trail, setbacks }: SavedWalk): Walk {
	if (startedAt === null) return { since, startedAt, next: null, setbacks };
	return { since, startedAt, next: cursor === null ? null : { cursor, trail }, setbacks };
}

function savedWalkOf({ since, startedAt, next, setbacks }: Walk): SavedWalk {
	if (startedAt === null) return { since, startedAt, cursor: null, trail: FRESH_TRAIL, setbacks };
	const { cursor, trail } = next ?? { cursor: null, trail: FRESH_TRAIL };
	return { since, startedAt, cursor, trail, setbacks };
}
