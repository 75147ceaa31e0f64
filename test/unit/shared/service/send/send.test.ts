import { getEventListeners } from 'node:events';
import type { Call } from '../../../../../nodes/shared/service/call';
import type { Connection, ServiceFunctions } from '../../../../../nodes/shared/service/connection/connection';
import { send } from '../../../../../nodes/shared/service/send/send';
import type { Scripted } from '../../../../support/scripted/wire';
import { connectionOf, networkError, ScriptedBody, ScriptedWire } from '../../../../support/scripted/wire';
import { timeInHand } from '../../../../support/scripted/timeInHand';

const read: Call = { method: 'GET', path: '/v1/leads/', query: { page_size: 5 }, purpose: 'list leads', needs: '' };
const write: Call = {
	method: 'POST',
	path: '/v1/x/',
	body: { a: 1 },
	idempotencyKey: 'key',
	purpose: 'make a change',
	needs: '',
};

async function sendOnce(scripted: Scripted, call = read, connection = connectionOf('one')) {
	const wire = new ScriptedWire([scripted]);
	const outcome = await send(wire.functions, connection, call, 7_000);
	return { outcome, options: wire.sent[0] };
}

describe('what is sent', () => {
	test('for a read', async () => {
		const { options } = await sendOnce({});
		expect(options).toMatchObject({
			method: 'GET',
			url: 'https://api.example.com/v1/leads/',
			qs: { page_size: 5 },
			timeout: 7_000,
		});
		expect(options).toMatchObject({
			disableFollowRedirect: true,
			ignoreHttpStatusErrors: true,
			returnFullResponse: true,
			encoding: 'stream',
		});
		expect(options?.headers).toStrictEqual({ Accept: 'application/json' });
		expect(options).not.toHaveProperty('body');
	});

	test('for a write', async () => {
		const { options } = await sendOnce({}, write);
		expect(options).toMatchObject({ method: 'POST', body: { a: 1 } });
		expect(options?.headers).toEqual({
			Accept: 'application/json',
			'Content-Type': 'application/json',
			'Idempotency-Key': 'key',
		});
		expect(options).not.toHaveProperty('qs');
	});

	test('goes the way the user set for the node', async () => {
		const transport = {
			proxy: { host: 'proxy', port: 1 },
			skipSslCertificateValidation: true,
			allowedDomains: 'example.com',
		};
		const { options } = await sendOnce({}, read, { ...connectionOf('one'), transport });
		expect(options).toMatchObject(transport);
	});
});

describe('what came back', () => {
	test.each<[string, string, unknown]>([
		['JSON', '{"a":1}', { a: 1 }],
		['JSON after a byte order mark', '\ufeff{"a":1}', { a: 1 }],
		['nothing', '', undefined],
		['white space', ' \r\n', undefined],
		['a number that JSON.parse would round', '{"id":12345678901234567890}', { id: '12345678901234567890' }],
	])('%s', async (_name, body, expected) => {
		const { outcome } = await sendOnce({ body });
		expect(outcome).toEqual({ kind: 'response', status: 200, headers: {}, body: expected, garbled: false });
	});

	test.each(['<html>', '{"a":', '{"a":1}{'])('%j is garbled', async (body) => {
		expect((await sendOnce({ body })).outcome).toMatchObject({ kind: 'response', body: undefined, garbled: true });
	});

	test('has its headers in lower case', async () => {
		expect((await sendOnce({ headers: { 'X-Request-ID': 'r', 'Retry-After': '1' } })).outcome).toMatchObject({
			headers: { 'x-request-id': 'r', 'retry-after': '1' },
		});
	});
});

describe('a body that comes in parts', () => {
	const broken = (code?: string) =>
		Object.assign(new Error('broken off near sk_live_secret'), code === undefined ? {} : { code });

	test('is read to its end, and let go', async () => {
		const body = new ScriptedBody([Buffer.from('{"a":'), Buffer.from('1}')]);
		expect((await sendOnce({ body })).outcome).toMatchObject({ body: { a: 1 }, garbled: false });
		expect(body.destroyed).toBe(1);
	});

	test.each([
		['ECONNRESET', 'ECONNRESET'],
		[undefined, ''],
	])('and breaks off (%s) is no response', async (code, expected) => {
		const { outcome } = await sendOnce({ body: new ScriptedBody([Buffer.from('{')], broken(code)) });
		expect(outcome).toEqual({ kind: 'failure', code: expected, detail: 'broken off near ***' });
	});

	test('of what was rejected leaves it rejected when it breaks off', async () => {
		const { outcome } = await sendOnce({ status: 403, body: new ScriptedBody([], broken('ECONNRESET')) });
		expect(outcome).toEqual({ kind: 'response', status: 403, headers: {}, body: undefined, garbled: true });
	});

	test('and cannot be used says why', async () => {
		const { outcome } = await sendOnce({ body: new ScriptedBody([], broken('Z_DATA_ERROR')) });
		expect(outcome).toEqual({
			kind: 'response',
			status: 200,
			headers: {},
			body: undefined,
			garbled: true,
			problem: 'could not be decompressed',
		});
	});
});

describe('the time for a response', () => {
	afterEach(() => jest.restoreAllMocks());

	test('is what the node allows, in whole milliseconds', async () => {
		const { timeouts } = timeInHand();
		await send(new ScriptedWire([{}]).functions, connectionOf('one'), read, 6_999.2);
		expect(timeouts).toEqual([7_000]);
	});

	test('ends a request of which nothing comes back', async () => {
		const { end } = timeInHand();
		const functions = { helpers: { httpRequestWithAuthentication: async () => await new Promise(() => {}) } } as never;
		const outcome = send(functions, connectionOf('one'), read, 1_000);
		end();
		await expect(outcome).resolves.toEqual({
			kind: 'failure',
			code: 'ETIMEDOUT',
			detail: 'the response did not arrive in time',
		});
	});
});

describe('the signal that ends a request', () => {
	/** n8n's request helper, which asks its caller for that signal. */
	function asking(respondOnce: (signal: AbortSignal) => object, cancel?: AbortSignal) {
		const signals: AbortSignal[] = [];
		const helper = async function (this: { getExecutionCancelSignal(): AbortSignal }) {
			signals.push(this.getExecutionCancelSignal());
			return respondOnce(signals[0] as AbortSignal);
		};
		const functions = {
			helpers: { httpRequestWithAuthentication: helper },
			...(cancel !== undefined && { getExecutionCancelSignal: () => cancel }),
		};
		return { functions: functions as never as ServiceFunctions, signals };
	}
	const outcome = { statusCode: 200, headers: {}, body: '{}' };

	test('aborts when it is over, so that nothing is left of the connection', async () => {
		const { functions, signals } = asking((signal) => (expect(signal.aborted).toBe(false), outcome));
		await expect(send(functions, connectionOf('one'), read, 1_000)).resolves.toMatchObject({ status: 200 });
		expect(signals[0]?.aborted).toBe(true);
	});

	test('aborts with the execution, and leaves nothing on its signal', async () => {
		const during = new AbortController();
		const wasAborted: boolean[] = [];
		const { functions } = asking((signal) => {
			wasAborted.push(signal.aborted);
			during.abort();
			wasAborted.push(signal.aborted);
			return outcome;
		}, during.signal);
		await send(functions, connectionOf('one'), read, 1_000);
		expect(wasAborted).toEqual([false, true]);
		const idle = new AbortController();
		await send(asking(() => outcome, idle.signal).functions, connectionOf('one'), read, 1_000);
		expect(getEventListeners(idle.signal, 'abort')).toHaveLength(0);
	});

	test('is aborted from the start when the execution was', async () => {
		const { functions, signals } = asking(
			(signal) => ({ ...outcome, statusCode: signal.aborted ? 299 : 200 }),
			AbortSignal.abort(),
		);
		await expect(send(functions, connectionOf('one'), read, 1_000)).resolves.toMatchObject({ status: 299 });
		expect(signals).toHaveLength(1);
	});
});

describe('a credential that n8n can renew', () => {
	/** What it comes to, and how often the secrets were read anew. */
	async function sendRenewable(...script: Scripted[]) {
		const wire = new ScriptedWire(script);
		let learnt = 0;
		const connection: Connection = {
			...connectionOf('renewable'),
			refreshable: true,
			learnSecrets: async () => void learnt++,
		};
		const outcome = await send(wire.functions, connection, read, 7_000);
		return { outcome, learnt, sent: wire.sent };
	}

	const URL_OF_READ = 'https://api.example.com/v1/leads/?page_size=5';
	const rejected: Scripted = { status: 401, headers: { 'X-Request-ID': 'r' }, body: { error: { message: 'expired' } } };
	const thrown = (status: number, url: string | undefined = URL_OF_READ) =>
		Object.assign(networkError('ERR_BAD_REQUEST'), {
			config: { url },
			response: { status, headers: {}, data: '{"second":true}' },
		});
	/** As n8n 1.x throws it, which does not say which request failed. */
	const inN8n1 = (httpCode: string) =>
		Object.assign(new Error('failed with sk_live_secret'), { cause: undefined, httpCode, messages: [] });

	test.each([200, 204, 299])('is as good as any while the service responds %i', async (status) => {
		const { outcome, learnt, sent } = await sendRenewable({ status });
		expect(outcome).toMatchObject({ status });
		expect([learnt, sent.length]).toEqual([0, 1]);
	});

	test.each([199, 300, 403, 500])('may have been renewed meanwhile when the service responds %i', async (status) => {
		const { outcome, learnt, sent } = await sendRenewable({ status });
		expect(outcome).toMatchObject({ status });
		expect([learnt, sent.length]).toEqual([1, 1]);
	});

	test('or when it does not respond', async () => {
		const { outcome, learnt } = await sendRenewable(networkError('ECONNRESET'));
		expect(outcome).toMatchObject({ kind: 'failure', code: 'ECONNRESET' });
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
		expect(timeout.mock.calls).toEqual([[7_000], [21_000]]);
		timeout.mockRestore();
	});

	test('and cannot be read afterwards: no response, for nobody knows the new token that may be in it', async () => {
		const wire = new ScriptedWire([rejected, { body: { token: 'new' } }]);
		const learnSecrets = async () => await Promise.reject(new Error('locked, with sk_live_secret'));
		const outcome = await send(
			wire.functions,
			{ ...connectionOf('renewable'), refreshable: true, learnSecrets },
			read,
			7_000,
		);
		expect(outcome).toEqual({ kind: 'failure', code: '', detail: 'locked, with ***' });
	});

	test('and cannot be read after n8n threw: no response either, for what was thrown may hold the new token', async () => {
		const wire = new ScriptedWire([rejected, thrown(403)]);
		const learnSecrets = async () => await Promise.reject(new Error('locked'));
		const connection = { ...connectionOf('renewable'), refreshable: true, learnSecrets };
		const outcome = await send(wire.functions, connection, read, 7_000);
		expect(outcome).toEqual({ kind: 'failure', code: '', detail: 'locked' });
	});

	test('is read again before anything of the response is', async () => {
		const order: string[] = [];
		const body = () => ({
			async *[Symbol.asyncIterator]() {
				order.push('read');
				yield Buffer.from('{}');
			},
			destroy: () => {},
		});
		const connection = {
			...connectionOf('renewable'),
			refreshable: true,
			learnSecrets: async () => void order.push('learn'),
		};
		for (const outcome of [{ body: body() }, Object.assign(thrown(403), { response: { status: 403, data: body() } })])
			await send(new ScriptedWire([rejected, outcome]).functions, connection, read, 7_000);
		expect(order).toEqual(['learn', 'read', 'learn', 'read']);
	});

	test('is sent nothing that n8n wrote into the first request', async () => {
		const wire: ScriptedWire = new ScriptedWire([
			() => {
				Object.assign(wire.sent[0] as object, { auth: 'old' });
				Object.assign(wire.sent[0]?.headers as object, { Authorization: 'old' });
				return rejected as object;
			},
			{},
		]);
		await send(wire.functions, { ...connectionOf('renewable'), refreshable: true }, read, 7_000);
		expect(wire.sent[1]).not.toHaveProperty('auth');
		expect(wire.sent[1]?.headers).toStrictEqual({ Accept: 'application/json' });
	});

	test('and was rejected a new token: the first response, with the reason', async () => {
		const { outcome, learnt, sent } = await sendRenewable(rejected, new Error('revoked: sk_live_secret'));
		expect(outcome).toMatchObject({
			kind: 'response',
			status: 401,
			headers: { 'x-request-id': 'r' },
			notRenewed: 'revoked: ***',
		});
		expect([learnt, sent.length]).toEqual([1, 2]);
	});

	test.each([401, 403, 503])('and got one that the service responds with %i: that response', async (status) => {
		const { outcome, learnt, sent } = await sendRenewable(rejected, thrown(status));
		expect(outcome).toEqual({ kind: 'response', status, headers: {}, body: { second: true }, garbled: false });
		expect([learnt, sent.length]).toEqual([1, 2]);
	});

	test('and got one, and then no response: that failure', async () => {
		const reset = Object.assign(networkError('ECONNRESET', 'with sk_live_secret'), { config: { url: URL_OF_READ } });
		expect((await sendRenewable(rejected, reset)).outcome).toEqual({
			kind: 'failure',
			code: 'ECONNRESET',
			detail: 'with ***',
		});
	});

	test('at a token server that fails: a failure of that server, whose response is not read', async () => {
		const body = new ScriptedBody([]);
		const error = Object.assign(thrown(503, 'https://auth.example.com/token'), {
			message: 'failed with sk_live_secret',
			response: { status: 503, headers: {}, data: body },
		});
		const { outcome, sent } = await sendRenewable(rejected, error);
		expect(outcome).toEqual({ kind: 'failure', code: 'TOKEN_SERVER_FAILED', detail: 'failed with ***' });
		expect(sent).toHaveLength(2);
		expect(body.destroyed).toBe(0);
	});

	describe('on n8n 1.x, which does not say which request failed', () => {
		test('is asked for without a renewal: what responds now is the response', async () => {
			const { outcome, sent } = await sendRenewable(rejected, inN8n1('503'), { body: { third: true } });
			expect(outcome).toMatchObject({ status: 200, body: { third: true } });
			expect(sent[2]).toMatchObject({ ignoreHttpStatusErrors: true });
		});

		test('it was the service that rejected the new token', async () => {
			const { outcome } = await sendRenewable(rejected, inN8n1('401'), rejected);
			expect(outcome).toMatchObject({ kind: 'response', status: 401 });
		});

		test('it was the token server that failed, when the service still rejects the old one', async () => {
			const { outcome, sent } = await sendRenewable(rejected, inN8n1('503'), rejected);
			expect(outcome).toEqual({ kind: 'failure', code: 'TOKEN_SERVER_FAILED', detail: 'failed with ***' });
			expect(sent).toHaveLength(3);
		});
	});

	test('one that cannot be renewed is not asked twice, and its secrets do not change', async () => {
		const wire = new ScriptedWire([rejected]);
		const learnSecrets = jest.fn();
		await expect(send(wire.functions, { ...connectionOf('key'), learnSecrets }, read, 7_000)).resolves.toMatchObject({
			status: 401,
		});
		expect(wire.sent).toHaveLength(1);
		expect(learnSecrets).not.toHaveBeenCalled();
	});
});

describe('no response', () => {
	test.each<[string, (error: Error) => Error]>([
		['as axios throws it', (error) => error],
		['as n8n wraps it', (error) => new Error('wrapped', { cause: error })],
	])('is a failure, without secrets: %s', async (_name, wrap) => {
		const { outcome } = await sendOnce(wrap(networkError('ECONNRESET', 'reset with sk_live_secret')));
		expect(outcome).toEqual({ kind: 'failure', code: 'ECONNRESET', detail: 'reset with ***' });
	});

	test('a status that was thrown after all is a response', async () => {
		const thrown = Object.assign(networkError('ERR_BAD_REQUEST'), {
			response: { status: 404, headers: { a: 'b' }, data: '{"c":1}' },
		});
		expect((await sendOnce(thrown)).outcome).toEqual({
			kind: 'response',
			status: 404,
			headers: { a: 'b' },
			body: { c: 1 },
			garbled: false,
		});
	});

	test('a status without anything is one', async () => {
		const thrown = Object.assign(networkError('ERR_BAD_REQUEST'), { response: { status: 404 } });
		expect((await sendOnce(thrown)).outcome).toEqual({
			kind: 'response',
			status: 404,
			headers: {},
			body: undefined,
			garbled: false,
		});
	});

	test('because n8n sent nothing is n8n’s own error', async () => {
		const blocked = new Error('The address is blocked');
		await expect(sendOnce(blocked)).rejects.toBe(blocked);
	});
});
