import fc from 'fast-check';
import { weighted } from '../support/weighted.ts';
import { MINUTE, SECOND } from './serviceModel.ts';

export const OVERLAP_MS = 5 * MINUTE;

/** What happens around one request of a poll. */
export interface Interruption {
	/** Time from the request to the moment the service reads its data, and from there to the response. */
	before: number;
	after: number;
	change?: Change;
	fault?: 'outage' | 'rejection' | 'rejected cursor' | 'death' | 'time is up';
}

/** What happens to the records of the service. */
export type Change =
	| { kind: 'create'; count: number; late: number; backdated: number; status: string }
	| { kind: 'update'; pick: number; status: string };

/** Between which of n8n's two writes the process dies; under durable cursors there is only one, which is not made. */
export type Death = 'state saved, execution not stored' | 'execution stored, state not saved';

export type Action =
	| Change
	| { kind: 'wait'; ms: number }
	| { kind: 'poll'; interruptions: Interruption[]; death?: Death | undefined }
	/** The process ends between two polls, in good order or not, and another one starts. */
	| { kind: 'restart' }
	/** The same process loads the workflow again. */
	| { kind: 'republish'; interruptions: Interruption[] };

/** Everything in a schedule except the gaps. */
export interface Schedule {
	event: 'new' | 'new or updated';
	saving: 'static data' | 'durable cursors';
	afterRestart: 'repeat' | 'continue';
	startFrom: 'now' | 'earlier';
	filtered: boolean;
	pageSize: number;
	maxRecords: number;
	cursorLifetime: number;
	/** How far the local clock is ahead of the service's. */
	skew: number;
	/** What exists before the activation. */
	past: Action[];
	/** What happens around the requests of the first activation. */
	activation: Interruption[];
	actions: Action[];
	/** How many requests the rate limit lets one poll make. */
	readsPerPoll: number;
	/** n8n cannot store every n-th execution under its default static data; 0 for none. */
	rejectedEvery: number;
	/** How many polls later the trigger learns what became of an execution. */
	toldAfter: number;
	/** How many more, of one execution after another, from the first again; 0 unless given. */
	toldLater?: readonly number[];
	/** What a cursor of the service holds. */
	cursors: 'position' | 'offset';
	/** Whether some of the changes delete a record instead. */
	deletes?: boolean;
	/** Whether each page begins with the last record of the previous one. */
	pagesOverlap?: boolean;
	/** How far the Date header of every n-th response is ahead of the service's data. */
	hosts?: { ahead: number; every: number };
	/** The fields to watch, which may change half-way through the actions; any field unless given. */
	watching?: 'any field' | 'the status' | 'the status later' | 'the status at first';
}

const status = fc.constantFrom('paid', 'paid', 'pending');
const pause = weighted(
	[3, fc.nat({ max: 2 * SECOND })],
	[2, fc.nat({ max: MINUTE })],
	[2, fc.nat({ max: 12 * MINUTE })],
);

export const create: fc.Arbitrary<Change> = fc.record({
	kind: fc.constant('create' as const),
	count: fc.integer({ min: 1, max: 7 }),
	// Share of the longest time that the overlap bridges.
	late: weighted([3, fc.constant(0)], [1, fc.double({ min: 0, max: 1, noNaN: true })]),
	backdated: weighted([3, fc.constant(0)], [1, fc.nat({ max: 24 * 60 * MINUTE })]),
	status,
});

export const update: fc.Arbitrary<Change> = fc.record({
	kind: fc.constant('update' as const),
	pick: fc.nat({ max: 1_000 }),
	status,
});

const interruption: fc.Arbitrary<Interruption> = fc.record(
	{
		before: fc.oneof(fc.nat({ max: 400 }), fc.nat({ max: 40 * SECOND })),
		after: fc.nat({ max: 2 * SECOND }),
		change: fc.oneof(create, update),
		fault: fc.constantFrom('outage', 'rejection', 'rejected cursor', 'death', 'time is up'),
	},
	{ requiredKeys: ['before', 'after'] },
);

const QUIET: Interruption = { before: 50, after: 50 };

/** Most requests succeed: a sweep that never gets anywhere shows little. */
const interruptions = fc.array(weighted([3, fc.constant(QUIET)], [1, interruption]), { maxLength: 6, size: 'max' });

const wait: fc.Arbitrary<Action> = fc.record({ kind: fc.constant('wait' as const), ms: pause });

const death: fc.Arbitrary<Death | undefined> = weighted(
	[3, fc.constant(undefined)],
	[1, fc.constantFrom<Death[]>('state saved, execution not stored', 'execution stored, state not saved')],
);

const action: fc.Arbitrary<Action> = weighted(
	[4, wait],
	[4, create],
	[2, update],
	[6, fc.record({ kind: fc.constant('poll' as const), interruptions, death })],
	[1, fc.constant({ kind: 'restart' as const })],
	[1, fc.record({ kind: fc.constant('republish' as const), interruptions })],
);

const ANY = 'any field';
const WATCHING = [ANY, ANY, 'the status', 'the status', 'the status later', 'the status at first'] as const;

export const schedules: fc.Arbitrary<Schedule> = fc.record({
	event: fc.constantFrom('new', 'new or updated'),
	saving: fc.constantFrom('static data', 'durable cursors'),
	afterRestart: fc.constantFrom('repeat', 'repeat', 'continue'),
	startFrom: fc.constantFrom('now', 'now', 'earlier'),
	filtered: fc.boolean(),
	pageSize: fc.integer({ min: 1, max: 4 }),
	maxRecords: fc.oneof(fc.integer({ min: 1, max: 6 }), fc.constant(1_000)),
	cursorLifetime: fc.constantFrom(Infinity, 30 * MINUTE, 2 * MINUTE, 5 * SECOND),
	skew: fc.integer({ min: -15 * MINUTE, max: 15 * MINUTE }),
	past: fc.array(fc.oneof(wait, create, update), { maxLength: 6, size: 'max' }),
	activation: weighted([3, interruptions], [1, fc.constant<Interruption[]>([{ ...QUIET, fault: 'outage' }])]),
	actions: fc.array(action, { minLength: 4, maxLength: 40, size: 'max' }),
	// These come last, so that a seed still draws what it drew before.
	readsPerPoll: fc.constantFrom(Infinity, Infinity, 2, 3, 8),
	rejectedEvery: fc.constantFrom(0, 0, 1, 2, 3),
	toldAfter: fc.constantFrom(0, 0, 2, 4),
	cursors: fc.constantFrom('position', 'offset'),
	watching: fc.constantFrom(...WATCHING),
	deletes: fc.constantFrom(false, false, true),
	pagesOverlap: fc.constantFrom(false, false, true),
	hosts: weighted(
		[3, fc.constant({ ahead: 0, every: 1 })],
		[1, fc.record({ ahead: fc.nat({ max: 60 * MINUTE }), every: fc.constantFrom(1, 2, 3) })],
	),
	toldLater: weighted(
		[1, fc.constant([])],
		[1, fc.array(fc.constantFrom(0, 1, 5, 12), { minLength: 1, maxLength: 3 })],
	),
});
