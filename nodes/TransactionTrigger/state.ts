import { isMemory } from './memory';

/** Where a sweep stands, so that a later poll can go on from there. Times are milliseconds since the epoch. */
export interface Sweep {
	/** The `updated_since` of all its pages. */
	since: number;
	/** The service's clock when its first page was read; null before that. */
	startedAt: number | null;
	/** Of the page to be read next; null for the first. */
	cursor: string | null;
	/** What finds out that the cursors go round in a circle. */
	trail: Trail;
}

/**
 * Brent's cycle detection: one remembered cursor (its digest), moved up after 1, 2, 4, 8, … pages, meets itself again
 * in a circle of any length, however many polls the sweep takes.
 */
export interface Trail {
	mark: string;
	/** Pages since the mark was set. */
	steps: number;
	/** After how many pages the mark is moved up. */
	reach: number;
}

/** What the trigger keeps between two polls. Plain JSON of at most 1 MB; times as above. */
export interface State {
	version: 1;
	/** Names the credential, the base URL and the event the rest is about. */
	identity: string;
	/** The local clock at activation, when the service could not be asked for its own then. */
	activatedAt: number | null;
	/** The service's clock at the start of the last sweep that reached its last page. */
	watermark: number | null;
	/** The sweep under way; null between two sweeps. */
	sweep: Sweep | null;
	/** See Memory. */
	memory: string;
}

export const FRESH_TRAIL: Trail = { mark: '', steps: 0, reach: 1 };

/** A sweep that has read nothing yet. */
export function newSweep(since: number): Sweep {
	return { since, startedAt: null, cursor: null, trail: FRESH_TRAIL };
}

/** What was saved for an identity, if anything, or what is wrong with it. */
export type SavedState = { state: State | undefined } | { problem: string };

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const isTime = (value: unknown) => typeof value === 'number' && Number.isFinite(value);
const isTimeOrNull = (value: unknown) => value === null || isTime(value);
const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;

function isTrail(value: unknown): boolean {
	return isObject(value) && typeof value.mark === 'string' && isCount(value.steps) && isCount(value.reach);
}

function isSweep(value: unknown): boolean {
	if (!isObject(value) || !isTime(value.since) || !isTrail(value.trail)) return false;
	if (value.cursor !== null && typeof value.cursor !== 'string') return false;
	return isTimeOrNull(value.startedAt) && (value.cursor === null || value.startedAt !== null);
}

/**
 * Reads what was saved. There is no state for a node that never polled, nor for one that has been pointed at another
 * credential, base URL or event since; what this version did not write is a problem.
 */
export function readState(saved: Readonly<Record<string, unknown>>, identity: string, keepsContent: boolean): SavedState {
	if (Object.keys(saved).length === 0) return { state: undefined };
	const { version, activatedAt, watermark, sweep, memory } = saved;
	if (version !== 1) return { problem: `its version is ${JSON.stringify(version) ?? 'missing'}, not 1` };
	if (typeof saved.identity !== 'string') return { problem: 'it does not say what it is about' };
	if (saved.identity !== identity) return { state: undefined };
	if (!isTimeOrNull(watermark)) return { problem: 'its watermark is not a time' };
	if (!isTimeOrNull(activatedAt)) return { problem: 'its time of activation is not a time' };
	if (sweep !== null && !isSweep(sweep)) return { problem: 'its sweep is damaged' };
	if (typeof memory !== 'string' || !isMemory(memory, keepsContent)) return { problem: 'its memory is damaged' };
	if (watermark === null && sweep === null && activatedAt === null) return { problem: 'it does not say where to go on' };
	// A copy: what n8n hands out is live.
	const state = JSON.parse(JSON.stringify({ version, identity, activatedAt, watermark, sweep, memory })) as State;
	return { state };
}

/** Writes a state in place, as n8n wants it, touching only what differs: n8n saves what was touched. */
export function writeState(saved: Record<string, unknown>, state: State): void {
	for (const [name, value] of Object.entries(state)) {
		if (JSON.stringify(saved[name]) !== JSON.stringify(value)) saved[name] = value;
	}
}
