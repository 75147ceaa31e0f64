import { furthestBack, goBack, moveBack } from './cycle';
import type { EmittedKeys } from './memory/emitted';
import type { Memory, MemoryEnd } from './memory/memory';
import { sizeOf } from './memory/memory';
import type { Emission, PollPorts, PollSettings } from './ports';
import type { LastEmission, Position, Started, State } from './state';

/**
 * A process that begins later than this after an emission did not interrupt the storing of it. In milliseconds. n8n's time
 * limit for a statement to PostgreSQL is as long, that for SQLite is shorter.
 */
export const RECENT_MS = 300_000;

export interface Redelivery {
	/** The state to continue from: before what is redelivered, or as saved; `undefined` for a trigger without a state. */
	state: State | undefined;
	/** The most records that the poll may emit. */
	maxRecords: number;
	/** The process that is gone and whose last emission it redelivers, if there is one. */
	redelivered: string | undefined;
	/** What this process emitted, and n8n may not have stored yet. After five minutes it counts as stored, unless n8n denies it. */
	unacknowledged: Emission[];
	/** Whether n8n may have failed before to store some of what the poll emits: that stays recent, however late it is. */
	failedBefore: boolean;
}

/**
 * 2. Redelivers what n8n may not have stored, and takes it out of the memory:
 *
 * emitted by        n8n says                     then
 * this process      stored                       nothing
 *                   not stored, however late     redelivered by the next poll
 *                   nothing, 2.36 or later       unacknowledged: counts as stored unless n8n says otherwise
 *                   nothing for an hour before   redelivered once, not with Never Repeat
 *                   2.36
 * another process   nothing                      redelivered once if recent (at most five minutes old, or not stored before), with
 *                                                Always Repeat however late, with Never Repeat never
 *
 * A process that ended before its second poll may have done so because of what it redelivered, for example because memory
 * ran out. Each further process then redelivers half as much, and leaves the rest to its next poll.
 */
export function redeliver(
	saved: State | undefined,
	memory: Memory,
	{ afterRestart }: PollSettings,
	ports: PollPorts,
): Redelivery {
	const { notStored, now } = ports;
	const unacknowledged = ports.unacknowledged.filter(({ at }) => at === undefined || now() - at < RECENT_MS);
	memory.keepAtEnd(unacknowledged);
	const started = saved === undefined || saved.phase === 'starting' ? undefined : saved;
	const last = lastToRedeliver(started, afterRestart, ports);
	const from = [...notStored, ...(last === undefined ? [] : [last])].map((one) => one.from);
	if (from.length > 0) memory.takeOut(notStored, last?.end);
	if (notStored.length > 0) {
		ports.log.debug(
			`emits again what ${notStored.length} executions had: n8n did not store them, or has said nothing for an hour`,
		);
	}
	return {
		state: started && from.length > 0 ? goBack(started, from) : saved,
		maxRecords: last?.isAfterRestart ? Math.max(1, Math.ceil(sizeOf(last.end) / 2)) : Infinity,
		redelivered: last?.process,
		unacknowledged,
		failedBefore: ports.isFailing || notStored.length > 0 || (last !== undefined && last.at === undefined),
	};
}

/**
 * 8. Notes what the poll emits. Returns what to keep of it: for this process, and in the state for another one.
 * @param poll the keys of what it emitted, `undefined` when nothing; where the trigger stood when it began; what is at the end of
 * the memory that was written.
 */
export function noteEmission(
	{ keys, from, end }: { keys: EmittedKeys | undefined; from: Position; end: MemoryEnd },
	{ unacknowledged, redelivered, failedBefore }: Redelivery,
	{ now, process }: PollPorts,
): { emission: Emission | undefined; last: LastEmission | null } {
	const emission = keys && {
		keys,
		from,
		at: failedBefore ? undefined : now(),
		isAfterRestart: redelivered !== undefined,
	};
	const left = unacknowledged.map((one) => moveBack(one, from));
	const emissions = emission === undefined ? left : [...left, emission];
	return { emission, last: lastEmissionOf(emissions, process, end) };
}

/** Returns the last emission of another process, when n8n may have ended before it stored the execution. */
function lastToRedeliver(
	saved: Started | undefined,
	afterRestart: PollSettings['afterRestart'],
	{ process, begunAt, redelivered, now }: PollPorts,
): LastEmission | undefined {
	const last = saved?.last ?? null;
	if (last === null || last.process === process || afterRestart === 'never') return undefined;
	if (redelivered.has(last.process)) return undefined;
	if (afterRestart === 'recent' && !isRecent(last, begunAt, now())) return undefined;
	return last;
}

/** Whether an emission is recent; without a time it always is. For a standby process, which began before it, its poll counts. */
function isRecent({ at }: LastEmission, begunAt: number, now: number): boolean {
	return at === undefined || (begunAt >= at ? begunAt : now) - at < RECENT_MS;
}

/** Returns what the next process must redeliver, unless n8n stored it; null when nothing. Emissions come oldest first. */
function lastEmissionOf(emissions: Emission[], process: PollPorts['process'], end: MemoryEnd): LastEmission | null {
	const latest = emissions.at(-1);
	if (process === undefined || latest === undefined) return null;
	const from = furthestBack(
		emissions.map((one) => one.from),
		latest.from,
	);
	const isAfterRestart = emissions.some((one) => one.isAfterRestart);
	// Nobody tells the next process what this one could not store.
	const at = emissions.some((one) => one.at === undefined) ? undefined : latest.at;
	return { process, isAfterRestart, end, from, ...(at !== undefined && { at }) };
}
