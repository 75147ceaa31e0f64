import type { Schedule } from './schedule';

/** A run of the simulation that once failed. */
export interface Counterexample {
	/** The seed of fast-check, and the number of schedules in all. */
	seed: number;
	schedules: number;
	/** What it found. */
	found: string;
	/** The schedule that fast-check shrank it to: stays the same when schedules are drawn in another way. */
	shrunk: Schedule;
}

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

export const COUNTEREXAMPLES: Counterexample[] = [
	{
		seed: 844121459,
		schedules: 5_000,
		found:
			'A slower response than the one before put the watermark of the first look before its start, and the next sweep reached back behind it: old, yet emitted.',
		shrunk: {
			...CALM,
			past: [
				{ kind: 'wait', ms: 1_264 },
				{ kind: 'create', count: 1, late: 0, backdated: 0, status: 'paid' },
				{ kind: 'wait', ms: 280_130 },
			],
			activation: [{ before: 20_253, after: 0, fault: 'death' }],
			actions: [
				{ kind: 'wait', ms: 3 },
				{
					kind: 'poll',
					interruptions: [
						{ before: 50, after: 50 },
						{ before: 0, after: 487 },
					],
				},
				{ kind: 'poll', interruptions: [] },
			],
		},
	},
	{
		seed: 1,
		schedules: 360,
		found: 'The overlap reached back behind a start date of the last minutes: old, yet emitted.',
		shrunk: {
			...CALM,
			startFrom: 'earlier',
			past: [
				{ kind: 'wait', ms: 540_000 },
				{ kind: 'create', count: 1, late: 0, backdated: 0, status: 'paid' },
				{ kind: 'wait', ms: 120_000 },
			],
			activation: [],
			actions: [{ kind: 'poll', interruptions: [] }],
		},
	},
	{
		seed: 2,
		schedules: 360,
		found: 'A workflow that was activated during an outage, and published again before it was over, was switched off.',
		shrunk: {
			...CALM,
			past: [],
			activation: [{ before: 50, after: 50, fault: 'outage' }],
			actions: [{ kind: 'republish', interruptions: [{ before: 0, after: 0, fault: 'outage' }] }],
		},
	},
];
