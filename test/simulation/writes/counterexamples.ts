import type { Exception } from '../../../scripts/lint/writeExceptions.ts';
import type { Action, Schedule } from './schedule';
import { SMOOTH } from './service';

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

const CALM: Schedule = {
	host: 'n8n 2',
	gaps: { onOtherBody: 'conflict', remembersMs: Infinity },
	shape: {
		fetch: 'none',
		batchSize: 0,
		wait: false,
		second: 'none',
		again: false,
		check: false,
		sub: 'no',
		agent: 'none',
		turns: [['a']],
		agentBatch: 1,
		agentRetries: false,
	},
	node: {
		type: 'tagLead',
		text: 0,
		toolText: 0,
		second: 0,
		ownKey: 0,
		onError: 'stopWorkflow',
		retryOnFail: false,
		maxTries: 2,
		waitBetweenTries: 0,
		maxAttempts: 1,
	},
	organizations: false,
	savesProgress: false,
	journeys: [],
	deaths: [],
	stops: [],
	unreadable: [],
	failures: 0,
	actions: [{ kind: 'start', workflow: 0, worker: 0, editor: 'no', items: [{ name: 'a', org: 'x' }] }],
	chance: 0,
};

const { shape, node } = CALM;

const startedWith = (...names: string[]): Action => ({
	kind: 'start',
	workflow: 0,
	worker: 0,
	editor: 'no',
	items: names.map((name) => ({ name, org: 'x' })),
});

export const COUNTEREXAMPLES: Counterexample[] = [
	{
		seed: 7,
		schedules: 172,
		found:
			'With an expression in the credential, a run of one item had other keys than one of several: made again after a crash.',
		shrunk: {
			...CALM,
			shape: { ...shape, second: 'createKeywordAutomation', again: true },
			node: { ...node, onError: 'continueErrorOutput' },
			organizations: true,
			journeys: [{ there: 0, work: 0, back: 0, isSent: true, fault: 'late, as is the change' }],
			deaths: [0],
			unreadable: [0],
			actions: [startedWith('a', 'a'), startedWith('a'), { kind: 'retry', pick: 0, worker: 0, current: false }],
		},
	},
	{
		seed: 20261122,
		schedules: 2378,
		found:
			"An attempt that sent nothing chose a key, and the next one kept it: no other change's key, as the oracle first said.",
		shrunk: {
			...CALM,
			shape: { ...shape, batchSize: 2 },
			node: { ...node, ownKey: 5 },
			journeys: [true, true, false].map((isSent) => ({ ...SMOOTH, isSent })),
			actions: [startedWith('a', 'b', 'a')],
		},
	},
];

/** For each exception a schedule that needs it: an exception that nothing needs would hide a fault. */
export const NEEDS: Record<Exception, Schedule> = {
	'no token': { ...CALM, host: 'n8n 1', deaths: [4] },
	'computed, rejected': {
		...CALM,
		shape: { ...shape, agent: 'version 2' },
		node: { ...node, toolText: 2 },
		failures: 1,
	},
	'computed, replayed': {
		...CALM,
		gaps: { ...CALM.gaps, onOtherBody: 'replay' },
		shape: { ...shape, agent: 'version 2' },
		node: { ...node, toolText: 2 },
		failures: 1,
	},
	'edited after a crash': {
		...CALM,
		deaths: [4],
		actions: [
			startedWith('a'),
			{ kind: 'wait', ms: 0 },
			{ kind: 'edit', workflow: 0, text: 10 },
			{ kind: 'retry', pick: 0, worker: 0, current: true },
		],
	},
	'own key that differs': {
		...CALM,
		node: { ...node, text: 5, ownKey: 5 },
		actions: [startedWith('a', 'a', 'a', 'a', 'c')],
	},
	'forgotten key': {
		...CALM,
		gaps: { ...CALM.gaps, remembersMs: 5_000 },
		shape: { ...shape, agent: 'version 2' },
		failures: 2,
		actions: [startedWith('a'), { kind: 'wait', ms: 5_000 }, { kind: 'retry', pick: 0, worker: 0, current: false }],
	},
};
