import { getEventListeners } from 'node:events';
import { attemptAt } from '../../../../../nodes/shared/service/change.ts';
import { inTurn } from '../../../../../nodes/shared/service/send/renewal.ts';
import { writeWith } from '../../../../support/scripted/calls.ts';
import { settle } from '../../../../support/scripted/clock.ts';
import { noResponseOf, responseOf } from '../../../../support/scripted/outcomes.ts';
import { LIST, sendThrough } from '../../../../support/scripted/sending.ts';
import { changeOf } from '../../../../support/scripted/situation.ts';
import type { Scripted } from '../../../../support/scripted/wire.ts';
import { connectionOf, networkError, ScriptedBody, ScriptedWire } from '../../../../support/scripted/wire.ts';

describe('a credential that n8n can renew', () => {
	const RENEWABLE = { ...connectionOf('renewable'), isRefreshable: true };

	/** Returns what it comes to, and how often the secrets were read anew. */
	async function sendRenewable(...script: Scripted[]) {
		const wire = new ScriptedWire(script);
		let learnt = 0;
		const outcome = await sendThrough(wire.functions, { ...RENEWABLE, read: async () => (learnt++, {}) });
		return { outcome, learnt, sent: wire.sent };
	}

	/** Returns what it comes to where n8n cannot read the credential any more. */
	async function sendUnreadable(script: Scripted[], call = LIST) {
		const read = async () => await Promise.reject(new Error('locked, with sk_live_secret'));
		return await sendThrough(new ScriptedWire(script).functions, { ...RENEWABLE, read }, { call });
	}

	const URL_OF_READ = 'https://api.example.com/v1/leads/?page_size=5';
	const rejected: Scripted = { status: 401, headers: { 'X-Request-ID': 'r' }, body: { error: { message: 'expired' } } };
	const thrown = (status: number, url: string | undefined = URL_OF_READ, headers = {}) => {
		const response = { status, headers, data: '{"second":true}' };
		return Object.assign(networkError('ERR_BAD_REQUEST'), { config: { url }, response });
	};
	/** Returns the error as n8n 1.x throws it, which does not say which request failed. */
	const inN8n1 = (httpCode: string) =>
		Object.assign(new Error('failed with sk_live_secret'), { cause: undefined, httpCode, messages: [] });

	test.each([
		['is as good as any', 200, 0],
		['is as good as any', 204, 0],
		['is as good as any', 299, 0],
		['may have been renewed meanwhile', 199, 1],
		['may have been renewed meanwhile', 300, 1],
		['may have been renewed meanwhile', 403, 1],
		['may have been renewed meanwhile', 500, 1],
	])('%s when the service responds %i', async (_what, status, times) => {
		const { outcome, learnt, sent } = await sendRenewable({ status });
		expect(outcome).toMatchObject({ status });
		expect([learnt, sent.length]).toEqual([times, 1]);
	});

	test('is not read again when n8n sends nothing, perhaps because it cannot be read', async () => {
		const { outcome, learnt } = await sendRenewable(new Error('locked'));
		expect([outcome.kind, learnt]).toEqual(['unsent', 0]);
	});

	test('or when it does not respond', async () => {
		const { outcome, learnt } = await sendRenewable(networkError('ECONNRESET'));
		expect(outcome).toMatchObject({ kind: 'no response', code: 'ECONNRESET' });
		expect(learnt).toBe(1);
	});

	test('is renewed by the same request once more, which is let throw, and has the time of three', async () => {
		const timeout = jest.spyOn(AbortSignal, 'timeout');
		const { outcome, learnt, sent } = await sendRenewable(rejected, { body: { done: true } });
		expect(outcome).toMatchObject({ status: 200, body: { done: true } });
		expect([learnt, sent.length]).toEqual([1, 2]);
		const [first, second] = sent;
		expect(first).toMatchObject({ ignoreHttpStatusErrors: true });
		expect(second).not.toHaveProperty('ignoreHttpStatusErrors');
		expect({ ...second, ignoreHttpStatusErrors: true }).toEqual(first);
		// The last is for reading the credential again.
		expect(timeout.mock.calls).toEqual([[7_000], [21_000], [7_000]]);
	});

	test('and cannot be read afterwards: no response, for nobody knows the new token that may be in it', async () => {
		expect(await sendUnreadable([rejected, { body: { token: 'new' } }])).toEqual(noResponseOf('', 'locked, with ***'));
	});

	test('and cannot be read after n8n threw: no response either, for what was thrown may hold the new token', async () => {
		const outcome = await sendUnreadable([rejected, thrown(403)]);
		expect(outcome).toEqual({ ...noResponseOf('', 'locked, with ***'), isRejected: true });
	});

	test.each<[string, Scripted[], boolean]>([
		['rejected', [{ status: 422 }], true],
		['rejected after the renewal', [rejected, thrown(422)], true],
		['rejected, and n8n did not ask for a token', [rejected, new Error('locked')], true],
		['rejected, and the token server failed', [rejected, thrown(503, 'https://auth.example.com/token')], true],
		['still running', [{ status: 409 }], false],
		['failed', [rejected, thrown(503)], false],
	])('and cannot be read after a write that was %s: the write stays so', async (_what, script, isRejected) => {
		const change = changeOf();
		await attemptAt(change, async () => await sendUnreadable(script, { ...writeWith(change), path: LIST.path }));
		expect(change.isOpen).toBe(!isRejected);
	});

	test.each<[string, Scripted[]]>([
		['a response', [{ status: 503 }]],
		['a renewal', [rejected, {}]],
	])('and n8n never reads it after %s: no response in time', async (_name, script) => {
		const connection = { ...RENEWABLE, reference: 'never read', read: async () => await new Promise<never>(() => {}) };
		const outcome = await sendThrough(new ScriptedWire(script).functions, connection, { timeoutMs: 20 });
		expect(outcome).toEqual(noResponseOf('', 'the response did not arrive in time'));
	});

	test.each<[string, Scripted[]]>([
		['the first response', [{ status: 403, headers: { a: 'new-token' }, body: '{"b":"new-token"}' }]],
		['the second', [rejected, { status: 404, headers: { a: 'new-token' }, body: '{"b":"new-token"}' }]],
		['one that n8n threw', [rejected, thrown(404, URL_OF_READ, { a: 'new-token' })]],
		['a failure', [rejected, Object.assign(thrown(404), { response: undefined, message: 'with new-token' })]],
		['a rejected renewal', [rejected, new Error('with new-token')]],
	])('is read again before anything is shown of %s, which may hold the new token', async (_name, script) => {
		let known = 'old-token';
		const redact = (text: string) => text.replaceAll(known, '***');
		const connection = { ...RENEWABLE, redact, read: async () => ((known = 'new-token'), {}) };
		const outcome = JSON.stringify(await sendThrough(new ScriptedWire(script).functions, connection));
		expect(outcome).toContain('***');
		expect(outcome).not.toContain('new-token');
	});

	test('is sent nothing that n8n wrote into the first request', async () => {
		const marking = () => {
			Object.assign(wire.sent[0] as object, { auth: 'old' });
			Object.assign(wire.sent[0]?.headers as object, { Authorization: 'old' });
			return rejected as object;
		};
		const wire = new ScriptedWire([marking, {}]);
		await sendThrough(wire.functions, RENEWABLE);
		expect(wire.sent[1]).not.toHaveProperty('auth');
		expect(wire.sent[1]?.headers).toStrictEqual({ Accept: 'application/json' });
	});

	test('and was rejected a new token: the first response, with the reason', async () => {
		const { outcome, learnt, sent } = await sendRenewable(rejected, new Error('revoked: sk_live_secret'));
		const headers = { 'x-request-id': 'r' };
		expect(outcome).toMatchObject({ kind: 'response', status: 401, headers, notRenewed: 'revoked: ***' });
		expect([learnt, sent.length]).toEqual([1, 2]);
	});

	test.each([401, 403, 503])('and got one that the service responds with %i: that response', async (status) => {
		const { outcome, learnt, sent } = await sendRenewable(rejected, thrown(status));
		expect(outcome).toEqual(responseOf(status, { body: { second: true } }));
		expect([learnt, sent.length]).toEqual([1, 2]);
	});

	test('and got one, and then no response: that failure', async () => {
		const reset = Object.assign(networkError('ECONNRESET', 'with sk_live_secret'), { config: { url: URL_OF_READ } });
		const { outcome, sent } = await sendRenewable(rejected, reset);
		expect(outcome).toEqual(noResponseOf('ECONNRESET', 'with ***'));
		expect(sent).toHaveLength(2);
	});

	test('at a token server that fails: a failure of that server, whose response is not read', async () => {
		const body = new ScriptedBody([]);
		const response = { status: 503, headers: {}, data: body };
		const failing = { message: 'failed with sk_live_secret', response };
		const error = Object.assign(thrown(503, 'https://auth.example.com/token'), failing);
		const { outcome, sent } = await sendRenewable(rejected, error);
		expect(outcome).toEqual({ ...noResponseOf('TOKEN_SERVER_FAILED', 'failed with ***'), isRejected: true });
		expect(sent).toHaveLength(2);
		expect(body.destroyed).toBe(0);
	});

	test('at a service whose response has no address: that response', async () => {
		const { outcome } = await sendRenewable(rejected, Object.assign(thrown(403), { config: {} }));
		expect(outcome).toMatchObject({ kind: 'response', status: 403 });
	});

	test.each<[string, Scripted, Scripted[]]>([
		['a response', {}, []],
		['a failure of the token server', thrown(503, 'https://auth.example.com/token'), []],
		['a failure that n8n 1.x does not name', inN8n1('503'), [rejected]],
	])('and leaves nothing on the signal of the execution after %s', async (_name, second, rest) => {
		const idle = new AbortController();
		const { functions } = new ScriptedWire([rejected, second, ...rest], idle.signal);
		await sendThrough(functions, RENEWABLE);
		expect(getEventListeners(idle.signal, 'abort')).toHaveLength(0);
	});

	const LATE = 'the response did not arrive in time';

	test.each<[string, Scripted, object]>([
		['the service still rejects the old token', rejected, noResponseOf('TOKEN_SERVER_FAILED', LATE)],
		['the service responds', { status: 429 }, responseOf(429, { body: {}, isResent: true })],
	])('and does not end in time: the request is sent once more, and %s', async (_what, third, outcome) => {
		const wire = new ScriptedWire([rejected, async () => await new Promise(() => {}), third]);
		expect(await sendThrough(wire.functions, { ...RENEWABLE, reference: 'late' }, { timeoutMs: 20 })).toEqual(outcome);
		expect(wire.sent[2]).toMatchObject({ ignoreHttpStatusErrors: true });
	});

	describe('on n8n 1.x, which does not say which request failed', () => {
		test('is asked for without a renewal: what responds now is the response', async () => {
			const { outcome, sent } = await sendRenewable(rejected, inN8n1('503'), { body: { third: true } });
			expect(outcome).toMatchObject({ status: 200, body: { third: true }, isResent: true });
			expect(sent[2]).toMatchObject({ ignoreHttpStatusErrors: true });
		});

		test.each([
			['a lost connection', 'ECONNRESET', true],
			['a failure', '503', true],
			['a timeout of the service', '408', true],
			['a conflict', '409', true],
			['a rejection', '400', undefined],
			['a rejection by the rate limit', '429', undefined],
		])('after %s, the response says whether one before it may have done something', async (_name, code, isResent) => {
			const { outcome } = await sendRenewable(rejected, inN8n1(code), { status: 429 });
			expect(outcome).toEqual(responseOf(429, { body: {}, ...(isResent && { isResent }) }));
		});

		test('is a failure when n8n then sends nothing: the request before may have done something', async () => {
			const { outcome, sent } = await sendRenewable(rejected, inN8n1('ECONNRESET'), new Error('n8n sent nothing'));
			expect(outcome).toEqual(noResponseOf('ECONNRESET', 'failed with ***'));
			expect(sent).toHaveLength(3);
		});

		test('is not asked for again where a page comes only once: the failure is the outcome', async () => {
			const wire = new ScriptedWire([rejected, inN8n1('ECONNRESET'), {}]);
			const page = { number: 3, recordsBefore: 200, comesOnce: true };
			const outcome = await sendThrough(wire.functions, RENEWABLE, { page });
			expect(outcome).toEqual(noResponseOf('ECONNRESET', 'failed with ***'));
			expect(wire.sent).toHaveLength(2);
		});

		test('it was the service that rejected the new token', async () => {
			const { outcome } = await sendRenewable(rejected, inN8n1('401'), rejected);
			expect(outcome).toMatchObject({ kind: 'response', status: 401 });
		});

		test('it was the token server that failed, when the service still rejects the old one', async () => {
			const { outcome, sent } = await sendRenewable(rejected, inN8n1('503'), rejected);
			expect(outcome).toEqual(noResponseOf('TOKEN_SERVER_FAILED', 'failed with ***'));
			expect(sent).toHaveLength(3);
		});
	});

	/** Returns an n8n whose first request is rejected; the second gets `token`, when the test has one. */
	function renewing() {
		const token = Promise.withResolvers<object>();
		const rejection = { statusCode: 401, headers: {}, body: '{}' };
		const helper = jest.fn().mockResolvedValueOnce(rejection).mockReturnValueOnce(token.promise);
		return { token, rejection, helper, functions: { helpers: { httpRequestWithAuthentication: helper } } };
	}

	test('is not waited for when the execution is over; the next renewal waits until n8n has the token', async () => {
		const { token, rejection, helper, functions } = renewing();
		helper.mockResolvedValueOnce(rejection).mockResolvedValueOnce({ ...rejection, statusCode: 200 });
		const connection = { ...connectionOf('renewed for a while'), isRefreshable: true };
		const execution = new AbortController();
		const cancelled = { ...functions, getExecutionCancelSignal: () => execution.signal };
		const first = sendThrough(cancelled as never, connection);
		await settle();
		execution.abort();
		await expect(first).resolves.toEqual(noResponseOf('ETIMEDOUT', 'the response did not arrive in time'));
		const second = sendThrough(functions as never, connection);
		await settle();
		expect(helper).toHaveBeenCalledTimes(3);
		token.resolve({ ...rejection, statusCode: 200 });
		await expect(second).resolves.toMatchObject({ status: 200 });
	});

	test('is not sent if the execution ends before its turn: a write that was rejected stays so', async () => {
		const { token, rejection, helper, functions } = renewing();
		helper.mockResolvedValueOnce(rejection);
		const connection = { ...connectionOf('in turn'), isRefreshable: true };
		const first = sendThrough(functions as never, connection);
		await settle();
		const execution = new AbortController();
		const cancelled = { ...functions, getExecutionCancelSignal: () => execution.signal } as never;
		const change = changeOf();
		const second = attemptAt(change, async () => await sendThrough(cancelled, connection, { call: writeWith(change) }));
		await settle();
		execution.abort();
		await expect(second).resolves.toMatchObject({ kind: 'response', status: 401 });
		expect(change.isOpen).toBe(false);
		token.resolve({ ...rejection, statusCode: 200 });
		await first;
		await settle();
		expect(helper).toHaveBeenCalledTimes(3);
	});

	test('that breaks is an error, not a renewal that takes too long', async () => {
		const wire = new ScriptedWire([rejected], new AbortController().signal);
		const read = () => {
			throw new Error('a fault of this code');
		};
		const sending = sendThrough(wire.functions, { ...connectionOf('broken'), isRefreshable: true, read });
		await expect(sending).rejects.toThrow('a fault of this code');
	});

	test('one that cannot be renewed is not asked twice, and its secrets do not change', async () => {
		const wire = new ScriptedWire([rejected]);
		const read = jest.fn();
		expect(await sendThrough(wire.functions, { ...connectionOf('key'), read })).toMatchObject({ status: 401 });
		expect(wire.sent).toHaveLength(1);
		expect(read).not.toHaveBeenCalled();
	});
});

/** Three pieces of work that end when they are told to; each notes in the log when it begins. */
function works() {
	const log: string[] = [];
	const work = (name: string) => {
		const { promise, resolve, reject } = Promise.withResolvers<string>();
		const run = async () => (log.push(name), await promise);
		return { run, end: () => resolve(name), fail: () => reject(new Error(name)) };
	};
	return { log, first: work('first'), second: work('second'), third: work('third') };
}

test('work with one key begins in the order it came, each after the one before; another key does not wait', async () => {
	const { log, first, second, third: other } = works();
	const results = [inTurn('a', first.run), inTurn('a', second.run), inTurn('b', other.run)];
	await settle();
	expect(log).toEqual(['first', 'third']);
	first.end();
	await settle();
	expect(log).toEqual(['first', 'third', 'second']);
	second.end();
	other.end();
	expect(await Promise.all(results)).toEqual(['first', 'second', 'third']);
});

test('work that comes while the second runs waits for it, though the first is over', async () => {
	const { log, first, second, third } = works();
	const results = [inTurn('d', first.run), inTurn('d', second.run)];
	first.end();
	await results[0];
	await settle();
	results.push(inTurn('d', third.run));
	await settle();
	expect(log).toEqual(['first', 'second']);
	second.end();
	await results[1];
	await settle();
	expect(log).toEqual(['first', 'second', 'third']);
	third.end();
	await results[2];
});

test('work that fails tells only its own caller, and the next begins', async () => {
	const { first, second } = works();
	const results = [inTurn('c', first.run), inTurn('c', second.run)];
	first.fail();
	await expect(results[0]).rejects.toThrow('first');
	second.end();
	expect(await results[1]).toBe('second');
});

test('nothing is kept of a key whose work is over', async () => {
	const forgotten = jest.spyOn(Map.prototype, 'delete');
	await inTurn('e', async () => 'done');
	await inTurn('f', async () => await Promise.reject(new Error('broken'))).catch(() => undefined);
	expect(forgotten.mock.calls).toEqual([['e'], ['f']]);
});
