import type { RevenueRecord } from '../../../nodes/shared/trigger/core/memory/fingerprint.ts';
import type { PollResult } from '../../../nodes/shared/trigger/core/pollOnce.ts';
import type { PollPorts, PollSettings } from '../../../nodes/shared/trigger/core/ports.ts';
import type { Between, Started, Starting, State, Sweep, Sweeping } from '../../../nodes/shared/trigger/core/state.ts';
import { keptOf } from '../../../nodes/shared/trigger/core/state.ts';
import type { FinishedPoll } from '../../../nodes/shared/trigger/host/store/store.ts';
import type { PageResponse } from './pages.ts';
import { scriptedPages } from './pages.ts';

/** How far a sweep reaches back, in milliseconds. */
export const OVERLAP = 300_000;
/** The local clock. */
export const NOW = Date.parse('2026-01-20T12:00:00Z');

/** How far the service's clock is ahead, in milliseconds. */
export const AHEAD = 7_000;

/** Settings of a trigger that polls for new records from now on. */
export const SETTINGS: PollSettings = {
	identity: 'me',
	keepsContent: false,
	afterRestart: 'recent',
	overlapMs: OVERLAP,
	startFrom: 'now',
	maxRecords: 5_000,
	matches: () => true,
};

/** Returns a service with scripted responses, whose clock advances one second with each page. */
export function service(...responses: PageResponse[]) {
	const { ports: pages, ...seen } = scriptedPages(responses, (request) => NOW + AHEAD + request * 1_000);
	const ports: PollPorts = {
		...pages,
		now: () => NOW,
		process: 'me',
		begunAt: NOW,
		formerRevision: 0,
		isFailing: false,
		redelivered: new Set(),
		notStored: [],
		unacknowledged: [],
		isAwaited: false,
	};
	return { ports, ...seen };
}

/** A record of a list, and when it changed. */
export interface Listed {
	record: RevenueRecord;
	changedAt: number;
}

/** Reads a list as it is at one moment: what changed since, so many records a page. */
export function listing(list: readonly Listed[], now: number, pageSize = Infinity): PollPorts['fetchPage'] {
	return async (since = 0, cursor) => {
		const found = list.filter(({ changedAt }) => changedAt >= since);
		const from = Number(cursor ?? 0);
		const end = from + pageSize;
		const records = found.slice(from, end).map(({ record }) => record);
		return { records, nextCursor: end < found.length ? String(end) : null, asOf: now };
	};
}

/** Records numbered from one to another. */
export const some = (from: number, to: number): RevenueRecord[] =>
	Array.from({ length: to - from + 1 }, (_, index) => ({ id: from + index }));

/** Returns the ids of what a poll emits. */
export const idsOf = ({ emitted }: { emitted: Array<{ record: RevenueRecord }> }) =>
	emitted.map(({ record }) => record.id);

/** The state of a trigger that waits for its next sweep. */
export const STATE: Between = {
	phase: 'between',
	identity: 'me',
	earliest: 0,
	watermark: NOW,
	readings: [],
	revision: 0,
	last: null,
	census: null,
	memory: '',
	details: '',
};

/** Returns the same state in the middle of a sweep. */
export const sweepingWith = (sweep: Sweep, over: Partial<Between> = {}): Sweeping => ({
	...STATE,
	...over,
	phase: 'sweeping',
	sweep,
});

/** Returns a state of a trigger whose first poll got no response. */
export const startingAt = (activatedAt: number): Starting => ({
	...keptOf(STATE),
	phase: 'starting',
	activatedAt,
});

/** Returns the same state, which has started. */
export function started(state: State): Started {
	if (state.phase === 'starting') throw new Error('It is still starting');
	return state;
}

/** Returns the sweep under way; null between two sweeps. */
export const sweepOf = (state: State): Sweep | null => (state.phase === 'sweeping' ? state.sweep : null);

/** Returns a poll that is to be saved: one that has read and emitted nothing, unless more is given. */
export const finished = (state: State, more: Partial<FinishedPoll> = {}): FinishedPoll => ({
	saved: STATE,
	polled: { state, emitted: [] } as unknown as PollResult,
	items: [],
	hasRead: false,
	ports: service().ports,
	...more,
});

/** Returns the ports of a poll that an activation waits for, as it does for the first one. */
export const awaited = (ports: PollPorts): PollPorts => ({ ...ports, isAwaited: true });
