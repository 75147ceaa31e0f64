import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { Keys } from '../../../../nodes/shared/change/keys.ts';
import { CREATING } from '../../../support/scripted/calls.ts';
import type { ScriptedRun } from '../../../support/scripted/run.ts';
import { runFunctions } from '../../../support/scripted/run.ts';
import { storedCopy } from '../../../support/scripted/storing.ts';

describe('a tool call', () => {
	type Call = ScriptedRun & { agent?: string; round?: number };

	/** Returns n8n's functions for a tool: each attempt has its own context and another run index; only the arguments stay. */
	const callOf = (args: IDataObject, { agent = 'input', round = 0, ...run }: Call = {}): IExecuteFunctions => {
		const functions = runFunctions({ resumeUrl: 'http://localhost/1?signature=t', input: [args], args, ...run });
		const source = { main: [{ previousNode: 'Loop', previousNodeRun: round }] };
		const data = { main: [[{ json: { agent } }]] };
		return { ...functions, getExecuteData: () => ({ node: { name: 'Agent' }, data, source }) as never };
	};
	const keyOf = (functions: IExecuteFunctions) =>
		new Keys(functions, CREATING).writeFor(0, { body: '1' }, '').change.key;

	test.each([{}, null])('has one key for all attempts, and not that of an identical call (context: %j)', (context) => {
		const [one, other] = [{ x: 1 }, { x: 1 }];
		const key = keyOf(callOf(one, { context }));
		expect(keyOf(callOf(one, { context, runIndex: 1 }))).toBe(key);
		expect(keyOf(callOf(other, { context, runIndex: 2 }))).not.toBe(key);
	});

	test('has the key of the same call in the execution that is retried', () => {
		const context = {};
		const first = [{}, {}].map((args) => keyOf(callOf(args, { context })));
		const again = [{}, {}].map((args) => keyOf(callOf(args, { context: storedCopy(context), execution: '2' })));
		expect(again[0]).toBe(first[0]);
		const retried = storedCopy(context);
		expect([{}, {}].map((args) => keyOf(callOf(args, { context: retried, execution: '2' })))).toEqual(first);
	});

	// n8n also takes these spellings of $fromAI, and its editor writes a description in quotes with escapes.
	test.each([
		"={{ $fromAI('Lead') }}",
		"={{ $fromAi('Lead') }}",
		"={{ $fromai('Lead') }}",
		"={{ /*n8n-auto-generated-fromAI-override*/ $fromAI('Lead', `Who owes $5 or more`, 'string') }}",
		"={{ $fromAI('Lead', `The \\`id\\`\n\\\\ \"of\" the lead`, 'string') }}",
		`={{ $fromAI("Lead", "The \\"id\\"", 'string') }}`,
		"={{ $fromAI('Lead', 'The lead\\'s ID') + $now }}",
	])('has the key of its values, whatever the model called before, in the execution that is retried: %s', (body) => {
		const context = {};
		const keyOfLead = (lead: string, context: object, execution: string) => {
			const functions = callOf({ Lead: lead }, { context, execution, parameters: { body } });
			functions.evaluateExpression = () => lead;
			return new Keys(functions, CREATING).writeFor(0, { body: lead }, '').change.key;
		};
		const [a, b] = ['a', 'b'].map((lead) => keyOfLead(lead, context, '1'));
		const retried = storedCopy(context);
		expect(['b', 'c', 'a'].map((lead) => keyOfLead(lead, retried, '2'))).toEqual([b, expect.any(String), a]);
		expect([a, b]).not.toContain(keyOfLead('d', storedCopy(context), '3'));
	});

	test('in a later round of a loop has its own key, even in the execution that is retried from there', () => {
		const context = {};
		const [first, second] = [0, 1].map((round) => keyOf(callOf({}, { context, round })));
		expect(first).not.toBe(second);
		const retried = storedCopy(context);
		expect(keyOf(callOf({}, { context: retried, round: 1, execution: '2' }))).toBe(second);
		expect([first, second]).not.toContain(keyOf(callOf({}, { context: retried, round: 2, execution: '2' })));
	});

	test('has a key that stays the same byte for byte', () => {
		const context = {};
		expect([0, 0, 1].map((round) => keyOf(callOf({}, { context, round })))).toEqual([
			'350f75bb-270c-4a73-87b7-1cd929bdd71d',
			'bb9bf890-6c35-43e9-a2a8-353e8b196c94',
			'54bf79d8-eba5-4076-acae-fe8d8f5840ab',
		]);
	});

	test('has the same key after a crash, which leaves nothing of the agent’s runs on other input', () => {
		const context = {};
		const [, key] = ['one', 'two'].map((agent) => keyOf(callOf({}, { context, agent })));
		expect(keyOf(callOf({}, { agent: 'two', execution: '2' }))).toBe(key);
	});

	test('has another key than in another run of the agent', () => {
		const context = {};
		const one = keyOf(callOf({}, { context, agent: 'one' }));
		expect(keyOf(callOf({}, { context: storedCopy(context), agent: 'two', execution: '2' }))).not.toBe(one);
	});
});

describe('a run of a node', () => {
	type Run = ScriptedRun & { Keys?: typeof Keys };
	const keyOf = (execution: string, context: object, resumeUrl: string, { Keys: Own = Keys, ...more }: Run = {}) => {
		const functions = runFunctions({ execution, context, resumeUrl, ...more });
		return new Own(functions, CREATING).writeFor(0, { body: '1' }, '').change.key;
	};

	const url = (token: string) => `http://localhost/webhook-waiting/1?signature=${token}`;

	test('is named by the token that n8n passes to a retried execution', () => {
		expect(keyOf('1', {}, url('t'))).toBe(keyOf('2', {}, url('t')));
		expect(keyOf('1', {}, url('t'))).not.toBe(keyOf('1', {}, url('u')));
	});

	const WITHOUT_TOKEN = ['http://localhost/webhook-waiting/1', 'undefined/1'];

	test.each(WITHOUT_TOKEN)('without a token (%s) is named by its context', (none) => {
		const context = {};
		const first = keyOf('1', context, none);
		expect(keyOf('2', context, none)).toBe(first);
		expect(keyOf('2', {}, none)).not.toBe(first);
		// n8n may run one execution twice at once.
		expect(keyOf('1', {}, none)).toBe(first);
		expect(keyOf('', {}, none)).not.toBe(keyOf('', {}, none));
		// Another n8n may give one of its own the same number.
		jest.isolateModules(() => {
			const others = jest.requireActual<{ Keys: typeof Keys }>('../../../../nodes/shared/change/keys.ts');
			expect(keyOf('1', {}, none, others)).not.toBe(first);
		});
	});

	// The service knows a write by its key: a retry after an update must make the same.
	test('has a key that stays the same byte for byte, in the first run and in later ones', () => {
		const context = {};
		expect([0, 1, 2].map((runIndex) => keyOf('1', context, url('t'), { runIndex }))).toEqual([
			'f1fc5a8f-a6ff-4e4d-92a3-5ef769d7f492',
			'0391dc3d-c43e-4049-b076-3d46322b30c8',
			'96e41d78-d6fb-4a52-abd6-57ab23e92c93',
		]);
	});

	// One begins with a digit, the other ends with one: neither is a number.
	test.each(['0f0c7a52-6f3b-4e86-9d0c-2b8f1d6c1a1b', 'bf0c7a52-6f3b-4e86-9d0c-2b8f1d6c1a10'])(
		'has the number of its run index in a retry by Engine 2.0, which keeps no context (execution %s)',
		(execution) => {
			const keysIn = (mode: string) => [0, 1, 2].map((runIndex) => keyOf(execution, {}, url('t'), { runIndex, mode }));
			expect(keysIn('retry')).toEqual(keysIn('trigger'));
			expect(new Set(keysIn('retry')).size).toBe(3);
		},
	);
});

describe('that n8n passed nothing to a retry which names the execution', () => {
	const hintsOf = (run: ScriptedRun) => {
		const hints: unknown[] = [];
		const functions = {
			...runFunctions({ mode: 'retry', resumeUrl: 'http://localhost/1', ...run }),
			getExecuteData: () => ({ node: { name: 'Agent' }, data: {}, source: {} }) as never,
			addExecutionHints: (...added: unknown[]) => void hints.push(...added),
		};
		const keys = new Keys(functions, CREATING);
		expect(keys.writeFor(0, { body: '1' }, '').change.key).toEqual(expect.any(String));
		return hints;
	};

	test('is said once, since its changes may be made twice', () => {
		const context = {};
		const message = expect.stringContaining('made a second time');
		expect(hintsOf({ context })).toEqual([{ message, type: 'warning', location: 'outputPane' }]);
		// Retry On Fail.
		expect(hintsOf({ context })).toEqual([]);
	});

	test.each<[string, ScriptedRun]>([
		['no retry', { mode: 'trigger' }],
		['a token', { resumeUrl: 'http://localhost/1?signature=t' }],
		['the name of an attempt that failed', { context: { lineage: 'some' } }],
		['a key of the user', { parameters: { options: { idempotencyKey: 'own' } } }],
		['options that are one expression', { parameters: { options: '={{ $json.options }}' } }],
		['a tool call', { args: {} }],
	])('is not said of %s', (_what, run) => {
		expect(hintsOf(run)).toEqual([]);
	});
});
