import { CALM, create, EMPTY, outage, poll, pollWith, QUIET, republish, restart, update, wait } from './calm.ts';
import type { Schedule } from './schedule.ts';

/** A run of the simulation that once failed. */
export interface Counterexample<Shrunk = Schedule> {
	/** The seed of fast-check and the number of schedules that found it. */
	seed: number;
	schedules: number;
	found: string;
	/** The schedule that fast-check shrank it to: stays the same when schedules are drawn in another way. */
	shrunk: Shrunk;
}

export const COUNTEREXAMPLES: Counterexample[] = [
	{
		seed: 844121459,
		schedules: 5_000,
		found:
			'A slower response than the one before put the watermark of the first look before its start, and the next sweep reached back behind it: old, yet emitted.',
		shrunk: {
			...CALM,
			past: [wait(1_264), create(1), wait(280_130)],
			activation: [{ before: 20_253, after: 0, fault: 'death' }],
			actions: [wait(3), pollWith(QUIET, { before: 0, after: 487 }), poll],
		},
	},
	{
		seed: 1,
		schedules: 360,
		found: 'The overlap reached back behind a start date of the last minutes: old, yet emitted.',
		shrunk: { ...EMPTY, startFrom: 'earlier', past: [wait(540_000), create(1), wait(120_000)], actions: [poll] },
	},
	{
		seed: 2,
		schedules: 360,
		found: 'A workflow that was activated during an outage, and published again before it was over, was switched off.',
		shrunk: { ...CALM, past: [], activation: [outage], actions: [republish({ before: 0, after: 0, fault: 'outage' })] },
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
			past: [wait(571_254)],
			activation: [outage],
			actions: [
				create(3),
				poll,
				poll,
				wait(824),
				poll,
				pollWith({ before: 26_438, after: 0, change: create(1) }),
				update(0),
				republish(QUIET, { before: 234, after: 0, change: create(1) }),
				republish(),
				republish(),
				wait(300_000),
				update(0),
				create(1),
				{ ...poll, death: 'state saved, execution not stored' },
				poll,
			],
		},
	},
	{
		seed: 5,
		schedules: 33_012,
		found:
			"With a start date, and n8n's clock ahead: after an outage at the activation the first sweep began by that clock. What was created during the outage, with a date before the start date, was lost.",
		shrunk: {
			...CALM,
			startFrom: 'earlier',
			maxRecords: 1_000,
			skew: 301_264,
			past: [wait(598_737)],
			activation: [outage],
			actions: [
				wait(713),
				poll,
				poll,
				restart,
				poll,
				create(4, 1_001),
				update(0),
				poll,
				poll,
				{ ...poll, death: 'state saved, execution not stored' },
			],
			readsPerPoll: 3,
		},
	},
	{
		seed: 20_260_333,
		schedules: 4_608,
		found: 'The same, because a redelivery went back to the activation.',
		shrunk: {
			...CALM,
			startFrom: 'earlier',
			skew: 300_999,
			past: [wait(599_001), create(1)],
			activation: [],
			actions: [
				restart,
				pollWith({ before: 0, after: 449 }),
				poll,
				create(2),
				poll,
				create(1, 1_001),
				poll,
				poll,
				create(3),
				restart,
				republish(),
				poll,
			],
			readsPerPoll: 2,
			rejectedEvery: 2,
			toldLater: [0, 0, 12],
		},
	},
	{
		seed: 77_353,
		schedules: 5_580,
		found:
			'A redelivery took two polls. The records of the second one, which n8n had failed to store before, did not stay recent.',
		shrunk: {
			...EMPTY,
			maxRecords: 2,
			actions: [
				pollWith({ before: 0, after: 0, change: create(1) }),
				restart,
				create(2),
				poll,
				{
					...pollWith({ before: 50, after: 50 }, { before: 0, after: 0, change: update(0) }),
					death: 'state saved, execution not stored',
				},
				poll,
				poll,
				create(1),
				wait(290_257),
				update(0),
				republish({ before: 50, after: 50 }, { before: 9_143, after: 0, change: create(3), fault: 'death' }),
				{ ...poll, death: 'execution stored, state not saved' },
				create(1),
			],
			rejectedEvery: 2,
			cursors: 'offset',
		},
	},
];
