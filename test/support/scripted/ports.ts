import type { Trail } from '../../../nodes/shared/service/trail.ts';
import { FRESH_TRAIL } from '../../../nodes/shared/service/trail.ts';
import type {
	AfterRestart,
	Checkpoint,
	NotStored,
	OwnEmission,
	PollEnd,
	PollResult,
	Process,
	Redelivery,
	Reports,
} from '../../../nodes/shared/trigger/core/delivery.ts';
import { checkpointAfter, redeliveryOf } from '../../../nodes/shared/trigger/core/delivery.ts';
import type { RevenueRecord } from '../../../nodes/shared/trigger/core/memory/fingerprint.ts';
import { pollOnce } from '../../../nodes/shared/trigger/core/pollOnce.ts';
import type { PollSettings, Ports } from '../../../nodes/shared/trigger/core/ports.ts';
import type {
	Between,
	NextPage,
	Started,
	Starting,
	State,
	Sweep,
	Sweeping,
	Walk,
} from '../../../nodes/shared/trigger/core/state.ts';
import { newSweep, newWalk, positionOf } from '../../../nodes/shared/trigger/core/state.ts';
import type { FinishedPoll } from '../../../nodes/shared/trigger/host/store/store.ts';
import type { PageResponse } from './pages.ts';
import { fetching, scriptedPages } from './pages.ts';

/** How far a sweep reaches back, in milliseconds. */
export const OVERLAP = 300_000;
/** The local clock. */
export const NOW = Date.parse('2026-01-20T12:00:00Z');

/** How far the service's clock is ahead, in milliseconds. */
export const AHEAD = 7_000;

/** Settings of a trigger that polls for new records from now on. */
export const SETTINGS: PollSettings = {
	keepsContent: false,
	fieldsToWatch: [],
	overlapMs: OVERLAP,
	startFrom: 'now',
	maxRecords: 5_000,
	failedFilter: () => undefined,
};

/** Returns a service with scripted responses, whose clock advances one second with each page. */
export function service(...responses: PageResponse[]) {
	const { ports: pages, ...seen } = scriptedPages(responses, (request) => NOW + AHEAD + request * 1_000);
	const ports: Ports = { ...pages, now: () => NOW };
	return { ports, ...seen };
}

/** Returns the ports of a service whose list is one page of these records. */
export const portsOf = (records: RevenueRecord[]): Ports => service({ records }).ports;

export const NOTHING: Redelivery = {
	own: [],
	ofAnother: undefined,
	whyNot: undefined,
	inFlight: [],
	failedBefore: false,
	maxRecords: Infinity,
};

/** Makes a poll that has nothing to redeliver. */
export async function pollWith(
	previous: State | Checkpoint | undefined,
	settings: PollSettings,
	ports: Ports,
): Promise<PollResult & { checkpoint: Checkpoint }> {
	const from = previous !== undefined && 'phase' in previous ? checkpointOf(previous) : previous;
	const polled = await pollOnce(from, settings, portsFor(from, ports), NOTHING);
	return { ...polled, checkpoint: leftBy(polled) };
}

const portsFor = (previous: Checkpoint | undefined, ports: Ports): Ports =>
	previous === undefined ? { ...ports, occasion: 'first' } : ports;

/** Returns what is saved after a poll, of which nothing is to be redelivered. */
export function leftBy(polled: PollResult): Checkpoint {
	const { memory, details } = 'memory' in polled ? polled : NOTHING_REMEMBERED;
	return checkpointOf(polled.state, { memory, details });
}

/** What a process knows of what the trigger emitted: by default nothing. */
export type Known = Partial<
	Omit<Reports, 'notStored'> & { notStored: readonly OwnEmission[] } & Process & { afterRestart: AfterRestart }
>;

/** Returns emissions of which n8n has said that it could not store them. */
export const denied = (emissions: readonly OwnEmission[]): NotStored[] =>
	emissions.map((one) => ({ ...one, why: 'reported' }));

/** What a poll leaves, and what is to be saved; no emission where it emitted nothing. */
type Delivered = PollResult & Omit<PollEnd, 'origin' | 'emission'> & { redelivery: Redelivery; emission: OwnEmission };

/** Makes a poll as the store has it made: with what is to be redelivered, and a checkpoint after it. */
export async function deliver(
	previous: Checkpoint | undefined,
	settings: PollSettings,
	ports: Ports,
	known: Known = {},
): Promise<Delivered> {
	const { afterRestart = 'recent', isFailing = false, notStored = [], unacknowledged = [] } = known;
	const process = { name: 'me', begunAt: NOW, redeliveredFrom: new Set<string>(), ...known };
	const outcomes = { isFailing, notStored: denied(notStored), unacknowledged };
	const redelivery = redeliveryOf(previous, outcomes, afterRestart, process, ports.now());
	const polled = await pollOnce(previous, settings, portsFor(previous, ports), redelivery);
	const begun = previous ?? { subject: 'me', revision: 1 };
	const { checkpoint, emission } = checkpointAfter(begun, polled, redelivery, process.name, ports.now());
	return { ...polled, redelivery, checkpoint, emission: emission as OwnEmission };
}

/** A record of a list, and when it changed. */
export interface Listed {
	record: RevenueRecord;
	changedAt: number;
}

/** Reads a list as it is at one moment, by all clocks: what changed since, so many records a page. */
export function listing(list: readonly Listed[], now: number, pageSize = Infinity): Ports {
	const pages = fetching(async (since = 0, cursor) => {
		const found = list.filter(({ changedAt }) => changedAt >= since);
		const from = Number(cursor ?? 0);
		const end = from + pageSize;
		const records = found.slice(from, end).map(({ record }) => record);
		return { records, nextCursor: end < found.length ? String(end) : null, asOf: now, latest: now };
	});
	return { ...service().ports, ...pages, now: () => now };
}

/** Records numbered from one to another. */
export const some = (from: number, to: number): RevenueRecord[] =>
	Array.from({ length: to - from + 1 }, (_, index) => ({ id: from + index }));

export const emittedIds = ({ emitted }: { emitted: Array<{ record: RevenueRecord }> }) =>
	emitted.map(({ record }) => record.id);

export type PollAt = (moment: number, from?: Checkpoint) => Promise<PollResult & { checkpoint: Checkpoint }>;

/** Polls at each of these moments from what the poll before has left. Returns what is left in the end, and the ids that arrived. */
export async function pollAtEach(
	moments: Iterable<number>,
	poll: PollAt,
	begun?: Checkpoint,
): Promise<{ checkpoint: Checkpoint; arrived: unknown[] }> {
	let checkpoint = begun;
	const arrived: unknown[] = [];
	for (const moment of moments) {
		const polled = await poll(moment, checkpoint);
		({ checkpoint } = polled);
		arrived.push(...emittedIds(polled));
	}
	return { checkpoint: checkpoint as Checkpoint, arrived };
}

/** The state of a trigger that waits for its next sweep. */
export const STATE: Between = { phase: 'between', earliest: 0, watermark: NOW, readings: [], census: null };

const NOTHING_REMEMBERED = { memory: '', details: '' };

/** Returns what is saved of a trigger with this state, nothing of which was emitted. */
export const checkpointOf = (state: State = STATE, over: Partial<Omit<Checkpoint, 'state'>> = {}): Checkpoint =>
	({ subject: 'me', revision: 0, state, last: null, ...NOTHING_REMEMBERED, ...over }) as Checkpoint;

/** Returns the same state in the middle of a sweep. */
export const sweepingWith = (sweep: Sweep, over: Partial<Between> = {}): Sweeping => ({
	...STATE,
	...over,
	phase: 'sweeping',
	sweep,
});

/** Returns a state of a trigger whose first poll got no response. */
export const startingAt = (activatedAt: number, startDate: number | null = null): Starting => ({
	phase: 'starting',
	activatedAt,
	startDate,
});

/** Returns the page that a walk reads next. */
export const nextAt = (cursor: string, trail: Trail = FRESH_TRAIL): NextPage => ({ cursor, trail });

/** The members of a sweep and of its walk. */
export type SweepMembers = Partial<Sweep> & { startDate?: number } & {
	[Name in Exclude<keyof Walk, 'since'>]?: Walk[Name];
};

/** Returns a usual sweep that has read nothing, except as told. */
export const sweepFrom = (
	since: number,
	{ startedAt, next, setbacks, startDate, ...over }: SweepMembers = {},
): Sweep => {
	const walk = { ...newWalk(since), ...(setbacks && { setbacks }) };
	const begun = startedAt === undefined || startedAt === null ? walk : { ...walk, startedAt, next: next ?? null };
	return { ...newSweep(begun, 0, startDate ?? null), ...over };
};

/** Returns the same state, which has started. */
export function startedState(state: State): Started {
	if (state.phase === 'starting') throw new Error('It is still starting');
	return state;
}

/** Returns the sweep under way; null between two sweeps. */
export const sweepOf = (state: State): Sweep | null => (state.phase === 'sweeping' ? state.sweep : null);

/** Returns a poll that is to be saved: one that has read and emitted nothing, unless more is given. */
export const finished = (next: Checkpoint, more: Partial<FinishedPoll> = {}): FinishedPoll => ({
	previous: checkpointOf(),
	checkpoint: next,
	emission: undefined,
	redelivery: NOTHING,
	origin: positionOf(STATE),
	items: [],
	hasRecords: false,
	ports: service().ports,
	...more,
});

/** Returns the ports of a poll that an activation waits for, as it does for the first one. */
export const awaited = (ports: Ports): Ports => ({ ...ports, occasion: 'activation' });

/** Freezes a value and all in it: what changed it would throw. */
export function frozen<T>(value: T): T {
	if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) frozen(part);
	return Object.freeze(value);
}
