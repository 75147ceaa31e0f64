import type { Action, Schedule, SourceItem } from './schedule.ts';

/** One item, one change, and no trouble: what schedules that are written by hand start from. */
export const CALM: Schedule = {
	host: 'n8n 2',
	gaps: { onOtherBody: 'conflict', remembersMs: Infinity },
	shape: {
		fetch: 'none',
		batchSize: 0,
		wait: false,
		second: 'none',
		again: false,
		untilDone: false,
		branches: 'one',
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
		executeOnce: false,
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

export const { shape, node } = CALM;

/** Starts the first workflow; an item that is a name is one of the organization x. */
export const startedWith = (...items: Array<string | SourceItem>): Action => ({
	kind: 'start',
	workflow: 0,
	worker: 0,
	editor: 'no',
	items: items.map((item) => (typeof item === 'string' ? { name: item, org: 'x' } : item)),
});
