import { setImmediate as turn } from 'node:timers/promises';
import type { IDataObject, INodeExecutionData, NodeApiError, NodeExecutionHint } from 'n8n-workflow';
import type { WriteOperation } from '../../../../nodes/shared/change/changeItems.ts';
import { changeItems } from '../../../../nodes/shared/change/changeItems.ts';
import type { ItemParameters } from '../../../../nodes/shared/parameters/itemParameters.ts';
import { systemClock } from '../../../../nodes/shared/service/clock.ts';
import { MAX_IN_FLIGHT } from '../../../../nodes/shared/service/rateLimit/lane.ts';
import { timePassed } from '../../../support/scripted/clock.ts';
import { runFunctions } from '../../../support/scripted/run.ts';
import type { Scripted } from '../../../support/scripted/wire.ts';
import { failure, functionsOn, networkError, ScriptedWire } from '../../../support/scripted/wire.ts';

interface Note extends IDataObject {
	text: string;
}

const noting: WriteOperation<Note> = {
	purpose: 'write the note',
	fieldOf: { text: 'text' },
	read({ get }) {
		const text = get('text') as string;
		if (text === '') throw new Error('the text is empty');
		return { text };
	},
	callFor: ({ text }) => ({ method: 'POST', path: '/notes/', body: { text }, needs: '' }),
	returnsContent: true,
};

interface Attempt {
	/** What the parameter says for each item now. */
	texts: string[];
	script: Scripted[];
	/** What n8n stores with the execution. */
	memory?: object;
	mode?: string;
	onError?: string;
	retryOnFail?: boolean;
	options?: IDataObject;
	operation?: WriteOperation<Note>;
	/** How long n8n takes to read the credential for each item, in turns of the event loop. */
	readingTakes?: number[];
	/** By default its own. */
	baseUrl?: string;
	type?: string;
	cancel?: AbortController;
}

/** One attempt at a run: what it returns, what it sends, and its hints. */
async function attempt({
	texts,
	script,
	memory = {},
	mode = 'trigger',
	onError = 'stopWorkflow',
	retryOnFail = true,
	options = {},
	operation = noting,
	readingTakes = [],
	type = 'note',
	cancel = new AbortController(),
	...address
}: Attempt) {
	const wire = new ScriptedWire(script);
	const hints: NodeExecutionHint[] = [];
	const n8n = functionsOn(wire, type, { text: '={{ $now }}', options });
	const node = { ...n8n.getNode(), onError, retryOnFail };
	const functions = {
		...runFunctions({ mode, context: memory, input: texts.map(() => ({})) }),
		...n8n,
		getNode: () => node,
		getExecuteData: () => ({ node }),
		getExecutionCancelSignal: () => cancel.signal,
		getCredentials: async (_type: string, index: number) => {
			for (let left = readingTakes[index] ?? 0; left > 0; left--) await turn();
			return { ...(await n8n.getCredentials()), ...address };
		},
		getNodeParameter: (name: string, index: number) =>
			name === 'text' ? texts[index] : { maxAttempts: 1, ...options },
		continueOnFail: () => onError !== 'stopWorkflow',
		addExecutionHints: (...added: NodeExecutionHint[]) => hints.push(...added),
	};
	const outcome = await changeItems(functions as never, operation).then(
		([items]) => ({ items: items as INodeExecutionData[], error: undefined }),
		(error: NodeApiError) => ({ error, items: [] }),
	);
	const sent = wire.sent.map(({ headers, body }) => [headers?.['Idempotency-Key'], (body as Note).text]);
	return { ...outcome, json: outcome.items.map(({ json }) => json), sent, memory, hints };
}

type Attempted = Awaited<ReturnType<typeof attempt>>;

const made = { body: { id: 7 } };
/** n8n's "Continue". */
const onError = 'continueRegularOutput';

test('each input item is one write, whose output has the response, the receipt and the content', async () => {
	const { items, sent } = await attempt({ texts: ['a', 'b'], script: [made, made] });
	expect(sent.map(([, text]) => text)).toEqual(['a', 'b']);
	const receipt = { replayed: false, requestId: expect.any(String) as string };
	const jsonOf = ([idempotencyKey, text]: unknown[]) => ({ id: 7, idempotencyKey, ...receipt, text });
	expect(items).toEqual(sent.map((write, item) => ({ json: jsonOf(write), pairedItem: { item } })));
	expect(sent[0]?.[0]).not.toBe(sent[1]?.[0]);
});

describe('the response to a write', () => {
	const headers = { 'X-Request-ID': 'r', 'Idempotent-Replay': 'true' };

	/** Returns the item that has this response, and the key that was sent. */
	async function written(body: unknown) {
		const operation = { ...noting, returnsContent: false };
		const { json, sent } = await attempt({ texts: ['a'], script: [{ body, headers }], operation });
		return { json: json[0], receipt: { idempotencyKey: sent[0]?.[0], replayed: true, requestId: 'r' } };
	}

	test.each<[string, unknown, object]>([
		['an object comes with the receipt', { id: 7, is_active: false }, { id: 7, is_active: false }],
		['no body is no field', '', {}],
		['null is no field', 'null', {}],
		['a list comes under "answer"', [{ id: 7 }], { answer: [{ id: 7 }] }],
		['a text comes under "answer"', '"done"', { answer: 'done' }],
		['false comes under "answer"', 'false', { answer: false }],
		['a failed run, for n8n, comes under "answer"', { error: null, id: 7 }, { answer: { error: null, id: 7 } }],
	])('%s', async (_what, body, fields) => {
		const { json, receipt } = await written(body);
		expect(json).toStrictEqual({ ...fields, ...receipt });
	});
});

describe('what was sent', () => {
	test('is forgotten once every item has succeeded', async () => {
		expect((await attempt({ texts: ['a'], script: [made] })).memory).toMatchObject({ sent: [] });
	});

	test.each([
		['stopWorkflow', false, true],
		['stopWorkflow', true, true],
		['continueRegularOutput', false, false],
		['continueRegularOutput', true, true],
	])('when an item failed: On Error %s, Retry On Fail %j: is kept: %j', async (onError, retryOnFail, isKept) => {
		const { memory } = await attempt({ texts: ['a', 'b'], script: [made, failure(500)], onError, retryOnFail });
		const sent = [{ content: { text: 'a' } }, { content: { text: 'b' } }];
		expect(memory).toMatchObject({ sent: isKept ? sent : [] });
	});

	test('is sent and shown again by a retry, whatever the parameters say now', async () => {
		const { memory, sent } = await attempt({ texts: ['a'], script: [failure(500)] });
		const again = await attempt({ texts: ['later'], script: [made], memory });
		expect(again.sent).toEqual(sent);
		expect(again.json).toMatchObject([{ text: 'a' }]);
	});

	test('is shown by an item that fails again', async () => {
		const { memory, sent } = await attempt({ texts: ['a'], script: [failure(500)], onError });
		const again = await attempt({ texts: ['later'], script: [failure(500)], memory, onError });
		expect(again.json).toMatchObject([{ idempotencyKey: sent[0]?.[0], text: 'a' }]);
	});

	test('gives way to what the parameters say now if the service rejected it', async () => {
		const { memory, sent } = await attempt({ texts: ['a', 'b'], script: [failure(422)] });
		const again = await attempt({ texts: ['corrected', 'b'], script: [made, made], memory });
		expect(again.sent).toEqual([
			[sent[0]?.[0], 'corrected'],
			[expect.any(String), 'b'],
		]);
	});
});

test('an error of the service says once how to retry, and that of a canceled execution does not: n8n offers no Retry', async () => {
	const { error } = await attempt({ texts: ['a', 'b'], script: [made, failure(422)] });
	expect(error?.description?.match(/retry this execution/g)).toHaveLength(1);
	const cancel = new AbortController();
	const brokenOff = () => (cancel.abort(), networkError('ERR_CANCELED'));
	const canceled = await attempt({ texts: ['a', 'b'], script: [made, brokenOff], cancel });
	expect(canceled.error?.message).toContain('canceled');
	expect(canceled.error?.description).not.toContain('retry');
});

const replayed = { ...made, headers: { 'Idempotent-Replay': 'true' } };

// The service may return the response to another change.
test.each([
	['first', [made, replayed], 0],
	['second', [replayed, made], 1],
])(
	'a key that two changes shared stays, once the user removed it, with the %s, which was made',
	async (which, script, index) => {
		const run = { texts: ['a', 'b', 'c'], baseUrl: `https://${which}.example.com` };
		const options = { idempotencyKey: 'order 7' };
		const { memory, sent } = await attempt({ ...run, script: [...script, failure(422)], options });
		const again = await attempt({ ...run, script: [made, made, made], memory });
		expect(again.sent.map(([key]) => key === sent[0]?.[0]).indexOf(true)).toBe(index);
		expect(new Set(again.sent.map(([key]) => key)).size).toBe(3);
	},
);

test.each<[string, number[], boolean]>([
	['a rejection', [422], false],
	['a conflict', [409], false],
	['two conflicts', [409, 409], false],
	['a rejection and a conflict', [422, 409], false],
	['a lost response', [500], true],
	['a lost response and a conflict', [500, 409], true],
	['a conflict and a lost response', [409, 500], true],
])('a key that the user removed after %s is sent again: %j', async (after, statuses, isKept) => {
	const run = { texts: ['a'], memory: {}, baseUrl: `https://${after.replaceAll(' ', '-')}.example.com` };
	const keys: unknown[] = [];
	const attemptWith = async (script: Scripted[], more = {}) => {
		const { sent } = await attempt({ ...run, script, ...more });
		keys.push(sent[0]?.[0]);
	};
	for (const status of statuses) await attemptWith([failure(status)], { options: { idempotencyKey: 'order 7' } });
	await attemptWith([failure(500)]);
	await attemptWith([made]);
	const [own, removed, again] = [keys[0], ...keys.slice(-2)];
	expect(removed === own).toBe(isKept);
	expect(again).toBe(removed);
});

test.each([
	// n8n passes nothing but the message to the model of an AI Agent 3.
	['the message of an error', 'stopWorkflow', ({ error }: Attempted) => error?.message],
	['the description of an error', 'stopWorkflow', ({ error }: Attempted) => error?.description],
	['an item', onError, ({ json }: Attempted) => JSON.stringify(json)],
])(
	'a tool whose retry cannot be sent sends nobody to another call, which would be another change: %s',
	async (_where, onError, textIn) => {
		const run = { type: 'noteTool', onError };
		const { memory, sent } = await attempt({ ...run, texts: ['a'], script: [failure(500)] });
		const text = textIn(await attempt({ ...run, texts: [''], script: [], memory }));
		const advice = 'Then find out whether the change was made before you call this tool again';
		const receipt = `"idempotencyKey":"${sent[0]?.[0]}","mayHaveBeenMade":true`;
		expect(text).toContain(onError === 'stopWorkflow' ? advice : receipt);
		expect(text).not.toContain('"On Error"');
	},
);

test.each([
	[[500, 422], true],
	[[422, 422], false],
])('an item that cannot be read says how to retry if a change may have been made: %j', async (statuses, isOpen) => {
	const { memory } = await attempt({ texts: ['a', 'b'], script: statuses.map((status) => failure(status)), onError });
	const { error } = await attempt({ texts: ['', 'b'], script: [], memory });
	const saysHow = error?.description?.includes('retry this execution') ?? false;
	expect([error?.message, saysHow]).toEqual(['the text is empty', isOpen]);
});

test('a run that waited for the rate limit says so once, even if an item failed', async () => {
	let waited = 0;
	timePassed(() => waited);
	jest.spyOn(systemClock, 'wait').mockImplementation(async (ms) => {
		waited += ms;
		await turn();
	});
	const rejected = { status: 429, headers: { 'Retry-After': '30' } };
	const script = [rejected, made, failure(422), made];
	const options = { maxAttempts: 2, maxWait: 120 };
	const { json, hints } = await attempt({ texts: ['a', 'b', 'c'], script, options, onError });
	expect(json.map(({ error }) => typeof error)).toEqual(['undefined', 'string', 'undefined']);
	const message = 'Waited 30 s for the rate limit (60 writes a minute, shared by everything that uses this credential)';
	expect(hints).toEqual([{ message, location: 'outputPane' }]);
});

test('an item that failed has each field of a receipt and of the content, and none of another item', async () => {
	const { json, sent } = await attempt({ texts: ['a', '', 'c'], script: [failure(422), failure(500)], onError });
	const unread = { idempotencyKey: null, mayHaveBeenMade: false, replayed: null, requestId: null, text: null };
	expect(json).toMatchObject([
		{ idempotencyKey: sent[0]?.[0], mayHaveBeenMade: false, replayed: null, requestId: 'r', text: 'a' },
		unread,
		{ idempotencyKey: sent[1]?.[0], mayHaveBeenMade: true, replayed: null, requestId: 'r', text: 'c' },
	]);
	expect(Object.keys(json[1]!)).toEqual(['error', 'message', ...Object.keys(unread)]);
});

test('an item that failed because n8n threw what is no error says that an attempt before may have made the change', async () => {
	jest.spyOn(systemClock, 'random').mockReturnValue(0);
	const thrown = () => {
		throw 'n8n has no memory left';
	};
	const script = [failure(500), thrown];
	const { json, sent } = await attempt({ texts: ['a'], script, options: { maxAttempts: 3 }, onError });
	const message = expect.stringMatching(/^The change may have been made anyway\./);
	const stated = { idempotencyKey: sent[0]?.[0], mayHaveBeenMade: true };
	expect(json).toMatchObject([{ error: 'n8n has no memory left', message, ...stated }]);
});

test.each([
	[{ maxAttempts: 0 }, false],
	// Something else may have sent an own key.
	[{ idempotencyKey: 1.5 }, null],
])('an item that fails before it is sent, with %j, shows what its parameters say', async (options, mayHaveBeenMade) => {
	const { json, sent } = await attempt({ texts: ['a'], script: [], options, onError });
	expect(json).toMatchObject([{ idempotencyKey: null, mayHaveBeenMade, text: 'a' }]);
	expect(sent).toEqual([]);
});

test('an item that cannot be read says in a retry that something else may have made its change', async () => {
	const { json } = await attempt({ texts: [''], script: [], mode: 'retry', onError });
	expect(json).toMatchObject([{ mayHaveBeenMade: null }]);
});

test('an item that a later try of a retry cannot read has the key of the try whose request was rejected', async () => {
	const run = { mode: 'retry', onError };
	const { json, sent, memory } = await attempt({ ...run, texts: ['a'], script: [failure(422)] });
	const stated = { idempotencyKey: sent[0]?.[0], mayHaveBeenMade: true };
	expect(json).toMatchObject([stated]);
	expect((await attempt({ ...run, texts: [''], script: [], memory })).json).toMatchObject([stated]);
});

test.each([
	[1, noting],
	[MAX_IN_FLIGHT, { ...noting, isParallel: true }],
])('at most %d items are written at a time, as the operation permits', async (most, operation) => {
	let underWay = 0;
	let peak = 0;
	const slow = {
		...operation,
		read: (parameters: ItemParameters) => {
			peak = Math.max(peak, ++underWay);
			return noting.read(parameters);
		},
	};
	const texts = ['a', 'b', 'c', 'd', 'e', 'f'];
	const script = texts.map(() => () => (underWay--, made));
	expect((await attempt({ texts, script, operation: slow })).items).toHaveLength(6);
	expect(peak).toBe(most);
});

describe('writes under way at the same time', () => {
	const parallel = { ...noting, isParallel: true };
	const texts = ['a', 'b', 'c', 'd', 'e', 'f'];

	/** Responses that arrive when the test says so, in the order of the requests. */
	function responses(count: number) {
		const arrive: Array<(response: Scripted) => void> = [];
		const script = Array.from({ length: count }, () => async () => {
			return await new Promise<never>((resolve) => arrive.push(resolve as (response: Scripted) => void));
		});
		const sent = async (requests: number) => {
			while (arrive.length < requests) await turn();
			for (let round = 0; round < 5; round++) await turn();
			expect(arrive).toHaveLength(requests);
		};
		return { arrive, script, sent };
	}

	test('start in the order of their items, and come out in it', async () => {
		const { arrive, script, sent } = responses(6);
		const written = attempt({ texts, script, operation: parallel });
		await sent(4);
		arrive[2]?.(made);
		await sent(5);
		for (const index of [1, 4, 3, 0]) arrive[index]?.(made);
		await sent(6);
		arrive[5]?.(made);
		const { json, sent: requests } = await written;
		expect(requests.map(([, text]) => text)).toEqual(texts);
		expect(json.map(({ text }) => text)).toEqual(texts);
	});

	// Such items differ only in what they compute, so that their order tells them apart. A crash leaves nothing else.
	test('have the keys of their items, however long n8n takes to read the credential of each', async () => {
		const keysOf = async (readingTakes: number[]) => {
			const script = texts.map(() => made);
			const baseUrl = 'https://one.example.com';
			const { json } = await attempt({ texts, script, operation: parallel, readingTakes, baseUrl });
			return json.map(({ idempotencyKey }) => idempotencyKey);
		};
		expect(await keysOf([5, 0, 3, 1, 0, 0])).toEqual(await keysOf([0, 2, 0, 4, 1, 0]));
	});

	test('when one fails no other starts, none is retried, and the failure is thrown when they have ended', async () => {
		jest.spyOn(systemClock, 'random').mockReturnValue(0.99);
		const { arrive, script, sent } = responses(6);
		const [read, ended] = [jest.fn(noting.read), jest.fn()];
		const operation = { ...parallel, read };
		const written = attempt({ texts, script, operation, options: { maxAttempts: 2 } }).finally(ended);
		await sent(4);
		arrive[2]?.(failure(500));
		for (let round = 0; round < 5; round++) await turn();
		arrive[1]?.(failure(422));
		arrive[3]?.(made);
		await sent(4);
		expect(ended).not.toHaveBeenCalled();
		arrive[0]?.(made);
		expect(await written).toMatchObject({ error: { httpCode: '422', context: { itemIndex: 1 } } });
		await sent(4);
		expect(read).toHaveBeenCalledTimes(4);
	});

	test('with Continue On Fail a failure stops nothing', async () => {
		const script = [failure(422), made, made, made, made, made];
		const { json } = await attempt({ texts, script, operation: parallel, onError });
		expect(json.map(({ error, id }) => id ?? typeof error)).toEqual(['string', 7, 7, 7, 7, 7]);
	});
});
