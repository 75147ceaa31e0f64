import fc from 'fast-check';
import { weighted } from '../../support/weighted.ts';
import { OWN_KEYS, TEXTS, TOOL_TEXTS } from './expressions.ts';
import type { OnError } from './n8n.ts';
import type { Course, Fault, ServiceGaps } from './service.ts';
import { FAULTS, SMOOTH } from './service.ts';

/** How one request goes; one that is not sent ends in an error of n8n's own. */
export type Journey = Course & { isSent: boolean };

/** Values of an item of Start; few, so that items are often alike. */
export interface SourceItem {
	name: string;
	org: 'x' | 'y';
}

/** What a workflow does around the nodes of ours. */
export interface Shape {
	fetch: 'none' | 'the same' | 'with the time' | 'in any order' | 'more' | 'other values';
	/** 0 for no loop. */
	batchSize: number;
	/** Whether the execution is stored before our node, as the node Wait does. */
	wait: boolean;
	/** A second node of ours after the first one. */
	second: 'none' | 'tagLead' | 'createKeywordAutomation';
	/** Where the error output leads: to a node that makes the change again, with the key of the item. */
	again: boolean;
	/** Whether the error output of that node leads back to it, twice. */
	untilDone: boolean;
	/** Whether two branches lead to our node, each with all items, or each with those of one organization; not in a loop. */
	branches: 'one' | 'two' | 'if';
	/** A node that fails now and then, after ours. */
	check: boolean;
	/** Whether ours are in a sub-workflow, and whether the node that calls it has Retry On Fail. */
	sub: 'no' | 'yes' | 'with retries';
	/** Whether our node is a tool, and of which version of the AI Agent. */
	agent: 'none' | 'version 2' | 'version 3';
	/** What the model calls the tool with, turn by turn. */
	turns: string[][];
	agentBatch: 1 | 2;
	agentRetries: boolean;
}

/** The node under test, as its user sets it. */
export interface NodeSettings {
	type: 'tagLead' | 'createKeywordAutomation';
	/** Index of TEXTS, and of TOOL_TEXTS. */
	text: number;
	toolText: number;
	/** Index of the texts for a tag or a reply. */
	second: number;
	/** Index of OWN_KEYS. */
	ownKey: number;
	onError: OnError;
	retryOnFail: boolean;
	maxTries: number;
	executeOnce: boolean;
	waitBetweenTries: number;
	maxAttempts: number;
}

/** How a person starts a workflow in the editor, if one does. */
export type Editor = 'no' | 'whole' | 'one step' | 'pinned';

type Edit = Partial<Pick<NodeSettings, 'text' | 'second' | 'ownKey' | 'executeOnce'>>;

export type Action =
	| { kind: 'wait'; ms: number }
	/** `editor`: whether a person starts it there, only up to our node, or with pinned data of it. */
	| { kind: 'start'; workflow: number; worker: number; editor: Editor; items: SourceItem[] }
	/** An MCP client calls our node as a tool. */
	| { kind: 'mcp'; worker: number; title: string }
	/** Retries an execution that failed or crashed, with the original or the current workflow, even if another retry has succeeded. */
	| { kind: 'retry'; pick: number; worker: number; current: boolean }
	/** Sets something of the node in the current workflow. */
	| { kind: 'edit'; workflow: number; set: Edit }
	| { kind: 'stop'; pick: number }
	| { kind: 'kill'; worker: number };

/** Everything in a run of the simulation. */
export interface Schedule {
	host: 'n8n 2' | 'n8n 1' | 'engine 2.0' | 'engine 2.0, a token for all';
	gaps: ServiceGaps;
	shape: Shape;
	node: NodeSettings;
	/** Whether the credential has an expression. */
	organizations: boolean;
	savesProgress: boolean;
	/** The journeys of the first requests; the later ones are smooth. */
	journeys: Journey[];
	/** At which awaits of all processes the one that awaits dies, or its first execution is stopped. */
	deaths: number[];
	stops: number[];
	/** Which reads of the credential fail. */
	unreadable: number[];
	/** How often the node Check fails. */
	failures: number;
	actions: Action[];
	/** Seed of the model's own chance. */
	chance: number;
}

/** Objects with a prototype: one without does not print as what to write down for a counterexample. */
const record = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> =>
	fc.record(model, { noNullPrototype: true }) as fc.Arbitrary<T>;

const QUIET: Journey = { ...SMOOTH, isSent: true };
const delay = fc.oneof(fc.nat({ max: 500 }), fc.nat({ max: 30_000 }));
const fault: fc.Arbitrary<Fault> = fc.constantFrom(...FAULTS);
const troubled: fc.Arbitrary<Journey> = record({
	there: delay,
	work: delay,
	back: delay,
	isSent: fc.constantFrom(true, true, true, true, true, true, true, false),
	fault: fc.option(fault, { nil: undefined, freq: 4 }),
});

const sourceItem: fc.Arbitrary<SourceItem> = record({
	name: fc.constantFrom('a', 'a', 'b', 'c'),
	org: fc.constantFrom('x', 'x', 'y'),
});
const worker = fc.nat({ max: 1 });
const workflow = fc.constantFrom(0, 0, 0, 1);
const pick = fc.nat({ max: 20 });

const editor = fc.constantFrom<Editor[]>('no', 'no', 'no', 'whole', 'one step', 'pinned');
const title = fc.constantFrom('a', 'a', 'b');

const edit: fc.Arbitrary<Edit> = fc.oneof(
	record<Edit>({ text: fc.nat({ max: TEXTS.length - 1 }) }),
	record<Edit>({ second: fc.nat({ max: 2 }) }),
	record<Edit>({ ownKey: fc.nat({ max: OWN_KEYS.length - 1 }) }),
	record<Edit>({ executeOnce: fc.boolean() }),
);

const items = fc.array(sourceItem, { minLength: 1, maxLength: 5 });
const startOf = (workflow: fc.Arbitrary<number>) =>
	record({ kind: fc.constant('start' as const), workflow, worker, editor, items });

const action: fc.Arbitrary<Action> = weighted(
	[3, record({ kind: fc.constant('wait' as const), ms: delay })],
	[4, startOf(workflow)],
	[4, record({ kind: fc.constant('retry' as const), pick, worker, current: fc.boolean() })],
	[1, record({ kind: fc.constant('edit' as const), workflow, set: edit })],
	[1, record({ kind: fc.constant('mcp' as const), worker, title })],
	[1, record({ kind: fc.constant('stop' as const), pick })],
	[1, record({ kind: fc.constant('kill' as const), worker })],
);

const moments = (max: number, most: number) =>
	weighted([1, fc.constant<number[]>([])], [1, fc.array(fc.nat({ max }), { maxLength: most })]);

const OF_TWO = Array<'n8n 2'>(4).fill('n8n 2');
const HOSTS = [...OF_TWO, 'n8n 1', 'n8n 1', 'engine 2.0', 'engine 2.0, a token for all'] as const;

export const schedules: fc.Arbitrary<Schedule> = record({
	host: fc.constantFrom(...HOSTS),
	gaps: record({
		onOtherBody: fc.constantFrom('conflict', 'unprocessable', 'replay'),
		remembersMs: fc.constantFrom(Infinity, Infinity, Infinity, 120_000, 5_000),
	}),
	shape: record({
		fetch: fc.constantFrom('none', 'none', 'the same', 'with the time', 'in any order', 'more', 'other values'),
		batchSize: fc.constantFrom(0, 0, 1, 2),
		wait: fc.constantFrom(false, false, false, true),
		second: fc.constantFrom('none', 'none', 'none', 'tagLead', 'createKeywordAutomation'),
		again: fc.boolean(),
		untilDone: fc.boolean(),
		branches: fc.constantFrom('one', 'one', 'one', 'two', 'if'),
		check: fc.constantFrom(false, false, true),
		sub: fc.constantFrom('no', 'no', 'no', 'no', 'yes', 'with retries'),
		agent: fc.constantFrom('none', 'none', 'none', 'version 2', 'version 3'),
		turns: fc.array(fc.array(title, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 2 }),
		agentBatch: fc.constantFrom(1, 1, 2),
		agentRetries: fc.boolean(),
	}),
	node: record({
		type: fc.constantFrom('tagLead', 'createKeywordAutomation'),
		text: fc.oneof(fc.constant(0), fc.nat({ max: TEXTS.length - 1 })),
		toolText: fc.nat({ max: TOOL_TEXTS.length - 1 }),
		second: fc.nat({ max: 2 }),
		ownKey: weighted([3, fc.constant(0)], [1, fc.nat({ max: OWN_KEYS.length - 1 })]),
		onError: fc.constantFrom('stopWorkflow', 'stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'),
		retryOnFail: fc.boolean(),
		executeOnce: fc.constantFrom(false, false, false, false, true),
		maxTries: fc.integer({ min: 2, max: 3 }),
		waitBetweenTries: fc.constantFrom(0, 100, 5_000),
		maxAttempts: fc.constantFrom(1, 1, 2, 4),
	}),
	organizations: fc.constantFrom(false, false, false, true),
	savesProgress: fc.constantFrom(false, false, true),
	journeys: fc.array(weighted([1, fc.constant(QUIET)], [1, troubled]), { maxLength: 16, size: 'max' }),
	deaths: moments(160, 3),
	stops: moments(160, 1),
	unreadable: moments(30, 4),
	failures: fc.constantFrom(0, 0, 1, 2),
	actions: fc
		.tuple(startOf(fc.constant(0)), fc.array(action, { maxLength: 8 }))
		.map(([first, more]) => [first, ...more]),
	chance: fc.nat({ max: 1_000_000 }),
});
