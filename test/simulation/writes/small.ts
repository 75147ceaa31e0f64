import { CALM, node, shape, startedWith } from './calm.ts';
import type { NodesLoader } from './modules.ts';
import { checkWrites } from './oracle.ts';
import type { Action, Journey, NodeSettings, Schedule, Shape } from './schedule.ts';
import type { Fault } from './service.ts';
import { SMOOTH } from './service.ts';
import { World } from './world.ts';

// One of each kind: nothing is made, and the node knows it or not; it is made, and the response is lost.
const TROUBLES: Journey[] = [
	{ ...SMOOTH, isSent: false },
	...(['400', 'connection reset', 'reset after the change'] satisfies Fault[]).map((fault) => ({
		...SMOOTH,
		isSent: true,
		fault,
	})),
];
const QUIET: Journey = { ...SMOOTH, isSent: true };

const WAIT: Action = { kind: 'wait', ms: 200_000 };
type Edit = Extract<Action, { kind: 'edit' }>['set'];

// A single item, two that are alike, and two that are not.
const INPUTS = [['a'], ['a', 'a'], ['a', 'b']];

interface SmallSchedule {
	name: string;
	schedule: Schedule;
	/** How many troubles it may have at once. */
	troubles: number;
}

/** Indexes of TEXTS and OWN_KEYS: what reads a field, computes something, or is the same for all items. */
const [READS, COMPUTES, COMPUTES_OF_FIELDS] = [0, 5, 13];
const [NO_KEY, KEY_FROM_FIELD, ONE_KEY] = [0, 1, 3];

function small(
	name: string,
	set: Partial<NodeSettings>,
	form: Partial<Shape> = {},
	more: Partial<Schedule> & { troubles?: number; edit?: Edit } = {},
): SmallSchedule[] {
	const { troubles = 1, edit, ...rest } = more;
	const edits: Action[] = edit === undefined ? [] : [{ kind: 'edit', workflow: 0, set: edit }];
	const retry: Action = { kind: 'retry', pick: 0, worker: 0, current: edit !== undefined };
	return INPUTS.map((input) => ({
		name: `${name}, items ${input.join(' ')}`,
		schedule: {
			...CALM,
			shape: { ...shape, ...form },
			node: { ...node, ...set },
			actions: [startedWith(...input), WAIT, ...edits, retry, WAIT],
			...rest,
		},
		troubles,
	}));
}

const each = <T, U>(all: readonly T[], of: (one: T) => U[]): U[] => all.flatMap(of);

/** The schedules of a small world: every kind of node, alone or in a small workflow, with up to two items. */
export const SMALL_SCHEDULES: SmallSchedule[] = [
	...each([READS, COMPUTES], (text) =>
		each([NO_KEY, ONE_KEY], (ownKey) =>
			each([false, true], (retryOnFail) =>
				each(['stopWorkflow', 'continueRegularOutput'] as const, (onError) =>
					small(`text ${text}, key ${ownKey}, retries ${retryOnFail}, ${onError}`, {
						text,
						ownKey,
						retryOnFail,
						onError,
					}),
				),
			),
		),
	),
	...each([NO_KEY, ONE_KEY], (ownKey) =>
		small(`two troubles, key ${ownKey}`, { text: COMPUTES, ownKey, maxAttempts: 2 }, {}, { troubles: 2 }).slice(0, 1),
	),
	...small('edited to compute', { text: READS }, {}, { edit: { text: COMPUTES_OF_FIELDS } }),
	...small('edited to read', { text: COMPUTES_OF_FIELDS }, {}, { edit: { text: READS } }),
	...small('edited to have a key', {}, {}, { edit: { ownKey: KEY_FROM_FIELD } }),
	...small('edited to have no key', { ownKey: ONE_KEY }, {}, { edit: { ownKey: NO_KEY } }),
	...small('n8n 1', {}, {}, { host: 'n8n 1' }),
	...small('Engine 2.0', { maxAttempts: 2 }, { batchSize: 1 }, { host: 'engine 2.0, a token for all' }),
	...small('another order', { text: COMPUTES }, { fetch: 'in any order' }, { chance: 1 }),
	...small('other fields', { type: 'createKeywordAutomation', second: 2 }, { fetch: 'with the time' }),
	...small('loop', {}, { batchSize: 1, check: true }, { savesProgress: true, failures: 1 }),
	...small('two branches', { retryOnFail: true }, { branches: 'two' }),
	...small('two nodes', {}, { second: 'tagLead' }),
	...small('sub-workflow', {}, { sub: 'yes', batchSize: 1 }),
	...small('error output', { onError: 'continueErrorOutput' }, { again: true }),
	...each(['version 2', 'version 3'] as const, (agent) =>
		each([[['a', 'a']], [['a'], ['a']]], (turns) =>
			small(
				`agent of ${agent}, ${JSON.stringify(turns)}`,
				{ retryOnFail: true },
				{ agent, turns },
				{ failures: 1 },
			).slice(0, 1),
		),
	),
	...small('MCP', { retryOnFail: true }, {}, { actions: [{ kind: 'mcp', worker: 0, title: 'a' }, WAIT] }).slice(0, 1),
];

/**
 * Runs a schedule, and the same with every trouble at every place: a fault of each request, or the death of the process at each
 * await. @throws Violation. @returns the number of runs.
 */
export async function runAll(load: NodesLoader, schedule: Schedule, troubles: number): Promise<number> {
	const world = new World(load, schedule);
	await world.run();
	checkWrites(world);
	if (troubles === 0) return 1;
	let runs = 1;
	const { journeys, deaths } = schedule;
	for (let request = journeys.length; request < world.requests; request++) {
		const before = [...journeys, ...Array.from({ length: request - journeys.length }, () => QUIET)];
		for (const trouble of TROUBLES) {
			runs += await runAll(load, { ...schedule, journeys: [...before, trouble] }, troubles - 1);
		}
	}
	// The death comes first, so that no two runs are the same.
	if (journeys.length > 0 || deaths.length > 0) return runs;
	for (let death = 0; death < world.awaits; death++) {
		runs += await runAll(load, { ...schedule, deaths: [death] }, troubles - 1);
	}
	return runs;
}
