import type { Schedule } from './schedule';

/** A run of the simulation that once failed. */
export interface Counterexample {
	/** The seed of fast-check and the number of schedules that found it. */
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
	{
		seed: 20260308,
		schedules: 4_464,
		found:
			'What n8n had failed to store before was emitted again, and five minutes later it counted as stored though n8n had said nothing of it yet: lost by a restart then.',
		shrunk: {
			...CALM,
			startFrom: 'earlier',
			rejectedEvery: 1,
			toldAfter: 2,
			past: [{ kind: 'wait', ms: 571_254 }],
			activation: [{ before: 50, after: 50, fault: 'outage' }],
			actions: [
				{ kind: 'create', count: 3, late: 0, backdated: 0, status: 'paid' },
				{ kind: 'poll', interruptions: [] },
				{ kind: 'poll', interruptions: [] },
				{ kind: 'wait', ms: 824 },
				{ kind: 'poll', interruptions: [] },
				{
					kind: 'poll',
					interruptions: [
						{ before: 26_438, after: 0, change: { kind: 'create', count: 1, late: 0, backdated: 0, status: 'paid' } },
					],
				},
				{ kind: 'update', pick: 0, status: 'paid' },
				{
					kind: 'republish',
					interruptions: [
						{ before: 50, after: 50 },
						{ before: 234, after: 0, change: { kind: 'create', count: 1, late: 0, backdated: 0, status: 'paid' } },
					],
				},
				{ kind: 'republish', interruptions: [] },
				{ kind: 'republish', interruptions: [] },
				{ kind: 'wait', ms: 300_000 },
				{ kind: 'update', pick: 0, status: 'paid' },
				{ kind: 'create', count: 1, late: 0, backdated: 0, status: 'paid' },
				{ kind: 'poll', interruptions: [], death: 'state saved, execution not stored' },
				{ kind: 'poll', interruptions: [] },
			],
		},
	},
];
