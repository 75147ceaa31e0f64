import { getEventListeners } from 'node:events';
import type { ServiceFunctions } from '../../../../../nodes/shared/service/connection/connection.ts';
import { noResponseOf, responseOf } from '../../../../support/scripted/outcomes.ts';
import { LIST, sendOnce, sendThrough } from '../../../../support/scripted/sending.ts';
import { timeInHand } from '../../../../support/scripted/timeInHand.ts';
import { connectionOf, networkError, ScriptedBody, ScriptedWire } from '../../../../support/scripted/wire.ts';

describe('what came back', () => {
	test.each<[string, string, unknown]>([
		['JSON', '{"a":1}', { a: 1 }],
		['JSON after a byte order mark', '\ufeff{"a":1}', { a: 1 }],
		['nothing', '', undefined],
		['white space', ' \r\n', undefined],
		['a number that JSON.parse would round', '{"id":12345678901234567890}', { id: '12345678901234567890' }],
	])('%s', async (_name, body, expected) => {
		expect((await sendOnce({ body })).outcome).toEqual(responseOf(200, { body: expected }));
	});

	test('that is not UTF-8 cannot be used in a success, and is read as far as it goes in a rejection', async () => {
		const body = () => new ScriptedBody([Buffer.from('{"error":{"message":"Zoë"}}', 'latin1')]);
		expect((await sendOnce({ body: body() })).outcome).toMatchObject({ unusable: 'was cut off or not JSON' });
		expect((await sendOnce({ status: 400, body: body() })).outcome).toMatchObject({ message: 'Zo\ufffd' });
	});

	test('is redacted of secrets of eight characters and more: a shorter one may be a part of any word', async () => {
		const redact = jest.fn((text: string) => text);
		await sendOnce({ headers: { a: 'in a header' }, body: '{}' }, LIST, { ...connectionOf('one'), redact });
		expect(redact.mock.calls).toEqual(['in a header', '{}'].map((text) => [text, 8]));
	});
});

describe('a body that comes in parts', () => {
	const broken = (code?: string) =>
		Object.assign(new Error('broken off near sk_live_secret'), code === undefined ? {} : { code });

	test.each([
		['ECONNRESET', 'ECONNRESET'],
		[undefined, ''],
	])('and breaks off (%s) is no response', async (code, expected) => {
		const { outcome } = await sendOnce({ body: new ScriptedBody([Buffer.from('{')], broken(code)) });
		expect(outcome).toEqual(noResponseOf(expected, 'broken off near ***'));
	});

	test.each([
		['breaks off', new ScriptedBody([], broken('ECONNRESET'))],
		['cannot be used', '<html>'],
	])('of what was rejected leaves it rejected, and says nothing of it, when it %s', async (_how, body) => {
		expect((await sendOnce({ status: 403, body })).outcome).toEqual(responseOf(403));
	});
});

describe('the time for a response', () => {
	test('is what the node allows, in whole milliseconds', async () => {
		const { timeouts } = timeInHand();
		await sendThrough(new ScriptedWire([{}]).functions, connectionOf('one'), { timeoutMs: 6_999.2 });
		expect(timeouts).toEqual([7_000]);
	});

	test('ends a request of which nothing comes back', async () => {
		const { end } = timeInHand();
		const functions = { helpers: { httpRequestWithAuthentication: async () => await new Promise(() => {}) } } as never;
		const outcome = sendThrough(functions, connectionOf('one'));
		end();
		await expect(outcome).resolves.toEqual(noResponseOf('ETIMEDOUT', 'the response did not arrive in time'));
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
		const cancellation = cancel !== undefined && { getExecutionCancelSignal: () => cancel };
		const functions = { helpers: { httpRequestWithAuthentication: helper }, ...cancellation };
		return { functions: functions as never as ServiceFunctions, signals };
	}
	const outcome = { statusCode: 200, headers: {}, body: '{}' };

	test('aborts when it is over, so that nothing is left of the connection', async () => {
		const { functions, signals } = asking((signal) => (expect(signal.aborted).toBe(false), outcome));
		await expect(sendThrough(functions, connectionOf('one'))).resolves.toMatchObject({ status: 200 });
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
		await sendThrough(functions, connectionOf('one'));
		expect(wasAborted).toEqual([false, true]);
		const idle = new AbortController();
		await sendThrough(asking(() => outcome, idle.signal).functions, connectionOf('one'));
		expect(getEventListeners(idle.signal, 'abort')).toHaveLength(0);
	});

	test('is aborted from the start when the execution was', async () => {
		const respond = (signal: AbortSignal) => ({ ...outcome, statusCode: signal.aborted ? 299 : 200 });
		const { functions, signals } = asking(respond, AbortSignal.abort());
		await expect(sendThrough(functions, connectionOf('one'))).resolves.toMatchObject({ status: 299 });
		expect(signals).toHaveLength(1);
	});
});

test('n8n reads the credential anew for each request, and its own functions use that; they stay as they are', async () => {
	/** Functions as n8n's are: methods of a class, which call each other. */
	class Functions {
		readonly helpers = {
			async httpRequestWithAuthentication(this: Functions) {
				return { statusCode: 200, headers: {}, body: await this.key() };
			},
		};
		private readonly item = 7;

		async key() {
			return { item: this.item, ...(await this.getCredentials()) };
		}

		async getCredentials(): Promise<object> {
			return { key: 'of n8n' };
		}
	}
	const functions = Object.freeze(new Functions());
	const connection = { ...connectionOf('one'), read: async () => ({ key: 'known' }) };
	expect(await sendThrough(functions as never, connection)).toMatchObject({ body: { item: 7, key: 'known' } });
	expect(await functions.key()).toEqual({ item: 7, key: 'of n8n' });
});

describe('no response', () => {
	test.each<[string, (error: Error) => Error]>([
		['as axios throws it', (error) => error],
		['as n8n wraps it', (error) => new Error('wrapped', { cause: error })],
	])('is a failure, without secrets: %s', async (_name, wrap) => {
		const { outcome } = await sendOnce(wrap(networkError('ECONNRESET', 'reset with sk_live_secret')));
		expect(outcome).toEqual(noResponseOf('ECONNRESET', 'reset with ***'));
	});

	test.each([
		['with headers and a body', { headers: { a: 'b' }, data: '{"c":1}' }, { headers: { a: 'b' }, body: { c: 1 } }],
		['without anything', {}, {}],
	])('a status that was thrown after all is a response: %s', async (_what, response, expected) => {
		const thrown = Object.assign(networkError('ERR_BAD_REQUEST'), { response: { status: 404, ...response } });
		expect((await sendOnce(thrown)).outcome).toEqual(responseOf(404, expected));
	});

	test('because n8n sent nothing is n8n’s own error', async () => {
		const thrown = new Error('The address is blocked');
		expect((await sendOnce(thrown)).outcome).toEqual({ kind: 'unsent', thrown });
	});
});
