import fc from 'fast-check';
import { validate, version } from 'uuid';
import { changesOf } from '../../nodes/shared/changes';
import type { Call } from '../../nodes/shared/service/call';
import { isUuid4 } from '../../nodes/shared/service/idempotencyKey';

interface Run {
	execution: string;
	workflow: string;
	node: string;
	runIndex: number;
	bodies: unknown[];
}

/** The parts of n8n that a key is made from, as they are in one run of a node. */
function functionsOf({ execution, workflow, node, runIndex }: Run, memory: object, resumeUrl = 'http://localhost/webhook-waiting/1') {
	return {
		getWorkflowDataProxy: () => ({ $runIndex: runIndex, $execution: { resumeUrl } }),
		getContext: () => memory,
		getExecutionId: () => execution,
		getWorkflow: () => ({ id: workflow }),
		getNode: () => ({ id: node }),
	} as never;
}

const callWith = (body: unknown): Call => ({
	method: 'POST',
	path: '/v1/automations/keyword/',
	body: body as never,
	purpose: 'create the keyword automation',
	needs: '',
});

function keysOf(run: Run, memory: object = {}): string[] {
	const changes = changesOf(functionsOf(run, memory));
	return run.bodies.map((body) => changes.keyFor(callWith(body), ''));
}

// Few values each, so that runs are often alike.
const run: fc.Arbitrary<Run> = fc.record({
	execution: fc.constantFrom('1', '11', '2'),
	workflow: fc.constantFrom('w', 'w1'),
	node: fc.constantFrom('n', '1n'),
	runIndex: fc.constant(0),
	bodies: fc.array(fc.oneof(fc.constantFrom({ name: 'a' }, { name: 'b' }, {}), fc.jsonValue()), { maxLength: 8 }),
});

const sameScope = (a: Run, b: Run) => a.execution === b.execution && a.workflow === b.workflow && a.node === b.node;

describe('keys', () => {
	test('are UUID4s', () => {
		fc.assert(
			fc.property(run, (some) => {
				expect(keysOf(some).every((key) => validate(key) && version(key) === 4)).toBe(true);
			}),
		);
	});

	test('within a run are all different, and the same when it runs again', () => {
		fc.assert(
			fc.property(run, (some) => {
				const keys = keysOf(some);
				expect(new Set(keys).size).toBe(keys.length);
				expect(keysOf(some)).toEqual(keys);
			}),
		);
	});

	test('of two runs meet only where execution, workflow, node, change and its count are the same', () => {
		fc.assert(
			fc.property(run, run, (one, other) => {
				const count = (bodies: unknown[]) => {
					const counts = new Map<string, number>();
					return bodies.map((body) => {
						const text = JSON.stringify(body);
						counts.set(text, (counts.get(text) ?? 0) + 1);
						return `${text}#${counts.get(text)}`;
					});
				};
				const [named, otherNamed] = [count(one.bodies), count(other.bodies)];
				const mustMeet = sameScope(one, other) ? named.filter((name) => otherNamed.includes(name)).length : 0;
				const otherKeys = new Set(keysOf(other));
				expect(keysOf(one).filter((key) => otherKeys.has(key))).toHaveLength(mustMeet);
			}),
		);
	});

	test('of successive runs in one execution never meet, whatever run indexes n8n gives them', () => {
		fc.assert(
			fc.property(run, fc.uniqueArray(fc.nat(20), { minLength: 2, maxLength: 5 }), (some, indexes) => {
				const memory = {};
				const keys = indexes.flatMap((runIndex) => keysOf({ ...some, runIndex }, memory));
				expect(new Set(keys).size).toBe(keys.length);
				// The same sequence under other run indexes (as after a crash) has the same keys.
				const again = {};
				expect(indexes.flatMap((runIndex) => keysOf({ ...some, runIndex: runIndex + 1 }, again))).toEqual(keys);
			}),
		);
	});

	test('differ when method, path or body does', () => {
		const some: Run = { execution: '1', workflow: 'w', node: 'n', runIndex: 0, bodies: [] };
		const call = callWith({ a: 1 });
		const calls: Call[] = [call, { ...call, method: 'GET' }, { ...call, path: '/v1/other/' }, callWith({ a: 2 }), callWith(undefined)];
		const keys = calls.map((one) => changesOf(functionsOf(some, {})).keyFor(one, ''));
		expect(new Set(keys).size).toBe(calls.length);
	});

	test('follow the token that n8n hands on to a retried execution, else the id of the first one', () => {
		const key = (execution: string, memory: object, resumeUrl?: string) =>
			changesOf(functionsOf({ execution, workflow: 'w', node: 'n', runIndex: 0, bodies: [] }, memory, resumeUrl)).keyFor(callWith({}), '');
		const url = (token: string) => `http://localhost/webhook-waiting/1?signature=${token}`;
		expect(key('1', {}, url('t'))).toBe(key('2', {}, url('t')));
		expect(key('1', {}, url('t'))).not.toBe(key('1', {}, url('u')));
		const inherited = {};
		expect(key('1', inherited)).toBe(key('2', inherited));
		expect(key('1', {})).not.toBe(key('2', {}));
		expect(key('1', {}, 'undefined/1')).toBe(key('1', {}));
	});

	test.each([undefined, ''])('of executions that n8n gives no id (%p) never meet, and stay the same when one tries again', (id) => {
		const key = (memory: object) =>
			changesOf(functionsOf({ execution: id as string, workflow: 'w', node: 'n', runIndex: 0, bodies: [] }, memory)).keyFor(callWith({}), '');
		const memory = {};
		expect(key(memory)).toBe(key(memory));
		expect(key({})).not.toBe(key({}));
	});

	test('from text are the same for the same text and operation only', () => {
		fc.assert(
			fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), run, run, (text, other, one, two) => {
				const key = (given: Run, own: string, call = callWith({})) => changesOf(functionsOf(given, {})).keyFor(call, own);
				expect(isUuid4(key(one, text))).toBe(true);
				expect(key(one, text)).toBe(key(two, text));
				expect(key(one, text) === key(one, other)).toBe(text === other);
				expect(key(one, text)).not.toBe(key(one, text, { ...callWith({}), purpose: 'tag the lead' }));
			}),
		);
	});
});

test.each([
	['2f1e4fc0-81fd-4a2e-9bd4-4d6a7a3b1c0d', true],
	['2F1E4FC0-81FD-4A2E-9BD4-4D6A7A3B1C0D', true],
	['c232ab00-9414-11ec-b3c8-9f6bdeced846', false],
	['0190163d-8694-739b-aea5-966c26f8ad91', false],
	['2f1e4fc0-81fd-4a2e-9bd4-4d6a7a3b1c0', false],
	['', false],
])('%j is a UUID4: %s', (text, expected) => {
	expect(isUuid4(text)).toBe(expected);
});
