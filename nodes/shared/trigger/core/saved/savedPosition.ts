import { FRESH_TRAIL } from '../../../service/trail';
import type { Census, Position, Reading, Starting, Sweep, Walk } from '../state';
import { confirms, newSweep } from '../state';
import type { SavedCensus, SavedPosition, SavedSweep, SavedWalk } from './parts';

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

/** Returns the saved position of a trigger that is starting. One that starts from a date has a sweep without a page. */
export function savedStartOf({ startDate }: Starting): SavedPosition & { earliest: number | null } {
	const sweep = startDate === null ? null : savedSweepOf(newSweep(startDate, 0, startDate));
	return { earliest: startDate, watermark: null, readings: [], sweep };
}

/** Returns the start date of a trigger that is starting, null for Now; `undefined` if the trigger has started. */
export function startDateIn({ earliest, watermark, readings, sweep }: ReturnType<typeof savedStartOf>) {
	const hasRead = watermark !== null || readings.length > 0;
	return hasRead || (sweep?.since ?? null) !== earliest ? undefined : earliest;
}

export function censusIn({ walk, before, ...census }: SavedCensus): Census {
	return { ...census, walk: walkIn(walk), startDate: before ?? null };
}

export function savedCensusOf({ walk, startDate, ...census }: Census): SavedCensus {
	return { ...census, walk: savedWalkOf(walk), ...(startDate !== null && { before: startDate }) };
}

// In a saved sweep or reading.
const NO_DATE = 0;

function dateIn(occurredSince: number): number | null {
	return occurredSince === NO_DATE ? null : occurredSince;
}

function savedDateOf(startDate: number | null): number {
	return startDate === null ? NO_DATE : startDate || -1;
}

function readingIn({ startedAt, horizon, occurredSince }: SavedReading): Reading {
	return { startedAt, horizon, startDate: dateIn(occurredSince) };
}

function savedReadingOf({ startedAt, horizon, startDate }: Reading): SavedReading {
	return { startedAt, horizon, occurredSince: savedDateOf(startDate) };
}

function sweepIn({ occurredSince, confirmsNothing, horizon, isLast, ...walk }: SavedSweep): Sweep {
	const startDate = dateIn(occurredSince);
	return { ...walkIn(walk), horizon, startDate, isLast, isAgain: startDate === null && confirmsNothing };
}

function savedSweepOf(sweep: Sweep): SavedSweep {
	const { horizon, isLast, startDate } = sweep;
	const occurredSince = savedDateOf(startDate);
	return { ...savedWalkOf(sweep), horizon, isLast, occurredSince, confirmsNothing: !confirms(sweep) } as SavedSweep;
}

function walkIn({ since, startedAt, cursor, trail, setbacks }: SavedWalk): Walk {
	if (startedAt === null) return { since, startedAt, next: null, setbacks };
	return { since, startedAt, next: cursor === null ? null : { cursor, trail }, setbacks };
}

function savedWalkOf({ since, startedAt, next, setbacks }: Walk): SavedWalk {
	const { cursor, trail } = next ?? { cursor: null, trail: FRESH_TRAIL };
	return { since, startedAt, cursor, trail, setbacks } as SavedWalk;
}
