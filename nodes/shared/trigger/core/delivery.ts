import { must } from './failures';
import type { EmittedKeys } from './memory/emitted';
import type { MemoryEnd } from './memory/memory';
import { sizeOf } from './memory/memory';
import { furthestBack, inServiceTime, moveBack } from './position';
import type { Position, Started, Starting } from './state';
import { problemOfPosition } from './state';

/*
 * What n8n may not have stored of what a trigger emitted. n8n's default static data saves the state some milliseconds before the
 * execution (3 to 25 measured on 2.41.1); under durable cursors it stores both at once, and nothing is noted here. What is
 * redelivered, once n8n says (host/store/executions.ts):
 *
 * emitted by        n8n says                     then
 * this process      stored, or cancelled         nothing
 *                   not stored, however late     redelivered by the next poll
 *                   nothing yet                  awaited for five minutes, or if n8n had failed before, until n8n says something: a part
 *                                                of the last emission. Later it counts as stored unless n8n says otherwise
 *                   nothing for an hour, before  redelivered once, not with Never Repeat
 *                   2.36
 * another process   nothing                      redelivered once if recent, with Always Repeat however late, with Never Repeat never; only
 *                                                half of it if that process had redelivered, too
 *
 * Recent: this process began less than five minutes later, or before it and polls less than five minutes later, or n8n had failed
 * before.
 *
 * The last emission in a checkpoint is what another process goes by:
 *
 * null  → noted          a poll has emitted something
 * noted → noted anew     a later poll: with what it emits and what is still awaited, back to where it began if that is further
 * noted → null           a later poll emits nothing, and nothing is awaited; an activation saw that it is stored (`acknowledge`); it is
 *                        redelivered; or it is another process's and need not be: Never Repeat, too old, or redelivered before
 */

/**
 * A process that begins later than this after an emission did not interrupt the storing of it. In milliseconds. n8n's time
 * limit for a statement to PostgreSQL is as long, that for SQLite is shorter.
 */
export const RECENT_MS = 300_000;

/** Why a last emission is not redelivered where processes poll in turn: no loss, and perhaps after each poll. */
export const REPEATED_BEFORE = 'they were repeated before';

/** What is saved of a trigger. */
export type Checkpoint = {
	/** Names the credential, the base URL and the event that the rest belongs to. */
	identity: string;
	/** Rises with each start, each emission and each redelivery: of two checkpoints the later one has no lower revision. */
	revision: number;
} & (
	| { state: Starting; last: null }
	/** `last` is null when another process has nothing to redeliver. */
	| { state: Started; last: LastEmission | null }
);

interface Unstored {
	/** Where the first sweep of the poll stood when the poll began, or further back: see `moveBack`. */
	from: Position;
	/** The local clock, in milliseconds since the epoch; `undefined` where n8n may have failed to store some of it before. */
	at: number | undefined;
	/** Whether the poll redelivered the last emission of an earlier process. */
	isAfterRestart: boolean;
}

/** What one poll emitted, for the process that made it. */
export interface Emission extends Unstored {
	/** With these the memory takes it out. */
	keys: EmittedKeys;
}

/** What a process emitted and n8n may not have stored yet, for the process after it. */
export interface LastEmission extends Unstored {
	/** Names the process that emitted it. */
	process: string;
	/** What it left at the end of the memory. */
	end: MemoryEnd;
}

/** What n8n did not store, as far as the process that emitted it can know. */
export interface NotStored extends Emission {
	why: 'n8n said so' | 'n8n has said nothing for an hour';
}

/** What became of what this process emitted. */
export interface Outcomes {
	/** Whether n8n could not store what it emitted, and has stored nothing later. */
	isFailing: boolean;
	/** Oldest first. */
	notStored: readonly NotStored[];
	/** What n8n has said nothing of, oldest first. */
	unacknowledged: readonly Emission[];
}

/** The process that makes a poll. */
export interface Process {
	/** `undefined` where n8n stores the state and the execution together. */
	name: string | undefined;
	/** When it began, in milliseconds since the epoch by the local clock. */
	begunAt: number;
	/**
	 * The processes of which it has redelivered the last emission. Once each is enough: where several processes poll one trigger in
	 * turn (n8n's scheduler on several main instances), each would redeliver the other's forever.
	 */
	redelivered: ReadonlySet<string>;
}

/** When the last emission of a process that is gone is redelivered. */
export type AfterRestart = 'recent' | 'always' | 'never';

/** What a poll redelivers. */
export type Redelivery = {
	/** What this process emitted and n8n did not store, oldest first. */
	own: readonly NotStored[];
	/** What this process emitted, and n8n has yet to store: it stays at the end of the memory. */
	awaited: readonly Emission[];
	/** Whether n8n may have failed before to store some of what the poll emits: that stays recent, however late it is. */
	failedBefore: boolean;
} & (
	| {
			/** The last emission of a process that is gone; `undefined` when there is none. */
			last: LastEmission | undefined;
			whyNot: undefined;
	  }
	/** Why such a last emission is not redelivered. */
	| { last: undefined; whyNot: string }
);

/** Decides what a poll redelivers. @param now the local clock. */
export function redeliveryOf(
	previous: Checkpoint | undefined,
	{ isFailing, notStored, unacknowledged }: Outcomes,
	afterRestart: AfterRestart,
	process: Process,
	now: number,
): Redelivery {
	const noted = previous?.last ?? undefined;
	const ofAnother = noted?.process === process.name ? undefined : noted;
	const whyNot = ofAnother && whyNotAgain(ofAnother, afterRestart, process, now);
	const decided = whyNot === undefined ? { last: ofAnother, whyNot } : { last: undefined, whyNot };
	return {
		...decided,
		own: notStored,
		awaited: unacknowledged.filter(({ at }) => at === undefined || now - at < RECENT_MS),
		failedBefore: isFailing || notStored.length > 0 || (decided.last !== undefined && decided.last.at === undefined),
	};
}

/** Returns the emissions that a poll redelivers, oldest first. */
export function emissionsIn({ own, last }: Redelivery): Array<Emission | LastEmission> {
	return [...own, ...(last === undefined ? [] : [last])];
}

/**
 * Returns the most records that a poll may emit because of what it redelivers. A process that ended while n8n had yet to store what
 * it redelivered may have ended because of that, for example because memory ran out. Each further process then redelivers half
 * as much, and leaves the rest to its next poll.
 */
export function mostRecordsIn({ last }: Redelivery): number {
	return last?.isAfterRestart ? Math.max(1, Math.ceil(sizeOf(last.end) / 2)) : Infinity;
}

/** What a poll leaves. */
export type Progress = {
	/** What is at the end of the memory. */
	end: MemoryEnd;
	/** Where its first sweep stood when the poll began, after going back for a redelivery. */
	from: Position;
} & (
	| { state: Starting; keys: undefined }
	/** The keys of what it emitted; `undefined` when nothing. */
	| { state: Started; keys: EmittedKeys | undefined }
);

/** What to save after a poll, and to keep of it. */
export interface Delivery {
	checkpoint: Checkpoint;
	/** What it emitted, if anything. The next poll redelivers it if n8n did not store it. */
	emission: Emission | undefined;
	/** See Progress; a first sweep from a date has begun by the service's clock. */
	from: Position;
}

/**
 * Returns what to save after a poll.
 * @param previous what the poll began with; for the first one the identity, and the revision of the start.
 * @param now the local clock. @throws an Error rather than save what no poll could read.
 */
export function checkpointAfter(
	previous: Pick<Checkpoint, 'identity' | 'revision'>,
	progress: Progress,
	redelivery: Redelivery,
	processName: Process['name'],
	now: number,
): Delivery {
	const { state, keys, end } = progress;
	const { identity } = previous;
	const revision = previous.revision + (emissionsIn(redelivery).length > 0 ? 1 : 0) + (keys === undefined ? 0 : 1);
	// It has read nothing.
	if (state.phase === 'starting') {
		return { checkpoint: { identity, revision, state, last: null }, emission: undefined, from: progress.from };
	}
	const from = inServiceTime(progress.from, state);
	const at = redelivery.failedBefore ? undefined : now;
	const emission = keys && { keys, from, at, isAfterRestart: redelivery.last !== undefined };
	const left = redelivery.awaited.map((one) => moveBack(one, from));
	const last = lastEmissionOf(emission === undefined ? left : [...left, emission], processName, end);
	must(last === null || problemOfPosition(last.from) === undefined, 'its last emission is damaged');
	return { checkpoint: { identity, revision, state, last }, emission, from };
}

/** Notes that n8n has stored the last emission. */
export function acknowledge(checkpoint: Checkpoint): Checkpoint {
	return { ...checkpoint, last: null };
}

/** Returns why the last emission of another process is not redelivered; `undefined` when it is. */
function whyNotAgain(
	last: LastEmission,
	afterRestart: AfterRestart,
	{ begunAt, redelivered }: Process,
	now: number,
): string | undefined {
	if (afterRestart === 'never') return 'Never Repeat is chosen';
	if (redelivered.has(last.process)) return REPEATED_BEFORE;
	const isTooOld = afterRestart === 'recent' && !isRecent(last, begunAt, now);
	return isTooOld ? 'they were emitted five minutes or more before this process began, or before this poll' : undefined;
}

/** Whether an emission is recent; without a time it always is. For a standby process, which began before it, its poll counts. */
function isRecent({ at }: LastEmission, begunAt: number, now: number): boolean {
	return at === undefined || (begunAt >= at ? begunAt : now) - at < RECENT_MS;
}

/** Returns what the next process must redeliver, unless n8n stored it; null when nothing. Emissions come oldest first. */
function lastEmissionOf(emissions: Emission[], processName: Process['name'], end: MemoryEnd): LastEmission | null {
	const latest = emissions.at(-1);
	if (processName === undefined || latest === undefined) return null;
	const from = furthestBack(
		emissions.map((one) => one.from),
		latest.from,
	);
	const isAfterRestart = emissions.some((one) => one.isAfterRestart);
	// Nobody tells the next process what this one could not store.
	const at = emissions.some((one) => one.at === undefined) ? undefined : latest.at;
	return { process: processName, isAfterRestart, end, from, at };
}
