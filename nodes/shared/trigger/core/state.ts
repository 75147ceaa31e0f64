import type { Trail } from '../../service/trail';
import { FRESH_TRAIL } from '../../service/trail';
import { areDetails } from './memory/details';
import { entriesIn, isMemory } from './memory/text';
import type { SavedForm } from './upgrade';
import { savedForm, SWEEP_DEFAULTS, upgraded } from './upgrade';

/** Where a sweep stands, so that a later poll can continue it. Times are milliseconds since the epoch. */
export interface Sweep {
	/** The `updated_since` of all its pages. */
	since: number;
	/** The service's clock when it began, the earliest of its pages; null before the first. */
	startedAt: number | null;
	/** Cursor of the page to read next; null for the first. */
	cursor: string | null;
	/** Detects cursors that come back. */
	trail: Trail;
	/** What starting over led to. */
	setbacks: Setbacks;
	/** The memory's horizon when the first sweep since the watermark began. What the memory forgets meanwhile counts only later. */
	horizon: number;
	/** Whether another sweep has read the same before. */
	isAgain: boolean;
	/** Whether no other sweep reads the same: the memory has forgotten what it would have to recognize. */
	isOnly: boolean;
	/** In the sweeps from a date: what occurred before this only changed since, and is not emitted. 0 in others. */
	occurredSince: number;
	/** Whether something may have been learned since it began, so that it cannot tell whether that is old. */
	confirmsNothing: boolean;
}

/** What counts later of a sweep that is complete. */
export type Reading = Pick<Sweep, 'horizon' | 'occurredSince'> & { startedAt: number };

/** What the rejected cursors of one sweep led to. */
export interface Setbacks {
	/** How often in a row the sweep got no further than before. */
	inVain: number;
	/** The most pages that it has read. */
	furthest: number;
}

/** The progress of the census; times as above. */
export interface Census {
	/** Reads the whole list, as a sweep since 1970. */
	walk: Sweep;
	/** How often it has read the whole list. */
	readings: number;
	/** The start date; absent with Start From: Now. */
	before?: number;
	/** How many pages it has read, and how many records it has learned. */
	pages: number;
	learned: number;
	/** The local clock when a poll last read for it; null before the first. */
	readAt: number | null;
}

/** Where the trigger stands; times as above. */
export interface Position {
	/** The local clock at activation, when the service's own could not be read; null otherwise. */
	activatedAt: number | null;
	/** The service's clock before which everything was read often enough; null before that. */
	watermark: number | null;
	/** The sweeps that are complete and have read on from there, oldest first; fewer than that takes. */
	readings: Reading[];
	/** The sweep under way; null between two sweeps. */
	sweep: Sweep | null;
}

/**
 * What was emitted under n8n's default static data and may not be stored yet: n8n saves the state some milliseconds
 * before it stores the execution (3 to 25 measured on 2.41.1). Only the process that emitted it learns the outcome.
 */
export interface LastEmission {
	/** Names the process that emitted it. */
	process: string;
	/** Whether it redelivered the emission of an earlier process. */
	repeats: boolean;
	/** The local clock, in milliseconds since the epoch; absent in states of earlier versions. */
	at?: number;
	/** How many records it added to the end of the memory, and how many that changed follow them there. */
	added: number;
	changed: number;
	/** Where the trigger stood before. */
	before: Position;
}

/** What the trigger keeps between two polls. Plain JSON of at most 1 MB. */
export interface State extends Position {
	version: 1;
	/** Names the credential, the base URL and the event that the rest belongs to. */
	identity: string;
	/**
	 * The `updated_since` of the very first sweep. No other sweep begins earlier: what is older was never read, and would
	 * arrive as new. Null when it is not known: before that sweep, and in states of earlier versions.
	 */
	earliest: number | null;
	/** How many polls have emitted, or redelivered what n8n did not store. Tells which of two states is the later one. */
	emissions: number;
	/** Null when its execution is known to be stored. */
	last: LastEmission | null;
	/** The census under way; null after it, absent in states that an earlier version began. */
	census?: Census | null;
	/** See Memory. */
	memory: string;
	/** See Details; absent in states of earlier versions. */
	details?: string;
}

/** A sweep that has read nothing yet. */
export function newSweep(since: number): Sweep {
	return { since, startedAt: null, cursor: null, trail: FRESH_TRAIL, ...SWEEP_DEFAULTS };
}

/** What the trigger does next: waits for the service's time since its activation, begins a sweep, or continues one. */
export type Phase = { is: 'waiting' } | { is: 'between' } | { is: 'sweeping'; sweep: Sweep };

export function phaseOf({ watermark, readings, sweep }: Position): Phase {
	if (sweep !== null) return { is: 'sweeping', sweep };
	return { is: watermark === null && readings.length === 0 ? 'waiting' : 'between' };
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const isTime = (value: unknown) => Number.isFinite(value);
const isTimeOrNull = (value: unknown) => value === null || isTime(value);
const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;

function isTrail(value: unknown): boolean {
	if (!isObject(value) || typeof value.mark !== 'string' || !isCount(value.steps) || !isCount(value.reach))
		return false;
	return value.records === undefined || typeof value.records === 'string';
}

function areSetbacks(value: unknown): boolean {
	return isObject(value) && isCount(value.inVain) && isCount(value.furthest);
}

function isSweep(value: unknown): boolean {
	if (!isObject(value) || !isTime(value.since) || !isTrail(value.trail) || !isReading(value)) return false;
	const flags = [value.isAgain, value.isOnly, value.confirmsNothing];
	if (!flags.every((flag) => flag === undefined || typeof flag === 'boolean')) return false;
	if (value.pass !== undefined && !isObject(value.pass)) return false;
	if (value.setbacks !== undefined && !areSetbacks(value.setbacks)) return false;
	if (value.cursor !== null && typeof value.cursor !== 'string') return false;
	return isTimeOrNull(value.startedAt) && (value.cursor === null || value.startedAt !== null);
}

function isReading(value: unknown): boolean {
	if (!isObject(value) || !isTimeOrNull(value.startedAt)) return false;
	if (value.horizon !== undefined && !isCount(value.horizon)) return false;
	return value.occurredSince === undefined || isTime(value.occurredSince);
}

function isCensus(value: unknown): boolean {
	if (!isObject(value) || !isSweep(value.walk) || !isTimeOrNull(value.readAt)) return false;
	if (value.readings !== undefined && !isCount(value.readings)) return false;
	return isCount(value.pages) && isCount(value.learned) && (value.before === undefined || isTime(value.before));
}

function problemOfPosition(value: Record<string, unknown>): string | undefined {
	const { activatedAt, watermark, readings = [], sweep } = value;
	if (!isTimeOrNull(watermark)) return 'its watermark is not a time';
	if (!isTimeOrNull(activatedAt)) return 'its time of activation is not a time';
	if (sweep !== null && !isSweep(sweep)) return 'its sweep is damaged';
	if (!Array.isArray(readings) || !readings.every((one) => isReading(one) && isTime((one as Reading).startedAt)))
		return 'its readings are damaged';
	if (watermark === null && readings.length === 0 && sweep === null && activatedAt === null)
		return 'it does not say where to continue';
	return undefined;
}

function isLastEmission(value: unknown, remembered: number): boolean {
	if (!isObject(value) || typeof value.process !== 'string' || typeof value.repeats !== 'boolean') return false;
	if (!isCount(value.added) || !isCount(value.changed)) return false;
	if (value.at !== undefined && !isTime(value.at)) return false;
	if ((value.added as number) + (value.changed as number) > remembered) return false;
	return isObject(value.before) && problemOfPosition(value.before) === undefined;
}

/**
 * Reads what was saved. There is no state for a node that never polled, nor for one whose credential, base URL or event
 * has changed since. Anything that this version cannot have written is a problem. `fields`: see RecordKind.
 */
export function readState(
	saved: Readonly<Record<string, unknown>>,
	identity: string,
	keepsContent: boolean,
	fields: readonly string[],
): { state: State | undefined } | { problem: string } {
	if (Object.keys(saved).length === 0) return { state: undefined };
	const { version, earliest = null, activatedAt, watermark, sweep, emissions = 0, last = null, census, memory } = saved;
	if (version !== 1) return { problem: `its version is ${JSON.stringify(version) ?? 'missing'}, not 1` };
	if (typeof saved.identity !== 'string') return { problem: 'it does not say what it is about' };
	if (saved.identity !== identity) return { state: undefined };
	const problem = problemOfPosition(saved);
	if (problem !== undefined) return { problem };
	if (typeof memory !== 'string' || !isMemory(memory, keepsContent)) return { problem: 'its memory is damaged' };
	if (!isTimeOrNull(earliest)) return { problem: 'its earliest moment is not a time' };
	if (!isCount(emissions)) return { problem: 'its emissions are not counted' };
	if (last !== null && !isLastEmission(last, entriesIn(memory, keepsContent)))
		return { problem: 'its last emission is damaged' };
	if (census !== undefined && census !== null && !isCensus(census)) return { problem: 'its census is damaged' };
	const details = areDetails(saved.details, fields) ? saved.details : undefined;
	const position = { activatedAt, watermark, readings: saved.readings, sweep };
	const kept = { version, identity, earliest, ...position, emissions, last, census };
	// A copy, because n8n's object is live; but not of its texts, which may be a megabyte.
	const copy = upgraded(JSON.parse(JSON.stringify(kept)) as SavedForm);
	return { state: { ...copy, memory, ...(details !== undefined && { details }) } };
}

/** Writes a state in place, and assigns only what differs: n8n saves what was assigned. */
export function writeState(saved: Record<string, unknown>, state: State): void {
	for (const [name, value] of Object.entries(savedForm(state))) {
		const differs =
			typeof value === 'object' ? JSON.stringify(saved[name]) !== JSON.stringify(value) : saved[name] !== value;
		if (differs) saved[name] = value;
	}
}
