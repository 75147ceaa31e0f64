import type { Exception } from '../../../scripts/lint/writeExceptions.ts';
import type { Counterexample } from '../counterexamples.ts';
import { CALM, node, shape, startedWith } from './calm.ts';
import type { Action, Schedule } from './schedule.ts';
import { SMOOTH } from './service.ts';

export const COUNTEREXAMPLES: Array<Counterexample<Schedule>> = [
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
	{
		seed: 31006,
		schedules: 8032,
		found:
			'An item whose credential could not be read came before others of one computed identity: in the next try each took the change of the one after it.',
		shrunk: {
			...CALM,
			shape: { ...shape, fetch: 'other values' },
			node: { ...node, type: 'createKeywordAutomation', text: 10, onError: 'continueRegularOutput', retryOnFail: true },
			unreadable: [0],
			actions: [startedWith('a', 'a', 'b')],
		},
	},
	{
		seed: 4242,
		schedules: 961,
		found:
			'In a retry of an execution, the service rejected an item, and the next try could not read its credential: the key was missing.',
		shrunk: {
			...CALM,
			shape: { ...shape, agent: 'version 2' },
			node: { ...node, retryOnFail: true },
			journeys: [{ there: 0, work: 0, back: 0, isSent: true, fault: '429 without an end' }],
			unreadable: [7],
			actions: [
				{ ...startedWith('a', 'a'), worker: 1 } as Action,
				startedWith('a'),
				{ kind: 'wait', ms: 1 },
				{ kind: 'kill', worker: 0 },
				{ ...startedWith('a'), worker: 1 } as Action,
				{ kind: 'retry', pick: 0, worker: 1, current: false },
			],
		},
	},
];

/** An agent whose tool computes what it sends, which differs in the retry. */
const COMPUTED: Schedule = {
	...CALM,
	shape: { ...shape, agent: 'version 2' },
	node: { ...node, toolText: 2 },
	failures: 1,
};

/** For each exception a schedule that needs it: an exception that nothing needs would hide a fault. */
export const NEEDS: Record<Exception, Schedule> = {
	'no token': { ...CALM, host: 'n8n 1', deaths: [4] },
	'computed, rejected': COMPUTED,
	'computed, replayed': { ...COMPUTED, gaps: { ...CALM.gaps, onOtherBody: 'replay' } },
	'edited after a crash': {
		...CALM,
		deaths: [4],
		actions: [
			startedWith('a'),
			{ kind: 'wait', ms: 0 },
			{ kind: 'edit', workflow: 0, set: { text: 10 } },
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
