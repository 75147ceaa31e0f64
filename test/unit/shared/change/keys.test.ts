import fc from 'fast-check';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { createKeywordAutomation } from '../../../../nodes/CreateKeywordAutomation/createKeywordAutomation.ts';
import { Keys } from '../../../../nodes/shared/change/keys.ts';
import { isUuid4 } from '../../../../nodes/shared/change/uuid4.ts';
import { digestOfValues } from '../../../../nodes/shared/digest.ts';
import { tagLead } from '../../../../nodes/TagLead/tagLead.ts';
import { CREATING } from '../../../support/scripted/calls.ts';
import type { ScriptedRun } from '../../../support/scripted/run.ts';
import { runFunctions } from '../../../support/scripted/run.ts';
import { storedCopy } from '../../../support/scripted/storing.ts';

type Run = ScriptedRun & { bodies: unknown[] };

/** Keys of writes with these bodies, in one attempt at a run. */
function keysIn(functions: IExecuteFunctions, bodies: unknown[], ownKey = '', kind = CREATING): string[] {
	const keys = new Keys(functions, kind);
	return bodies.map((body, index) => keys.writeFor(index, { body: body as never }, ownKey).change.key);
}

const keysOf = (run: Run, memory: object = {}, mode = 'trigger'): string[] =>
	keysIn(runFunctions({ ...run, context: memory, mode }), run.bodies);

// Few values each, so that runs are often identical.
const run: fc.Arbitrary<Run> = fc.record({
	execution: fc.constantFrom('1', '11', '2'),
	workflow: fc.constantFrom('w', 'w1'),
	node: fc.constantFrom('n', '1n'),
	runIndex: fc.constant(0),
	bodies: fc.array(fc.oneof(fc.constantFrom({ name: 'a' }, { name: 'b' }, {}), fc.jsonValue()), { maxLength: 8 }),
});

const sameScope = (a: Run, b: Run) => a.execution === b.execution && a.workflow === b.workflow && a.node === b.node;

describe('keys', () => {
	test('within a run are all different, and the same when it runs again', () => {
		fc.assert(
			fc.property(run, (some) => {
				const keys = keysOf(some);
				expect(new Set(keys).size).toBe(keys.length);
				expect(keysOf(some)).toEqual(keys);
			}),
		);
	});

	test('of two runs are equal only where execution, workflow, node, content and its count are', () => {
		fc.assert(
			fc.property(run, run, (one, other) => {
				const count = (bodies: unknown[]) => {
					const texts = bodies.map((body) => JSON.stringify(body));
					return texts.map((text, index) => `${text}#${texts.slice(0, index).filter((one) => one === text).length}`);
				};
				const [named, otherNamed] = [count(one.bodies), count(other.bodies)];
				const mustMeet = sameScope(one, other) ? named.filter((name) => otherNamed.includes(name)).length : 0;
				const otherKeys = new Set(keysOf(other));
				expect(keysOf(one).filter((key) => otherKeys.has(key))).toHaveLength(mustMeet);
			}),
		);
	});

	test('of successive runs in one execution are never equal, with any run indexes', () => {
		fc.assert(
			fc.property(run, fc.uniqueArray(fc.nat(20), { minLength: 2, maxLength: 5 }), (some, indexes) => {
				const memory = {};
				const keys = indexes.flatMap((runIndex) => keysOf({ ...some, runIndex }, memory));
				expect(new Set(keys).size).toBe(keys.length);
				// The same sequence under other run indexes (as after a crash) has the same keys.
				const [first, again] = [{}, {}];
				const inOrder = indexes.map((_runIndex, index) => index);
				const before = inOrder.flatMap((runIndex) => keysOf({ ...some, runIndex }, first));
				const after = inOrder.flatMap((runIndex) => keysOf({ ...some, runIndex: runIndex + 1 }, again, 'retry'));
				expect(after).toEqual(before);
			}),
		);
	});

	test('of runs that each have an empty context, as in Engine 2.0, are never equal', () => {
		const bodies = [{}, {}];
		const keys = [0, 1, 2].flatMap((runIndex) => keysOf({ bodies, runIndex }));
		expect(new Set(keys).size).toBe(6);
	});

	test('differ when the operation or its content does', () => {
		const one = (body: unknown, kind = CREATING) => keysIn(runFunctions(), [body], '', kind);
		const tagging = one({ a: 1 }, { ...CREATING, purpose: 'tag the lead' });
		expect(new Set([...one({ a: 1 }), ...one({ a: 2 }), ...one(null), ...tagging]).size).toBe(4);
	});

	test('from text are the same for the same text and operation only', () => {
		fc.assert(
			fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), run, run, (text, other, one, two) => {
				const key = (run: Run, own: string, kind = CREATING) => keysIn(runFunctions(run), [{}], own, kind)[0] as string;
				expect(isUuid4(key(one, text))).toBe(true);
				expect(key(one, text)).toBe(key(two, text));
				expect(key(one, text) === key(one, other)).toBe(text === other);
				expect(key(one, text)).not.toBe(key(one, text, { ...CREATING, purpose: 'tag the lead' }));
			}),
		);
	});
});

/** One attempt at a run on items, whose parameter is an expression with these results. */
interface Try {
	input?: IDataObject[];
	/** Undefined for an item that fails before it has a key. */
	says: unknown[];
	/** The parameter in the workflow. */
	text?: string;
	mode?: string;
	ownKey?: string;
	/** Indexes of the items that the service rejects. */
	rejects?: number[];
	/** Indexes of the items whose change the service makes now. */
	makes?: number[];
}

const items = (...names: string[]) => names.map((name) => ({ name }));
const ITEMS = items('a', 'b', 'c');
const COMPUTED = '={{ $json.name }} {{ $now }}';

/** Returns what one attempt sends: key and content of each item. */
function tryRun(memory: object, { input = ITEMS, says, text = COMPUTED, mode = 'trigger', ...more }: Try) {
	const { ownKey = '', rejects = [], makes = [] } = more;
	const parameters = { body: text, options: { idempotencyKey: ownKey } };
	const keys = new Keys(runFunctions({ context: memory, parameters, input, mode }), CREATING);
	return says.map((body, index) => {
		if (body === undefined) return [];
		const { change, content, noteMade, noteFailure } = keys.writeFor(index, { body: body as never }, ownKey);
		if (rejects.includes(index)) noteFailure();
		if (makes.includes(index)) noteMade();
		return [change.key, content.body];
	});
}

describe('a write whose expression returns something else in a retry', () => {
	test('keeps its key and its first content', () => {
		const memory = {};
		const first = tryRun(memory, { says: ['1', '2'] });
		const kept: { sent?: unknown[] } = storedCopy(memory);
		expect(tryRun(kept, { says: ['4', '5', '6'] })).toEqual([...first, [expect.any(String), '6']]);
		// With a second entry, another item could take the key in the next retry.
		expect(kept.sent).toHaveLength(3);
	});

	test('keeps them when an item before it had sent nothing', () => {
		const memory = {};
		const text = '={{ $itemIndex }}';
		const first = tryRun(memory, { says: [undefined, '1', '2'], text });
		const again = tryRun(storedCopy(memory), { says: ['0', '1', '2'], text });
		expect(again.slice(1)).toEqual(first.slice(1));
		expect(again[0]).toEqual([expect.any(String), '0']);
		expect(new Set(again.map(([key]) => key)).size).toBe(3);
	});

	test('keeps them when the items come in another order', () => {
		const memory = {};
		const first = tryRun(memory, { says: ['1', '2', '3'] });
		const again = tryRun(storedCopy(memory), { input: ITEMS.toReversed(), says: ['4', '5', '6'] });
		expect(again).toEqual(first.toReversed());
	});

	test('is told apart by its other fields, where JSON cannot express one', () => {
		const circle: IDataObject = {};
		circle.self = circle;
		const kind = { ...CREATING, fieldOf: { body: 'body', count: 'count' } };
		const parameters = { body: COMPUTED, count: '={{ $json.count }} {{ $now }}', options: {} };
		const attempt = (memory: object, names: string[], says: string[]) => {
			const functions = runFunctions({ context: memory, parameters, input: items(...names) });
			functions.evaluateExpression = (code, index) => (code.includes('name') ? names[index] : circle) as never;
			return keysIn(functions, says, '', kind);
		};
		const memory = {};
		const first = attempt(memory, ['a', 'b'], ['1', '2']);
		expect(attempt(storedCopy(memory), ['b', 'a'], ['3', '4'])).toEqual(first.toReversed());
	});

	test('is one more write for each further identical item', () => {
		const memory = {};
		const alike = items('a', 'a', 'a');
		const first = tryRun(memory, { input: alike, says: ['1', '2'] });
		const again = tryRun(storedCopy(memory), { input: alike, says: ['3', '4', '5'] });
		expect(again.slice(0, 2)).toEqual(first);
		expect(new Set(again.map(([key]) => key)).size).toBe(3);
	});

	test('is another write when the workflow was changed, unless its content is the same', () => {
		const memory = {};
		const first = tryRun(memory, { says: ['1', '2'] });
		const kept = storedCopy(memory);
		const text = '=written anew {{ $now }}';
		const again = tryRun(kept, { says: ['2', '3'], text });
		expect(again[0]).toEqual(first[1]);
		expect(first).not.toContainEqual(again[1]);
		expect(tryRun(storedCopy(kept), { says: ['4', '5'], text })).toEqual(again);
	});

	test('keeps its key after a conflict and an edit: only a key of the user may be that of another change', () => {
		const memory = {};
		const writeWith = (body: string) => {
			const functions = runFunctions({ context: memory, parameters: { body, options: {} }, input: ITEMS });
			return new Keys(functions, CREATING).writeFor(0, { body: '1' }, '');
		};
		const { change, noteFailure } = writeWith('={{ $now }}');
		change.isOpen = true;
		noteFailure();
		expect(writeWith('1').change.key).toBe(change.key);
	});

	test('that has made its change, with a key that others share, keeps the key after a replay, and after the user removed it', () => {
		const memory = {};
		const [, made] = tryRun(memory, { says: ['1', '2'], text: 'a', ownKey: 'shared', makes: [1] });
		const kept = storedCopy(memory);
		tryRun(kept, { says: ['1', '2'], text: 'a', ownKey: 'shared' });
		const again = tryRun(storedCopy(kept), { says: ['1', '2'], text: 'a' });
		expect([again[0]?.[0] === made?.[0], again[1]]).toEqual([false, made]);
	});

	test('has its new content after the service rejected it, under the same key', () => {
		const memory = {};
		const first = tryRun(memory, { says: ['1', '2'], rejects: [0] });
		const kept = storedCopy(memory);
		expect(tryRun(kept, { says: ['3', '4'] })).toEqual([[first[0]?.[0], '3'], first[1]]);
		// A change that the second attempt may have made keeps its content.
		expect(tryRun(storedCopy(kept), { says: ['5', '6'] })).toEqual([[first[0]?.[0], '3'], first[1]]);
	});

	test('that an earlier attempt may have made is not taken for rejected', () => {
		const memory = {};
		const first = tryRun(memory, { says: ['1'] });
		const kept = storedCopy(memory);
		tryRun(kept, { says: ['2'], rejects: [0] });
		expect(tryRun(storedCopy(kept), { says: ['3'] })).toEqual(first);
	});

	test('has the same key after a crash, which leaves nothing, even in another order and with other fields', () => {
		const first = tryRun({}, { says: ['1', '2', '3'] });
		const input = items('c', 'x', 'a').map((item) => ({ ...item, fetchedAt: 9 }));
		const again = tryRun({}, { input, says: ['4', '5', '6'], mode: 'retry' });
		expect(again.map(([key]) => key)).toEqual([first[2]?.[0], expect.any(String), first[0]?.[0]]);
		expect(first.map(([key]) => key)).not.toContain(again[1]?.[0]);
	});

	test('is identified by what it says where the expression only reads a field', () => {
		const text = "={{ $('Other').item.json.name }}";
		const [[key] = []] = tryRun({}, { says: ['1'], text });
		expect(tryRun({}, { says: ['1'], text })[0]?.[0]).toBe(key);
		expect(tryRun({}, { says: ['2'], text })[0]?.[0]).not.toBe(key);
	});

	test.each([
		['sent, before a failure', { says: ['1'] }, 'trigger', true],
		['rejected, before a failure', { says: ['1'], rejects: [0] }, 'trigger', false],
		// Another retry may have crashed in between.
		['rejected, before a retry of the execution', { says: ['1'], rejects: [0] }, 'retry', true],
		['unknown, in a retry of the execution', { says: [] }, 'retry', true],
		['unknown', { says: [] }, 'trigger', false],
		['unknown, with a key of the user, which other nodes may send, too', { says: [] }, 'trigger', null, 'own'],
	])('was %s: whether it may have been made before', (_what, first, mode, expected, ownKey = '') => {
		const memory = {};
		tryRun(memory, first);
		const parameters = { body: COMPUTED, options: { idempotencyKey: ownKey } };
		const keys = new Keys(runFunctions({ context: storedCopy(memory), parameters, input: ITEMS, mode }), CREATING);
		expect(keys.writeFor(0, { body: '2' }, ownKey).change.wasOpen).toBe(expected);
	});

	test('keeps what 0.2.0 sent', () => {
		const parameters = { body: '={{ $now }}', options: { idempotencyKey: '' } };
		const itemOf = (name: string) => digestOfValues({ name }, '={{ $now }}', '');
		const write = (name: string, body: string) => ({ item: itemOf(name), content: { body }, key: `key-${body}` });
		const sent = [write('a', '1'), write('a', '2'), { ...write('b', '3'), refused: true }];
		const memory = { lineage: '1', run: 0, runIndex: 0, sent };
		const input = items('a', 'a', 'b');
		const functions = runFunctions({ execution: '2', context: memory, parameters, input, mode: 'retry' });
		const keys = new Keys(functions, CREATING);
		const again = ['4', '5', '6'].map((body, index) => keys.writeFor(index, { body }, ''));
		expect(again.map(({ change }) => change.key)).toEqual(['key-1', 'key-2', 'key-3']);
		expect(again.map(({ content }) => content.body)).toEqual(['1', '2', '6']);
	});

	test.each([
		['a first attempt', {}, 'trigger', '', false],
		['an attempt after another that sent something', { sent: true }, 'trigger', '', null],
		['the retry of an execution', {}, 'retry', '', null],
		['a key of the user, which other nodes may send, too', {}, 'trigger', { idempotencyKey: 'own' }, null],
		['options that are one expression', {}, 'trigger', '={{ $json.options }}', null],
		['options without a key', {}, 'trigger', { timeout: 9 }, false],
	])('whose key is unknown yet, in %s: it may have been made: %s', (_what, { sent }: any, mode, options, expected) => {
		const memory = {};
		if (sent) tryRun(memory, { says: ['1'] });
		const parameters = { body: '={{ $now }}', options };
		const functions = runFunctions({ context: storedCopy(memory), parameters, input: ITEMS, mode });
		expect(new Keys(functions, CREATING).knownOf(0)).toEqual({ idempotencyKey: null, mayHaveBeenMade: expected });
	});

	test('is identified by its other parameters, too', () => {
		const kind = { ...CREATING, fieldOf: { body: 'body', to: 'recipient' } };
		const key = (to: string) => {
			const functions = runFunctions({ parameters: { body: '={{ $now }}', to: 'fixed' }, input: ITEMS });
			return new Keys(functions, kind).writeFor(0, { body: '1', recipient: to }, '').change.key;
		};
		expect(key('a')).toBe(key('a'));
		expect(key('a')).not.toBe(key('b'));
	});

	test('with a key that the user set anew is another write, though its content is the same', () => {
		const memory = {};
		const [first] = tryRun(memory, { says: ['1'], text: 'fixed', ownKey: 'order 1' });
		const [again] = tryRun(storedCopy(memory), { says: ['1'], text: 'fixed', ownKey: 'order 2' });
		expect(again?.[0]).not.toBe(first?.[0]);
		expect(tryRun({}, { says: ['1'], text: 'fixed', ownKey: 'order 2' })[0]).toEqual(again);
	});

	test('keeps a key that the user set with such an expression', () => {
		const memory = {};
		const [first] = tryRun(memory, { says: ['1'], text: 'fixed', ownKey: '={{ $execution.id }}' });
		expect(first).toBeDefined();
		const parameters = { body: 'fixed', options: { idempotencyKey: '={{ $execution.id }}' } };
		const functions = runFunctions({ execution: '2', context: storedCopy(memory), parameters, input: ITEMS });
		expect(new Keys(functions, CREATING).writeFor(0, { body: '1' }, 'another').change.key).toBe(first?.[0]);
	});

	test('is forgotten when the run has succeeded', () => {
		const memory: { sent?: unknown[] } = {};
		const keys = new Keys(runFunctions({ context: memory, parameters: { body: '={{ $now }}' } }), CREATING);
		keys.writeFor(0, { body: '1' }, '');
		expect(memory.sent).toHaveLength(1);
		keys.forget();
		expect(memory.sent).toEqual([]);
	});
});

test('items that act for different organizations keep their keys when they swap places, with identical content', () => {
	const memory = {};
	const keysFor = (input: IDataObject[], kept: object) => {
		const keys = new Keys(runFunctions({ context: kept, parameters: { body: 'fixed' }, input }), CREATING);
		return input.map((_item, index) => keys.writeFor(index, { body: 'fixed' }, '', String(_item.name)).change.key);
	};
	const first = keysFor(ITEMS, memory);
	expect(new Set(first).size).toBe(3);
	expect(keysFor(ITEMS.toReversed(), storedCopy(memory))).toEqual(first.toReversed());
	// The same holds after a crash, which leaves nothing.
	expect(keysFor(ITEMS.toReversed(), {})).toEqual(first.toReversed());
});

// The service knows a write by its key: a retry after an update must make the same.
test('a key stays the same byte for byte', () => {
	const keysFor = (body: string, ownKey = '', target?: string) => {
		const keys = new Keys(runFunctions({ parameters: { body }, input: ITEMS }), CREATING);
		return [0, 1].map((index) => keys.writeFor(index, { body: 'b' }, ownKey, target).change.key);
	};
	expect(keysFor('b')).toEqual(['c0975616-3a7c-4cfb-911c-cc154bebff64', '6b8248d4-905d-4710-a148-085477481728']);
	const computed = ['f86ea278-74ac-4301-9da0-4a3634984c4e', '412a5805-b273-4d71-a897-b88ed15cbf3a'];
	expect(keysFor('={{ $now }}')).toEqual(computed);
	const withTarget = ['2ea0dd2e-def5-4029-a4d0-78a78a9bac3e', 'fdf5f5f1-2098-4b9c-9fc1-36b0e98311d4'];
	expect(keysFor('b', '', 'cedar')).toEqual(withTarget);
	expect(keysFor('b', 'order 7')).toEqual(Array(2).fill('ee9b47aa-1a2a-4958-8f69-66bb259e4df4'));
	const uuid = '6f1c1e0a-6f3b-4e86-9d0c-2b8f1d6c1a11';
	expect(keysFor('b', uuid.toUpperCase())).toEqual([uuid, uuid]);
});

const KEYS_OF_TAG = ['39761e3c-9682-4e1e-aa0c-982e0d3f3e47', 'fb8a8453-6a06-4228-b203-97ad14bbe4be'];
const KEYS_OF_AUTOMATION = ['a76b2715-26d7-4165-9d4d-756920784487', 'ee9b47aa-1a2a-4958-8f69-66bb259e4df4'];

// They depend on the operation's purpose.
test.each([
	['Tag Lead', tagLead, { leadId: 'lead_1', tagId: 12 }, KEYS_OF_TAG],
	['Create Keyword Automation', createKeywordAutomation, { name: 'Price' }, KEYS_OF_AUTOMATION],
])('the keys of %s stay the same byte for byte', (_node, operation, content: IDataObject, keys) => {
	const functions = () => runFunctions({ parameters: content });
	const keyFor = (text: string) => new Keys(functions(), operation).writeFor(0, content, text).change.key;
	expect(['', 'order 7'].map(keyFor)).toEqual(keys);
});

test('a node that n8n runs without the data of an execution has a new key each time', () => {
	const functions = () => runFunctions({ context: null });
	expect(keysIn(functions(), ['1'])).not.toEqual(keysIn(functions(), ['1']));
});
