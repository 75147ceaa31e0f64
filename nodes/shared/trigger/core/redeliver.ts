import { without, withoutLast } from './memory/text';
import type { Additions, EmittedEntries } from './memory/text';
import type { LastEmission, Position, State } from './state';

export interface RepeatSettings {
	/** Whether a changed record is emitted again. */
	keepsContent: boolean;
	/** When the last emission of a process that is gone is repeated. */
	afterRestart: 'recent' | 'always' | 'never';
}

/** What one poll emitted under n8n's default static data, with which n8n stores the execution after the state. */
export interface Emission extends EmittedEntries {
	/** Where the trigger stood before the poll, or further back. */
	before: Position;
	/** Its place among the emissions of the trigger. */
	number: number;
	/** The local clock, in milliseconds since the epoch. */
	at: number;
	/** Whether the poll redelivered the emission of an earlier process. */
	repeats: boolean;
	/** Whether n8n may have failed to store some of it before: the next process redelivers it however late it begins. */
	afterFailure: boolean;
}

export interface Redelivery {
	/** As it was before the last emission. */
	state: State;
	/** How many records the poll that continues from there may emit. */
	maxRecords: number;
}

/**
 * A process that begins later than this after an emission did not interrupt the storing of it. In milliseconds. n8n's time
 * limit for a statement to PostgreSQL is as long, that for SQLite is shorter.
 */
export const RECENT_MS = 300_000;

/**
 * Redelivers the last emission of a process that is gone, when n8n may have ended before it stored the execution.
 * `begunAt` and `now` are in milliseconds since the epoch.
 *
 * A process that ended before its second poll may have done so because of what it repeated, for example because memory
 * ran out. Each further process then repeats half as much, and leaves the rest to its next poll.
 */
export function redeliverLast(
	state: State,
	{ keepsContent, afterRestart }: RepeatSettings,
	process: string | undefined,
	begunAt: number,
	now: number,
): Redelivery | undefined {
	const { last, memory } = state;
	if (last === null || last.process === process || afterRestart === 'never') return undefined;
	if (afterRestart === 'recent' && !isRecent(last, begunAt, now)) return undefined;
	const maxRecords = last.repeats ? Math.max(1, Math.ceil((last.added + last.changed) / 2)) : Infinity;
	const before = { ...state, ...last.before, last: null, memory: withoutLast(memory, keepsContent, last) };
	return { state: continuing(before, state), maxRecords };
}

/** A standby process that takes over began before the emission, so its poll counts. Without a time it is always recent. */
function isRecent({ at }: LastEmission, begunAt: number, now: number): boolean {
	return at === undefined || (begunAt >= at ? begunAt : now) - at < RECENT_MS;
}

/**
 * Redelivers what n8n did not store, oldest first. Other emissions stay remembered, so that only this is emitted again.
 * From its position on everything is read again, so an unacknowledged emission that is redelivered later goes back as far.
 */
export function redeliverNotStored(
	state: State,
	{ notStored, unacknowledged }: { notStored: Emission[]; unacknowledged: Emission[] },
	keepsContent: boolean,
): State {
	const [first] = notStored;
	if (first === undefined) return state;
	for (const emission of unacknowledged) if (emission.number >= first.number) emission.before = first.before;
	const memory = without(state.memory, keepsContent, notStored);
	// Counted, so that this state counts as later than the one that n8n has saved.
	const before = { ...state, ...first.before, emissions: state.emissions + 1, last: null, memory };
	return continuing(before, state);
}

/**
 * After a redelivery an older sweep continues. Records learned since it began prove nothing by its end. It keeps its
 * earlier start: the next sweep must return everything still unconfirmed.
 */
function continuing(state: State, { sweep, readings, watermark }: State): State {
	if (state.sweep === null) return state;
	const startedAt = state.sweep.startedAt ?? watermark ?? readings[0]?.startedAt ?? sweep?.startedAt ?? null;
	return { ...state, sweep: { ...state.sweep, startedAt, confirmsNothing: true } };
}

/** The emissions that n8n may not have stored yet. Older ones count as stored unless n8n says otherwise. */
export function recent(emissions: Emission[], now: number): Emission[] {
	return emissions.filter(({ at, afterFailure }) => afterFailure || now - at < RECENT_MS);
}

/** What the next process must redeliver, unless n8n stored it; null when there is nothing. Emissions come oldest first. */
export function lastEmissionOf(
	process: string,
	emissions: Emission[],
	{ added, changed }: Additions,
): LastEmission | null {
	const [first] = emissions;
	const latest = emissions.at(-1);
	if (first === undefined || latest === undefined) return null;
	const { activatedAt, watermark, readings, sweep } = first.before;
	const repeats = emissions.some((emission) => emission.repeats);
	// Nobody tells the next process what this one could not store.
	const at = emissions.some(({ afterFailure }) => afterFailure) ? {} : { at: latest.at };
	return { process, repeats, ...at, added, changed, before: { activatedAt, watermark, readings, sweep } };
}
