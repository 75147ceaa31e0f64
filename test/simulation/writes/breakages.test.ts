import type { Breakage } from './modules';
import { loaderOf } from './modules';
import { search } from './search';

// A fixed seed: finding a breakage must not depend on luck.
const SEED = 20261122;
const SCHEDULES = 4_000;

const KEYS = 'shared/idempotency/keys.ts';
const IDENTITY = 'shared/idempotency/identity.ts';
const LINEAGE = 'shared/idempotency/lineage.ts';
const WRITE_ITEMS = 'shared/writeItems.ts';
const ITEMS = 'shared/items.ts';
const TOOL_CALL = 'shared/toolCall.ts';
const WIRE = 'shared/service/wire.ts';
const REQUEST = 'shared/service/request.ts';
const RETRY_POLICY = 'shared/service/retryPolicy.ts';
const ERRORS = 'shared/service/serviceErrors.ts';
const CALL = 'shared/service/call.ts';

const TWICE = /made \d+ times/;
const NOT_TOLD = /says that its change was not made/;
const ONE_KEY = /a key names two intentions|two changes have one key/;

export const BREAKAGES: Array<[string, Breakage, RegExp]> = [
	[
		'identical items share a key',
		{
			file: KEYS,
			line: 'alike[digest] = occurrence + 1;',
			instead:
				"alike[digest] = 1; if (occurrence > 0) return uuid4From(['change', ...name, this.operation.purpose, ...named, '0']);",
		},
		ONE_KEY,
	],
	[
		'a retry does not know what was sent',
		{ file: KEYS, line: 'this.earlier = new Set(this.run.sent);', instead: 'this.earlier = new Set();' },
		/made \d+ times|a key came with other content/,
	],
	[
		'what was sent is forgotten although an item failed',
		{
			file: WRITE_ITEMS,
			line: "if (!outputs.flat().some(({ json }) => 'error' in json)) keys.forget();",
			instead: 'keys.forget();',
		},
		/made \d+ times|a key came with other content|says that its change/,
	],
	[
		'after an edit, two items take the same earlier change',
		{ file: KEYS, line: 'this.byContent.get(textOf(found))?.delete(found);', instead: '' },
		ONE_KEY,
	],
	[
		'a change that may have been made takes other content',
		{
			file: KEYS,
			line: 'const isOpen = known !== undefined && known.rejected !== true;',
			instead: 'const isOpen = false;',
		},
		/a key came with other content/,
	],
	[
		'a change that an earlier attempt may have made counts as rejected when this one is',
		{ file: KEYS, line: 'if (!isOpen) sent.rejected = true;', instead: 'sent.rejected = true;' },
		/a key came with other content|says that its change/,
	],
	[
		'a key that was used in an earlier attempt is given again',
		{ file: KEYS, line: 'if (!this.used.has(key)) return key;', instead: 'return key;' },
		ONE_KEY,
	],
	[
		'a key does not depend on the run',
		{ file: KEYS, line: "['change', ...name, this", instead: "['change', this" },
		ONE_KEY,
	],
	[
		'a key does not depend on the organization',
		{ file: KEYS, line: '...(target === undefined ? [] : [target]),', instead: '' },
		TWICE,
	],
	[
		'an own key depends on the execution',
		{
			file: KEYS,
			line: "uuid4From(['text', ",
			instead: "uuid4From(['text', String(this.functions.getExecutionId()), ",
		},
		/an own key was sent as two/,
	],
	[
		'an own UUID is changed',
		{ file: KEYS, line: 'isUuid4(text) ? text.toLowerCase()', instead: "isUuid4('') ? text.toLowerCase()" },
		/a UUID of the user/,
	],
	[
		'nothing else can have sent an own key',
		{ file: KEYS, line: '(own === undefined ? false : null)', instead: 'false' },
		NOT_TOLD,
	],
	[
		'no attempt is lost before a retry of an execution',
		{ file: KEYS, line: "isOpen || this.functions.getMode() === 'retry' ||", instead: 'isOpen ||' },
		NOT_TOLD,
	],
	[
		'no attempt is lost before a retry of an execution in which the node fails before it sends',
		{ file: KEYS, line: "|| functions.getMode() === 'retry';", instead: ';' },
		NOT_TOLD,
	],
	[
		'what an expression computes is part of the key',
		{ file: IDENTITY, line: 'sources.every((source) => source.isFixed)', instead: 'sources.length > 0' },
		TWICE,
	],
	[
		'the fields that an expression names are not part of the key',
		{ file: IDENTITY, line: 'references.map(valueOf)', instead: 'references.map(String)' },
		ONE_KEY,
	],
	[
		'the whole item is part of the key',
		{ file: IDENTITY, line: 'references.map(valueOf)', instead: "[...references, '$json'].map(valueOf)" },
		TWICE,
	],
	[
		'the execution is the lineage',
		{ file: LINEAGE, line: 'const token = tokenIn(', instead: 'const token = functions.getExecutionId() ?? tokenIn(' },
		TWICE,
	],
	[
		"n8n's token is not used",
		{
			file: LINEAGE,
			line: 'const lineage = token ?? (memory',
			instead: 'const lineage = token?.slice(0, 0) || (memory',
		},
		TWICE,
	],
	[
		'the lineage without a token is not kept',
		{ file: LINEAGE, line: '(memory.lineage ??= randomUUID())', instead: 'randomUUID()' },
		TWICE,
	],
	[
		"n8n's own index counts the runs",
		{ file: LINEAGE, line: 'firstRun(functions, runIndex) : memory.run + 1;', instead: 'runIndex : runIndex;' },
		TWICE,
	],
	[
		'the runs of a node share their keys',
		{ file: LINEAGE, line: 'firstRun(functions, runIndex) : memory.run + 1;', instead: '0 : 0;' },
		ONE_KEY,
	],
	[
		'the first run that a node knows of is always the first one',
		{ file: LINEAGE, line: '&& isNumbered ? 0 : runIndex;', instead: '&& isNumbered ? 0 : 0;' },
		ONE_KEY,
	],
	[
		'two nodes share their keys',
		{
			file: LINEAGE,
			line: "functions.getWorkflow().id ?? '', functions.getNode().name]",
			instead: "functions.getWorkflow().id ?? '']",
		},
		ONE_KEY,
	],
	[
		'a run takes what an earlier run of the node sent for its own',
		{ file: LINEAGE, line: 'memory.sent = [];', instead: '' },
		ONE_KEY,
	],
	['each try of a tool call is a change', { file: LINEAGE, line: 'toolCalls.set(toolCall, run);', instead: '' }, TWICE],
	[
		'calls without an execution are all one run',
		{
			file: LINEAGE,
			line: 'return { name: [randomUUID()], alike: {} };',
			instead: "return { name: ['no execution'], alike: {} };",
		},
		ONE_KEY,
	],
	[
		'the calls of a retried execution are counted on',
		{
			file: LINEAGE,
			line: 'if (memory.calls?.executionId !== executionId)',
			instead: 'if (memory.calls === undefined)',
		},
		TWICE,
	],
	[
		'the calls of all runs of an agent are counted together',
		{ file: LINEAGE, line: '(memory.calls.alike[agentRun] ??= {})', instead: "(memory.calls.alike['all'] ??= {})" },
		/made \d+ times|a key names two/,
	],
	[
		'runs of an agent with the same input share their keys',
		{ file: LINEAGE, line: '...(number === 0 ? [] : [String(number)])', instead: '' },
		ONE_KEY,
	],
	[
		'all items have the identity of the first one',
		{ file: WRITE_ITEMS, line: 'keys.for(itemIndex, intended', instead: 'keys.for(0, intended' },
		/a key names two|made \d+ times|was sent, not/,
	],
	[
		'a kept change is sent with its new values',
		{ file: WRITE_ITEMS, line: 'operation.callFor(content)', instead: 'operation.callFor(intended)' },
		/a key came with other content/,
	],
	[
		'an item shows its new values, though the first ones were kept',
		{ file: WRITE_ITEMS, line: 'fieldsOf(operation.shown, content)', instead: 'fieldsOf(operation.shown, intended)' },
		/an item shows/,
	],
	[
		'each failure counts as a rejection',
		{
			file: WRITE_ITEMS,
			line: 'if (wasRejected(error)) markRejected();',
			instead: 'markRejected(); wasRejected(error);',
		},
		/a key came with other content|says that its change/,
	],
	[
		'an item of the error output keeps the receipt of its input',
		{
			file: ITEMS,
			line: '(error.context[name] as typeof value) ?? value;',
			instead:
				'(error.context[name] as typeof value) ?? value; for (const name of Object.keys(json)) if (json[name] === null) delete json[name];',
		},
		/has the key of another change/,
	],
	[
		'each output item is linked to the first input item',
		{ file: ITEMS, line: 'pairedItem: { item: itemIndex } }));', instead: 'pairedItem: { item: 0 } }));' },
		/items came out|response to another change/,
	],
	[
		"a tool call uses another call's values",
		{ file: TOOL_CALL, line: 'if (own.every(', instead: 'if (own.length > 0 || own.every(' },
		/was sent, not/,
	],
	[
		'a conflict counts as a rejection',
		{ file: ERRORS, line: '|| answer.status === 409;', instead: ';' },
		/says that its change|a key came with other content/,
	],
	[
		'a failure of the service counts as a rejection',
		{ file: ERRORS, line: 'answer.status >= 400 && answer.status < 500;', instead: 'answer.status >= 400;' },
		/says that its change|a key came with other content/,
	],
	[
		'a request timeout of the service counts as a rejection',
		{ file: ERRORS, line: '|| answer.status === 408 ', instead: '' },
		/says that its change|a key came with other content/,
	],
	[
		'an earlier attempt at the request is forgotten when the last one is rejected',
		{
			file: ERRORS,
			line: 'error.context.rejected = situation.unsure !== true;',
			instead: 'error.context.rejected = true;',
		},
		/a key came with other content/,
	],
	[
		'a failed item says only what its last request did',
		{ file: ERRORS, line: 'return unsure === true || mayHaveBeenSent;', instead: 'return unsure === true;' },
		NOT_TOLD,
	],
	[
		'a retried request has another key',
		{
			file: WIRE,
			line: "'Idempotency-Key': call.idempotencyKey }",
			instead: "'Idempotency-Key': call.idempotencyKey.slice(0, -1) + Math.floor(Math.random() * 10) }",
		},
		/made \d+ times|an own key was sent as two|response to another change|a UUID of the user/,
	],
	[
		'a response that cannot be read counts as a success',
		{ file: RETRY_POLICY, line: '!isSuccess(response) || response.garbled', instead: '!isSuccess(response)' },
		/response to another change/,
	],
	[
		'a redirect counts as a success',
		{ file: CALL, line: 'answer.status < 300;', instead: 'answer.status < 400;' },
		/response to another change/,
	],
	[
		'a retried request forgets that an earlier one may have made the change',
		{
			file: REQUEST,
			line: `				situation.unsure ||= leavesOpen(call, answer);
				// Also`,
			instead: `				// Also`,
		},
		/says that its change|a key came with other content/,
	],
];

describe('the simulation finds every deliberate breakage', () => {
	test.each(BREAKAGES)(
		'%s',
		async (_name, breakage, expected) => {
			const found = await search(loaderOf(breakage), SCHEDULES, SEED, { shrinks: false }).then(
				() => 'nothing',
				(error: Error) => (error.cause instanceof Error ? error.cause.message : error.message),
			);
			expect(found).toMatch(expected);
		},
		300_000,
	);

	test('a breakage whose line is gone is an error, not a pass', () => {
		expect(() => loaderOf({ file: KEYS, line: 'no such line', instead: '' })).toThrow(`is not in ${KEYS} exactly once`);
	});
});
