import type { Breakage } from '../../moduleLoader.ts';
import { failureOf } from '../../search.ts';
import { CALM, node, shape, startedWith } from '../calm.ts';
import { nodesLoader } from '../modules.ts';
import { Violation } from '../oracle.ts';
import type { Action, Schedule } from '../schedule.ts';
import { search, simulate } from '../search.ts';
import { SMOOTH } from '../service.ts';

// A fixed seed: finding a breakage must not depend on luck.
const SEED = 20261122;
/** Three times as many as any of them takes; what takes more has a schedule of its own. */
const SCHEDULES = 600;

const KEYS = 'shared/change/keys.ts';
const EARLIER = 'shared/change/earlierWrites.ts';
const IDENTITY = 'shared/change/identity.ts';
const RUN = 'shared/change/run.ts';
const CHANGE_ITEMS = 'shared/change/changeItems.ts';
const ITEMS = 'shared/items.ts';
const TOOL_CALL = 'shared/tool/toolCall.ts';
const SEND = 'shared/service/send/send.ts';
const RETRY_POLICY = 'shared/service/retryPolicy.ts';
const CHANGE = 'shared/service/change.ts';
const ADVICE = 'shared/service/errors/advice.ts';
const CALL = 'shared/service/call.ts';

/** An execution of these items, whose workflow is edited before n8n's Retry. */
const editedBeforeRetry = (set: Extract<Action, { kind: 'edit' }>['set'], ...items: string[]): Action[] => [
	startedWith(...items),
	{ kind: 'wait', ms: 5_000 },
	{ kind: 'edit', workflow: 0, set },
	{ kind: 'retry', pick: 0, worker: 0, current: true },
];

const BREAKAGES: Array<[string, Breakage, Schedule?]> = [
	[
		'identical items share a key',
		{
			file: KEYS,
			line: 'alike[identity] = occurrence + 1;',
			instead:
				"alike[identity] = 1; if (occurrence > 0) return uuid4From(['change', ...name, this.operation.purpose, ...keyParts, '0']);",
		},
	],
	[
		'a retry does not know what was sent',
		{ file: EARLIER, line: 'for (const write of sent) {', instead: 'for (const write of [] as SentWrite[]) {' },
	],
	[
		'what was sent is forgotten although an item failed',
		{ file: CHANGE_ITEMS, line: 'if (!mayRunAgain) keys.forget();', instead: 'keys.forget();' },
	],
	[
		'an item that has sent nothing takes the change of another',
		{
			file: EARLIER,
			line: "hasOwn || sent.identity === '' || !this.awaited.has(sent.item);",
			instead: 'sent !== undefined;',
		},
		{
			...CALM,
			node: { ...node, type: 'createKeywordAutomation', text: 10, onError: 'continueRegularOutput', retryOnFail: true },
			shape: { ...shape, fetch: 'other values' },
			unreadable: [0],
			actions: [startedWith('a', 'a', 'b')],
		},
	],
	[
		'after an edit, two items take the same earlier change',
		{ file: EARLIER, line: 'for (const name of namesOf(found)) this.left.get(name)?.delete(found);', instead: '' },
		{
			...CALM,
			node: { ...node, type: 'createKeywordAutomation' },
			journeys: [
				{ ...SMOOTH, isSent: true },
				{ ...SMOOTH, fault: 'connection refused', isSent: true },
			],
			actions: editedBeforeRetry({ text: 13 }, 'a', 'a'),
		},
	],
	[
		'two changes that shared a key of the user keep it after the user removed it',
		{ file: EARLIER, line: 'this.ofKey.get(keyName(sent)) === sent', instead: 'true' },
		{ ...CALM, node: { ...node, ownKey: 3 }, actions: editedBeforeRetry({ ownKey: 0 }, 'a', 'b') },
	],
	[
		'a change that may have been made takes other content',
		{ file: KEYS, line: "= before !== 'not made';", instead: '= false;' },
	],
	[
		'a change that an earlier attempt may have made counts as rejected when this one is',
		{ file: KEYS, line: 'if (!wasLeftOpen && !change.isOpen)', instead: 'if (!change.isOpen)' },
	],
	[
		'a key that was used in an earlier attempt is given again',
		{ file: KEYS, line: 'if (!this.earlier.keys.has(key)) return key;', instead: 'return key;' },
	],
	['a key does not depend on the run', { file: KEYS, line: "['change', ...name, this", instead: "['change', this" }],
	[
		'a key does not depend on the organization',
		{ file: KEYS, line: ', ...(target === undefined ? [] : [target])];', instead: '];' },
		{
			...CALM,
			organizations: true,
			unreadable: [1],
			actions: [
				startedWith('a', { name: 'a', org: 'y' }),
				{ kind: 'kill', worker: 0 },
				{ kind: 'retry', pick: 0, worker: 0, current: false },
			],
		},
	],
	[
		'an own key depends on the execution',
		{ file: KEYS, line: "uuid4From(['text', ", instead: "uuid4From(['text', String(this.run.name), " },
	],
	[
		'an own UUID is changed',
		{ file: KEYS, line: 'isUuid4(text) ? text.toLowerCase()', instead: "isUuid4('') ? text.toLowerCase()" },
	],
	[
		'nothing else can have sent an own key',
		{ file: KEYS, line: '(userKey === undefined ? false : null)', instead: 'false' },
	],
	[
		'no attempt is lost before a retry of an execution',
		{ file: KEYS, line: 'wasLeftOpen || this.run.mayHaveLostAttempt ||', instead: 'wasLeftOpen ||' },
	],
	[
		'no attempt is lost before a retry of an execution in which the node fails before it sends',
		{ file: KEYS, line: 'mayHaveLostAttempt || writtenKey', instead: 'writtenKey' },
		{
			...CALM,
			node: { ...node, onError: 'continueRegularOutput' },
			deaths: [6],
			unreadable: [1],
			actions: [startedWith('a'), { kind: 'wait', ms: 5_000 }, { kind: 'retry', pick: 0, worker: 0, current: false }],
		},
	],
	[
		'what an expression computes is part of the key',
		{ file: IDENTITY, line: 'inputs.every((input) => input.isFixed)', instead: 'inputs.length > 0' },
	],
	[
		'the fields that an expression names are not part of the key',
		{ file: IDENTITY, line: 'references.map(valueOf)', instead: 'references.map(String)' },
		{
			...CALM,
			shape: { ...shape, fetch: 'in any order' },
			node: { ...node, text: 5 },
			deaths: [9],
			actions: [startedWith('a', 'b')],
		},
	],
	[
		'the whole item is part of the key',
		{ file: IDENTITY, line: 'references.map(valueOf)', instead: "[...references, '$json'].map(valueOf)" },
		{
			...CALM,
			shape: { ...shape, fetch: 'with the time' },
			node: { ...node, second: 2 },
			deaths: [7],
			actions: [startedWith('a')],
		},
	],
	[
		'the execution is the lineage',
		{ file: RUN, line: 'const lineage = tokenIn(', instead: 'const lineage = functions.getExecutionId() ?? tokenIn(' },
	],
	[
		"n8n's token is not used",
		{ file: RUN, line: '= tokenIn(functions) ?? (context', instead: '= tokenIn(functions)?.slice(0, 0) || (context' },
	],
	[
		'the lineage without a token is not kept',
		{ file: RUN, line: '(context.lineage ??= newLineage(functions))', instead: 'newLineage(functions)' },
	],
	[
		"n8n's own index counts the runs",
		{ file: RUN, line: 'firstRun(functions, runIndex) : context.run + 1;', instead: 'runIndex : runIndex;' },
	],
	[
		'the runs of a node share their keys',
		{ file: RUN, line: 'firstRun(functions, runIndex) : context.run + 1;', instead: '0 : 0;' },
	],
	[
		'the first run that a node knows of is always the first one',
		{ file: RUN, line: '&& isNumbered ? 0 : runIndex;', instead: '&& isNumbered ? 0 : 0;' },
	],
	['two nodes share their keys', { file: RUN, line: ").id ?? '', functions.getNode().name]", instead: ").id ?? '']" }],
	[
		'a run takes what an earlier run of the node sent for its own',
		{ file: RUN, line: 'context.sent = [];', instead: '' },
	],
	[
		'each try of a tool call is a change',
		{ file: RUN, line: 'toolCalls.set(toolCall, run);', instead: '' },
		{
			...CALM,
			node: { ...node, retryOnFail: true },
			journeys: [{ ...SMOOTH, fault: '408 after the change', isSent: true }],
			actions: [{ kind: 'mcp', worker: 0, title: 'a' }],
		},
	],
	[
		'calls without an execution are all one run',
		{ file: RUN, line: '{ name: [randomUUID()] }', instead: "{ name: ['no execution'] }" },
	],
	[
		'the calls of a retried execution are counted on',
		{ file: RUN, line: 'if (runs[agentRun]?.executionId !== executionId', instead: 'if (runs[agentRun] === undefined' },
	],
	[
		'the calls of all runs of an agent are counted together',
		{ file: RUN, line: 'const { alike } = runs[agentRun];', instead: 'const { alike } = Object.values(runs)[0]!;' },
		{
			...CALM,
			shape: { ...shape, fetch: 'in any order', agent: 'version 2', batchSize: 1 },
			deaths: [11],
			chance: 1,
			actions: [startedWith('a', { name: 'a', org: 'y' })],
		},
	],
	[
		'runs of an agent with the same input share their keys',
		{ file: RUN, line: '...(number === 0 ? [] : [String(number)])', instead: '' },
	],
	[
		'all items have the identity of the first one',
		{ file: CHANGE_ITEMS, line: 'keys.writeFor(itemIndex, intended', instead: 'keys.writeFor(0, intended' },
		{
			...CALM,
			shape: { ...shape, fetch: 'in any order' },
			node: { ...node, type: 'createKeywordAutomation', second: 2 },
			deaths: [20],
			actions: [startedWith('a'), startedWith('a', 'b')],
		},
	],
	[
		'a kept change is sent with its new values',
		{ file: CHANGE_ITEMS, line: 'operation.callFor(content)', instead: 'operation.callFor(intended)' },
	],
	[
		'an item shows its new values, though the first ones were kept',
		{ file: CHANGE_ITEMS, line: '...outputOf(content) }', instead: '...outputOf(intended) }' },
		{ ...CALM, node: { ...node, text: 5 }, journeys: [{ ...SMOOTH, fault: 'connection refused', isSent: true }] },
	],
	[
		'each failure counts as a rejection',
		{ file: KEYS, line: '!wasLeftOpen && !change.isOpen', instead: '!wasLeftOpen' },
	],
	[
		'an item of the error output keeps the receipt of its input',
		{ file: ITEMS, line: 'value) ?? value;', instead: 'value) ?? value; if (json[name] === null) delete json[name];' },
	],
	[
		'each output item is linked to the first input item',
		{ file: ITEMS, line: 'pairedItem: { item: itemIndex } }));', instead: 'pairedItem: { item: 0 } }));' },
	],
	[
		"a tool call uses another call's values",
		{ file: TOOL_CALL, line: '(Object.entries(toolCall).every(', instead: '(true || Object.entries(toolCall).every(' },
	],
	[
		'a failure of the service counts as a rejection',
		{ file: CHANGE, line: 'status >= 400 && status < 500;', instead: 'status >= 400;' },
	],
	['a request timeout of the service counts as a rejection', { file: CHANGE, line: '&& status !== 408 ', instead: '' }],
	[
		'a failed item says only what its last request did',
		{ file: ADVICE, line: 'return isOpen || wasOpen;', instead: 'return isOpen || (wasOpen === null ? null : false);' },
	],
	[
		'a failed item says only what its last try knows',
		{ file: CHANGE_ITEMS, line: '...keys.knownOf(itemIndex)', instead: 'idempotencyKey: null, mayHaveBeenMade: null' },
		{
			...CALM,
			node: { ...node, onError: 'continueRegularOutput', retryOnFail: true },
			journeys: [{ ...SMOOTH, fault: '503 after the change', isSent: true }],
			unreadable: [1],
		},
	],
	[
		'a retried request has another key',
		{ file: SEND, line: 'call.change.key ', instead: 'call.change.key.slice(0, -1) + Math.floor(Math.random() * 10) ' },
	],
	[
		'a response that cannot be read counts as a success',
		{ file: RETRY_POLICY, line: 'response) || response.unusable !== undefined', instead: 'response)' },
	],
	['a redirect counts as a success', { file: CALL, line: 'outcome.status < 300;', instead: 'outcome.status < 400;' }],
	[
		'a retried request forgets that an earlier one may have made the change',
		{ file: CHANGE, line: '= isOpen || leavesOpen(outcome);', instead: '= leavesOpen(outcome);' },
	],
];

describe('the simulation finds every deliberate breakage', () => {
	// jest takes an argument that a row lacks for a callback, and waits for it.
	test.each(BREAKAGES)('%s', async (...[_name, breakage, schedule]) => {
		const load = nodesLoader(breakage);
		const run = schedule === undefined ? search(load, SCHEDULES, SEED, { shrinks: false }) : simulate(load, schedule);
		expect(await failureOf(run)).toBeInstanceOf(Violation);
	});

	test.each(BREAKAGES.filter(([, , schedule]) => schedule !== undefined))(
		'nothing else than: %s',
		async (_name, _breakage, schedule) => {
			await simulate(nodesLoader(), schedule!);
		},
	);

	test('a breakage whose line is gone is an error, not a pass', () => {
		expect(() => nodesLoader({ file: KEYS, line: 'no such line', instead: '' })).toThrow(
			`is not in ${KEYS} exactly once`,
		);
	});
});
