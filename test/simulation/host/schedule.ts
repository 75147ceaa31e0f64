import fc from 'fast-check';
import { weighted } from '../../support/weighted.ts';
import type { Change } from '../schedule.ts';
import { create, update } from '../schedule.ts';
import type { ServiceOptions } from '../serviceModel.ts';
import { MINUTE, SECOND } from '../serviceModel.ts';

const FAULTS = ['none', 'outage', 'reset'] as const;

/** What goes wrong in one poll. */
export interface Trouble {
	/** How long each request takes, in milliseconds. */
	slow: number;
	/** How the first requests end. */
	faults: Array<(typeof FAULTS)[number]>;
	/** n8n never returns the credential. */
	hangs?: boolean;
	/**
	 * What becomes of the execution: it ends, or n8n reports that it could not store it, `afterMs` later. Or n8n dies before it
	 * stores it. An execution may also write static data, and save its own copy at its end; after a wait it has none.
	 */
	fate: 'stored' | 'writes static data' | 'drops static data' | 'not stored' | 'n8n dies';
	afterMs: number;
}

/** A poll in which nothing goes wrong. */
export const CALM: Trouble = { slow: 50, faults: [], fate: 'stored', afterMs: 100 };

export type Action = { pauseMs: number } & (
	| Change
	| { kind: 'wait' }
	| { kind: 'poll'; node: number; trouble: Trouble }
	/** n8n loads all triggers of the workflow again or, on 2.x, only one, which may have been changed. */
	| { kind: 'publish'; node: number | 'all'; edit?: 'name' | 'most records'; trouble: Trouble }
	| { kind: 'unpublish' }
	/** The machine sleeps, or n8n is stopped; meanwhile the service has another record. */
	| { kind: 'sleep'; ms: number; isStopped: boolean }
	/** One more trigger is added to the active workflow. */
	| { kind: 'add'; trouble: Trouble }
	| { kind: 'restart'; downMs: number; trouble: Trouble }
	/** Until it is unlocked, n8n can write nothing. */
	| { kind: 'database'; isLocked: boolean }
	/** Somebody sets n8n's clock. */
	| { kind: 'clock'; aheadMs: number }
);

export interface Schedule {
	/** "later" is from n8n's first restart on. */
	saving: 'n8n 1.x' | 'static data' | 'durable cursors' | 'durable cursors later';
	/** The values of Repeat if Recent, Always Repeat and Never Repeat. */
	afterRestart: 'repeatIfRecent' | 'repeat' | 'continue';
	startFrom: 'now' | 'date';
	service: Pick<ServiceOptions, 'order' | 'bound' | 'compared' | 'pageSize' | 'cursorLifetime' | 'cursors'>;
	actions: Action[];
}

const trouble: fc.Arbitrary<Trouble> = fc.record(
	{
		slow: fc.constantFrom(5, 5, 300, 4 * SECOND),
		faults: weighted(
			[3, fc.constant<Trouble['faults']>([])],
			[1, fc.array(fc.constantFrom(...FAULTS), { maxLength: 3 })],
		),
		fate: weighted(
			[6, fc.constant('stored')],
			[6, fc.constantFrom('writes static data', 'not stored', 'n8n dies')],
			[1, fc.constant('drops static data')],
		),
		afterMs: fc.constantFrom(0, 100, 8 * SECOND, 30 * SECOND, 7 * MINUTE, 33 * MINUTE),
		hangs: fc.constantFrom(false, false, false, false, false, false, false, true),
	},
	{ requiredKeys: ['slow', 'faults', 'fate', 'afterMs'] },
);

const pauseMs = fc.constantFrom(0, 10, 300, SECOND, SECOND, 20 * SECOND, MINUTE, 4 * MINUTE, 12 * MINUTE);
const node = fc.nat({ max: 2 });
const kind = <Kind extends string>(name: Kind) => fc.constant(name);

const edit = fc.constantFrom('name', 'most records');
const publish = fc.record(
	{ kind: kind('publish'), node: fc.oneof(node, kind('all')), edit, trouble },
	{ requiredKeys: ['kind', 'node', 'trouble'] },
);
const downMs = fc.constantFrom(SECOND, 20 * SECOND, 6 * MINUTE);
const asleepMs = fc.constantFrom(30 * SECOND, 7 * MINUTE, 180 * MINUTE);
const aheadMs = fc.constantFrom(0, 60 * MINUTE, -60 * MINUTE, 7 * MINUTE);

const happening: fc.Arbitrary<object> = weighted(
	[6, create],
	[1, update],
	[2, fc.record({ kind: kind('wait') })],
	[9, fc.record({ kind: kind('poll'), node, trouble })],
	[3, publish],
	[1, fc.record({ kind: kind('add'), trouble })],
	[2, fc.record({ kind: kind('restart'), downMs, trouble })],
	[1, fc.record({ kind: kind('unpublish') })],
	[1, fc.record({ kind: kind('sleep'), ms: asleepMs, isStopped: fc.boolean() })],
	[2, fc.record({ kind: kind('database'), isLocked: fc.boolean() })],
	[1, fc.record({ kind: kind('clock'), aheadMs })],
);

const action = fc.tuple(happening, pauseMs).map(([happens, pause]) => ({ ...happens, pauseMs: pause }) as Action);

export const schedules: fc.Arbitrary<Schedule> = fc.record({
	saving: fc.constantFrom('n8n 1.x', 'static data', 'static data', 'durable cursors', 'durable cursors later'),
	afterRestart: fc.constantFrom('repeatIfRecent', 'repeatIfRecent', 'repeat', 'continue'),
	startFrom: fc.constantFrom('now', 'now', 'date'),
	service: fc.record({
		order: fc.constantFrom('ascending', 'descending', 'shuffled'),
		bound: fc.constantFrom('inclusive', 'exclusive'),
		compared: fc.constantFrom('updatedAt', 'createdAt'),
		pageSize: fc.integer({ min: 1, max: 4 }),
		cursorLifetime: fc.constantFrom(Infinity, 30 * MINUTE, 2 * MINUTE),
		cursors: fc.constantFrom('position', 'offset'),
	}),
	actions: fc.array(action, { minLength: 4, maxLength: 40, size: 'max' }),
});
