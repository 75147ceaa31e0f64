import { create as created } from '../calm.ts';
import type { Counterexample } from '../counterexamples.ts';
import { MINUTE, SECOND } from '../serviceModel.ts';
import type { Schedule, Trouble } from './schedule.ts';
import { CALM } from './schedule.ts';

const LIST = { order: 'ascending', bound: 'inclusive', compared: 'updatedAt' } as const;

const QUIET: Omit<Schedule, 'actions'> = {
	saving: 'static data',
	afterRestart: 'repeatIfRecent',
	startFrom: 'now',
	service: { ...LIST, pageSize: 1, cursorLifetime: Infinity, cursors: 'position' },
};

const create = (pauseMs: number, backdated = 0) => ({ ...created(1, backdated), pauseMs });
const poll = (trouble: Partial<Trouble> = {}, pauseMs = 20 * SECOND) => ({
	kind: 'poll' as const,
	node: 0,
	trouble: { ...CALM, ...trouble },
	pauseMs,
});
const add = (pauseMs: number) => ({ kind: 'add' as const, trouble: CALM, pauseMs });
const restart = (downMs: number, pauseMs: number) => ({ kind: 'restart' as const, downMs, trouble: CALM, pauseMs });
const database = (isLocked: boolean, pauseMs = 0) => ({ kind: 'database' as const, isLocked, pauseMs });

/** A trigger is added to the active workflow, and n8n saves the copy of another one, which lacks it. */
export const ADDED: Schedule = {
	...QUIET,
	actions: [add(MINUTE), create(SECOND), poll(), restart(20 * SECOND, 0), create(MINUTE)],
};

/** n8n saves the copy of a trigger, which lacks the one that was added since, and dies. */
export const COPIED: Schedule = { ...QUIET, actions: [add(12 * MINUTE), create(0), poll({ fate: 'n8n dies' }, 0)] };

export const LATE_RESTART: Schedule = { ...QUIET, actions: [create(0), poll({}, 12 * MINUTE), restart(SECOND, 0)] };

export const HANGING: Schedule = { ...QUIET, actions: [poll({ hangs: true }), create(MINUTE)] };

export const UNSAVED_START: Schedule = {
	...QUIET,
	saving: 'durable cursors later',
	actions: [database(true), add(0), restart(SECOND, 2 * SECOND), create(0), database(false)],
};

/** With a start date; what is created meanwhile has an earlier one. */
export const UNSAVED_START_DATE: Schedule = {
	...QUIET,
	saving: 'durable cursors',
	startFrom: 'date',
	actions: [add(0), database(true, 4 * MINUTE), create(0, 3_841_001)],
};

/** An activation's execution is stored while n8n has yet to report that it could not store the one before. */
export const IN_FLIGHT: Schedule = {
	...QUIET,
	actions: [
		{ kind: 'wait', pauseMs: SECOND },
		create(SECOND),
		poll({ fate: 'not stored', afterMs: 20 * SECOND }, SECOND),
		create(0),
		{ kind: 'publish', node: 0, trouble: CALM, pauseMs: 3 * SECOND },
		restart(SECOND, 0),
	],
};

/**
 * n8n 1.x starts while its database is locked, and an activation waits for the end of an execution. Meanwhile somebody adds a
 * trigger. n8n saves the copy of the first activation last, and ends before the next execution.
 */
export const STALE_COPY: Schedule = {
	...QUIET,
	saving: 'n8n 1.x',
	actions: [
		database(true),
		create(0),
		restart(SECOND, 2 * SECOND),
		add(0),
		database(false, MINUTE),
		create(0),
		restart(SECOND, 0),
	],
};

/** What failed once. Those without a seed are older than these schedules. */
export const COUNTEREXAMPLES: Array<
	Pick<Counterexample<Schedule>, 'found' | 'shrunk'> & Partial<Counterexample<Schedule>>
> = [
	{ found: 'A trigger began anew after a restart: another one had saved its own copy.', shrunk: ADDED },
	{ found: 'A poll that waited for a credential held its trigger for ever.', shrunk: HANGING },
	{ found: 'A start that n8n could not store was lost.', shrunk: UNSAVED_START },
	{ found: 'After a start that n8n could not store, the trigger began later.', shrunk: UNSAVED_START_DATE },
	{
		found: 'A trigger began anew after a restart: an activation that had waited saved its own copy.',
		shrunk: STALE_COPY,
	},
];
