import { goBack } from './cycle';
import type { Emitted } from './finds';
import type { SavedMemory } from './memory/memory';
import { without, withoutLast } from './memory/text';
import type { Emission, PollPorts, PollSettings } from './ports';
import type { LastEmission, Started, State } from './state';
import { isStarting, positionOf } from './state';

/** What a poll redelivers, and what is unacknowledged. */
export interface Redelivery {
	/** The state before what it redelivers. Undefined for a trigger without a state. */
	state: State | undefined;
	/** The most records that the poll may emit. */
	maxRecords: number;
	/** Whether it redelivers the last emission of a process that is gone. */
	isRedelivery: boolean;
	/** See Emission. */
	afterFailure: boolean;
	/** The emissions of this process that n8n may not have stored yet, oldest first. */
	unacknowledged: Emission[];
	/** The earliest emission that n8n did not store: reading starts over where it began, see `goBackWith`. */
	goneBackTo: Emission | undefined;
}

/**
 * A process that begins later than this after an emission did not interrupt the storing of it. In milliseconds. n8n's time
 * limit for a statement to PostgreSQL is as long, that for SQLite is shorter.
 */
export const RECENT_MS = 300_000;

/**
 * Redelivers what n8n may not have stored: the last emission of a process that is gone, and what this one could not store.
 *
 * A process that ended before its second poll may have done so because of what it repeated, for example because memory
 * ran out. Each further process then repeats half as much, and leaves the rest to its next poll.
 */
export function redeliver(saved: State | undefined, settings: PollSettings, ports: PollPorts): Redelivery {
	const { keepsContent } = settings;
	const started = saved === undefined || isStarting(saved) ? undefined : saved;
	const last = lastToRepeat(started, settings, ports);
	const before = started && last ? beforeLast(started, last, keepsContent) : started;
	const goneBackTo = before && ports.notStored[0];
	return {
		state: before ? beforeNotStored(before, ports, keepsContent) : saved,
		maxRecords: last?.repeats ? Math.max(1, Math.ceil((last.added + last.changed) / 2)) : Infinity,
		isRedelivery: last !== undefined,
		afterFailure: ports.notStored.length > 0 || (last !== undefined && last.at === undefined),
		unacknowledged: recent(ports.unacknowledged, ports.now()).map((one) => goBackWith(goneBackTo, one)),
		goneBackTo,
	};
}

/** The last emission of another process, when n8n may have ended before it stored the execution. */
function lastToRepeat(
	saved: Started | undefined,
	{ afterRestart }: PollSettings,
	{ process, begunAt, now }: PollPorts,
): LastEmission | undefined {
	const last = saved?.last ?? null;
	if (last === null || last.process === process || afterRestart === 'never') return undefined;
	if (afterRestart === 'recent' && !isRecent(last, begunAt, now())) return undefined;
	return last;
}

/** A standby process that takes over began before the emission, so its poll counts. Without a time it is always recent. */
function isRecent({ at }: LastEmission, begunAt: number, now: number): boolean {
	return at === undefined || (begunAt >= at ? begunAt : now) - at < RECENT_MS;
}

function beforeLast(state: Started, last: LastEmission, keepsContent: boolean): Started {
	const memory = withoutLast(state.memory, keepsContent, last);
	return { ...goBack(state, last.before), last: null, memory };
}

/** Other emissions stay remembered, so that only what n8n did not store is emitted again. */
function beforeNotStored(state: Started, { notStored }: PollPorts, keepsContent: boolean): Started {
	const [first] = notStored;
	if (first === undefined) return state;
	const memory = without(state.memory, keepsContent, notStored);
	// Counted, so that this state counts as later than the one that n8n has saved.
	return { ...goBack(state, first.before), emissions: state.emissions + 1, last: null, memory };
}

/** Reading starts over at `first`. An unacknowledged emission that came later must then go back as far if it is redelivered. */
export function goBackWith(first: Emission | undefined, emission: Emission): Emission {
	return first !== undefined && emission.number >= first.number ? { ...emission, before: first.before } : emission;
}

/** The emissions that n8n may not have stored yet. Older ones count as stored unless n8n says otherwise. */
function recent(emissions: Emission[], now: number): Emission[] {
	return emissions.filter(({ at, afterFailure }) => afterFailure || now - at < RECENT_MS);
}

/** Tells the user that a poll repeats. `plural`: see RecordKind. */
export function repeatsWarning(plural: string): string {
	return `n8n was restarted, and may have ended before it stored the last ${plural} of this trigger: they are repeated (Options, After a Restart)`;
}

/** What a poll emits, if anything. `start` is the state that it began with, after redelivery. */
export function emissionOf(
	emitted: Emitted[],
	{ start, redelivery, watchId, now }: { start: State; redelivery: Redelivery; watchId: string; now: number },
): Emission | undefined {
	if (emitted.length === 0) return undefined;
	const { isRedelivery, afterFailure } = redelivery;
	const keysOf = (which: Emitted['change']) => emitted.filter(({ change }) => change === which).map(({ key }) => key);
	const keys = { newKeys: keysOf('new'), changedKeys: keysOf('updated'), watchId };
	return { ...keys, before: positionOf(start), number: start.emissions, at: now, isRedelivery, afterFailure };
}

/** What the next process must redeliver, unless n8n stored it; null when there is nothing. Emissions come oldest first. */
export function lastEmissionOf(
	emissions: Emission[],
	{ added, changed }: SavedMemory,
	{ process }: Pick<PollPorts, 'process'>,
): LastEmission | null {
	const [first] = emissions;
	const latest = emissions.at(-1);
	if (process === undefined || first === undefined || latest === undefined) return null;
	const repeats = emissions.some(({ isRedelivery }) => isRedelivery);
	// Nobody tells the next process what this one could not store.
	const at = emissions.some(({ afterFailure }) => afterFailure) ? {} : { at: latest.at };
	return { process, repeats, ...at, added, changed, before: first.before };
}
