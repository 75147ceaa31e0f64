import { must } from './failures';
import type { EmittedRecord } from './finds';
import type { EmittedKeys, Tail } from './memory/emitted';
import { sizeOf } from './memory/emitted';
import { problemOfPeriod } from './period';
import { furthestBack, moveBack } from './position';
import type { Saved } from './saved/parts';
import type { Position, Started, Starting } from './state';
import { hasFailedBefore } from './state';

/*
 * The emissions of a trigger that n8n may not have stored. By default n8n saves the state some milliseconds before it stores the
 * execution (3 to 25 measured on 2.41.1). Under durable cursors it stores both at once, and nothing is noted here. n8n's report on an
 * execution (host/store/executions.ts) decides what becomes of the emission:
 *
 * emitted by     n8n reports                  the emission
 * this process   stored, or cancelled         is forgotten
 *                not stored, however late     is redelivered by the next poll
 *                nothing yet                  is in flight, as a part of the last emission: for five minutes, or without limit if
 *                                             n8n had failed before. Later it counts as stored unless n8n reports otherwise
 *                nothing for an hour, before  is redelivered once, but not with Never Repeat
 *                2.36
 * other process  nothing                      is redelivered once if recent, with Always Repeat however late, with Never Repeat
 *                                             never; half as many records at once if it has a redelivery after a
 *                                             restart in it
 *
 * An emission is recent if this process began less than five minutes later, or if n8n had failed before (`failedBefore`).
 *
 * The last emission in a checkpoint tells the next process what to redeliver:
 *
 * any   → noted   A poll emits, or something is in flight: both, with the position furthest back (`lastEmissionOf`).
 * any   → null    Neither, or under durable cursors.
 * noted → null    An activation saw that n8n stored it (`acknowledge`).
 *
 * What was noted before does not count: it is of this process, whose `Reports` know it, or the poll has redelivered it, or `WhyNot`
 * says why not.
 */

/**
 * How long n8n may take to store an execution, in milliseconds: a process that begins later did not interrupt it. It is n8n's time
 * limit for a statement to PostgreSQL; that for SQLite is shorter.
 */
export const RECENT_MS = 300_000;

/** Stands for the time of an emission that is recent, however late. */
export const STAYS_RECENT = 'stays recent';

/** Why the last emission of another process is not redelivered. Where processes poll in turn, "redelivered before" recurs: no loss. */
export type WhyNot = 'never repeated' | 'redelivered before' | 'too old';

/** What a poll saves of a trigger. */
export type Checkpoint = Remembered & {
	/** A digest of the credential, the base URL and the event. */
	subject: string;
	/** A number that rises with each start, emission and redelivery. The later of two checkpoints has no lower revision. */
	revision: number;
} &
	/** `former` is the saved form of the last subject that started: the Base URL of this one has not responded, and may be wrong. */
	(
		| { state: Starting; last: null; former?: Saved | undefined }
		/** `last` is null if another process has nothing to redeliver. */
		| { state: Started; last: LastEmission | null; former?: undefined }
	);

/** What a trigger knows of records, in its saved form. */
interface Remembered {
	memory: string;
	/** Empty in states of earlier versions. */
	details: string;
}

interface Emission {
	/** The trigger's position when the poll began to read, or one further back (see `moveBack`). */
	origin: Position;
	/** In milliseconds since the epoch, by n8n's clock; STAYS_RECENT if n8n may already have failed to store some of the records. */
	emittedAt: number | typeof STAYS_RECENT;
	/** Whether the poll redelivered the last emission of an earlier process. */
	isAfterRestart: boolean;
}

/** The emission of one poll, as its process keeps it. */
export interface OwnEmission extends Emission {
	/** The revision of its checkpoint, which identifies it. */
	revision: number;
	keys: EmittedKeys;
}

/** The emissions of a process that n8n may not have stored yet, as the process after it finds them. */
export interface LastEmission extends Emission {
	process: string;
	tail: Tail;
}

/** An emission that n8n did not store, or says nothing of. */
export interface NotStored extends OwnEmission {
	why: 'reported' | 'silent';
}

/** What this process knows of its emissions, from n8n's reports. */
export interface Reports {
	/** Whether n8n reported that it could not store an emission, and has stored none that came later. */
	isFailing: boolean;
	/** Oldest first, as is `unacknowledged`: those of which n8n has reported nothing. */
	notStored: readonly NotStored[];
	unacknowledged: readonly OwnEmission[];
}

export interface Process {
	/** `undefined` under durable cursors, where n8n stores the state and the execution together. */
	name: string | undefined;
	/** When the process began, by n8n's clock. */
	begunAt: number;
	/**
	 * The processes whose last emission this one has redelivered. Where several poll one trigger in turn (n8n's scheduler on several
	 * main instances), each would redeliver the other's emissions forever.
	 */
	redeliveredFrom: ReadonlySet<string>;
}

/** When the last emission of another process is redelivered. */
export type AfterRestart = 'recent' | 'always' | 'never';

export interface Redelivery {
	/** The emissions of this process that n8n did not store, oldest first. */
	own: readonly NotStored[];
	/** The recent emissions of this process that n8n has yet to store. Their records stay in the tail of the memory. */
	inFlight: readonly OwnEmission[];
	/** Whether n8n may already have failed to store records that this poll emits. Its emission then stays recent. */
	failedBefore: boolean;
	/**
	 * The most records that the poll may emit. A process that ended before n8n stored a redelivery may have run out of memory, so the
	 * next one redelivers half as many at once.
	 */
	maxRecords: number;
	/** The last emission of another process, if the poll redelivers one. */
	ofAnother: LastEmission | undefined;
	/** Why the poll does not redeliver the last emission of another process; `undefined` if it does, or there is none. */
	whyNot: WhyNot | undefined;
}

/** Decides what a poll redelivers. @param now n8n's clock. */
export function redeliveryOf(
	previous: Checkpoint | undefined,
	{ isFailing, notStored, unacknowledged }: Reports,
	afterRestart: AfterRestart,
	process: Process,
	now: number,
): Redelivery {
	const noted = previous?.last ?? undefined;
	const another = noted?.process === process.name ? undefined : noted;
	const whyNot = another && whyNotAgain(another, afterRestart, process, now);
	const ofAnother = whyNot === undefined ? another : undefined;
	const again = ofAnother?.isAfterRestart ? ofAnother.tail : undefined;
	const state = previous?.state;
	// Over a restart, the last emission keeps it, or the mode of the sweep that `goBack` continued.
	const hadFailed =
		ofAnother?.emittedAt === STAYS_RECENT || (state?.phase === 'sweeping' && hasFailedBefore(state.sweep));
	return {
		ofAnother,
		whyNot,
		own: notStored,
		inFlight: unacknowledged.filter((one) => one.emittedAt === STAYS_RECENT || now - one.emittedAt < RECENT_MS),
		failedBefore: isFailing || notStored.length > 0 || hadFailed,
		maxRecords: again === undefined ? Infinity : Math.max(1, Math.ceil(sizeOf(again) / 2)),
	};
}

/** Returns the emissions that a poll redelivers, oldest first. */
export function emissionsIn({ own, ofAnother }: Redelivery): Array<OwnEmission | LastEmission> {
	return [...own, ...(ofAnother === undefined ? [] : [ofAnother])];
}

/** The records that a poll emits, and what is to be saved. A trigger that is still starting has read nothing. */
export type PollResult = { emitted: []; state: Starting } | StartedResult;

export interface StartedResult extends Remembered {
	emitted: EmittedRecord[];
	state: Started;
	/** The position when the poll began to read, after going back for a redelivery; at the first page if its sweep started over. */
	origin: Position;
	tail: Tail;
	/** `undefined` if the poll emits nothing. */
	keys: EmittedKeys | undefined;
}

export interface PollEnd {
	checkpoint: Checkpoint;
	/** The poll's emission, if any, to be kept. */
	emission: OwnEmission | undefined;
	/** See PollResult; `undefined` for a trigger that is still starting. */
	origin: Position | undefined;
}

/**
 * Returns the checkpoint to save after a poll.
 * @param previous the checkpoint that the poll began with; without one, the same members of the start.
 * @param now n8n's clock. @throws WrongState if no poll could read the checkpoint.
 */
export function checkpointAfter(
	previous: Pick<Checkpoint, 'subject' | 'revision' | 'former'>,
	result: PollResult,
	redelivery: Redelivery,
	processName: Process['name'],
	now: number,
): PollEnd {
	const { subject } = previous;
	if (!('origin' in result)) {
		const checkpoint = { ...previous, state: result.state, memory: '', details: '', last: null };
		return { checkpoint, emission: undefined, origin: undefined };
	}
	const { state, memory, details, keys, tail, origin } = result;
	const revision = previous.revision + (emissionsIn(redelivery).length > 0 ? 1 : 0) + (keys === undefined ? 0 : 1);
	const emittedAt = redelivery.failedBefore ? STAYS_RECENT : now;
	const isAfterRestart = redelivery.ofAnother !== undefined;
	const emission: OwnEmission | undefined = keys && { revision, keys, origin, emittedAt, isAfterRestart };
	const inFlight = redelivery.inFlight.map((one) => moveBack(one, origin));
	const last = lastEmissionOf(emission === undefined ? inFlight : [...inFlight, emission], processName, tail);
	must(last === null || problemOfPeriod(last.origin) === undefined, 'its last emission is damaged');
	return { checkpoint: { subject, revision, state, memory, details, last }, emission, origin };
}

/** Notes that n8n has stored the last emission. */
export function acknowledge(checkpoint: Checkpoint): Checkpoint {
	return { ...checkpoint, last: null };
}

/** Returns why the last emission of another process is not redelivered; `undefined` if it is. */
function whyNotAgain(
	last: LastEmission,
	afterRestart: AfterRestart,
	{ begunAt, redeliveredFrom }: Process,
	now: number,
): WhyNot | undefined {
	if (afterRestart === 'never') return 'never repeated';
	if (redeliveredFrom.has(last.process)) return 'redelivered before';
	const isTooOld = afterRestart === 'recent' && !isRecent(last, begunAt, now);
	return isTooOld ? 'too old' : undefined;
}

/** For a process that began before the emission, the time of its poll counts. */
function isRecent({ emittedAt }: LastEmission, begunAt: number, now: number): boolean {
	return emittedAt === STAYS_RECENT || (begunAt >= emittedAt ? begunAt : now) - emittedAt < RECENT_MS;
}

/** Returns what the next process must redeliver unless n8n stored it; null without emissions. @param emissions oldest first. */
function lastEmissionOf(emissions: OwnEmission[], processName: Process['name'], tail: Tail): LastEmission | null {
	const latest = emissions.at(-1);
	if (processName === undefined || latest === undefined) return null;
	const origins = emissions.map((one) => one.origin);
	const origin = furthestBack(origins, latest.origin);
	const isAfterRestart = emissions.some((one) => one.isAfterRestart);
	// The next process cannot learn which emissions n8n failed to store, so they stay recent.
	const emittedAt = emissions.some((one) => one.emittedAt === STAYS_RECENT) ? STAYS_RECENT : latest.emittedAt;
	return { process: processName, isAfterRestart, tail, origin, emittedAt };
}
