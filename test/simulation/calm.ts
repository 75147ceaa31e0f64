import type { Change, Interruption, Schedule } from './schedule.ts';

/** No trouble: what schedules that are written by hand start from. */
export const CALM: Omit<Schedule, 'past' | 'activation' | 'actions'> = {
	event: 'new',
	saving: 'static data',
	afterRestart: 'repeat',
	startFrom: 'now',
	filtered: false,
	pageSize: 1,
	maxRecords: 1,
	cursorLifetime: Infinity,
	skew: 0,
	readsPerPoll: Infinity,
	rejectedEvery: 0,
	toldAfter: 0,
	cursors: 'position',
};

/** The same, where nothing happens before the trigger's activation. */
export const EMPTY = { ...CALM, past: [], activation: [] };

export const QUIET: Interruption = { before: 50, after: 50 };

export const outage: Interruption = { ...QUIET, fault: 'outage' };

const CREATE = { kind: 'create' as const, late: 0, status: 'paid' };
export const create = (count: number, backdated = 0) => ({ ...CREATE, count, backdated });

export const update = (pick: number) => ({ kind: 'update' as const, pick, status: 'paid' });

export const wait = (ms: number) => ({ kind: 'wait' as const, ms });

/** Returns a request before which the service has another change. */
export const requestAfter = (change: Change): Interruption => ({ ...QUIET, change });

export const pollWith = (...interruptions: Interruption[]) => ({ kind: 'poll' as const, interruptions });

export const poll = pollWith();

export const republish = (...interruptions: Interruption[]) => ({ kind: 'republish' as const, interruptions });

export const restart = { kind: 'restart' as const };
