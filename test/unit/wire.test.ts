import type { Call } from '../../nodes/shared/service/call';
import { send } from '../../nodes/shared/service/wire';
import type { Scripted } from '../support/scriptedWire';
import { connectionOf, networkError, ScriptedWire } from '../support/scriptedWire';

const read: Call = { method: 'GET', path: '/v1/leads/', query: { page_size: 5 }, purpose: 'list leads', needs: '' };
const write: Call = { method: 'POST', path: '/v1/x/', body: { a: 1 }, idempotencyKey: 'key', purpose: 'make a change', needs: '' };

async function sendOnce(scripted: Scripted, call = read, connection = connectionOf('one')) {
	const wire = new ScriptedWire([scripted]);
	const answer = await send(wire.functions, connection, call, 7_000);
	return { answer, options: wire.sent[0] };
}

describe('what is sent', () => {
	test('for a read', async () => {
		const { options } = await sendOnce({});
		expect(options).toMatchObject({ method: 'GET', url: 'https://api.example.com/v1/leads/', qs: { page_size: 5 }, timeout: 7_000 });
		expect(options).toMatchObject({ headers: { Accept: 'application/json' }, disableFollowRedirect: true, ignoreHttpStatusErrors: true });
		expect(options).not.toHaveProperty('body');
	});

	test('for a write', async () => {
		const { options } = await sendOnce({}, write);
		expect(options).toMatchObject({ method: 'POST', body: { a: 1 } });
		expect(options?.headers).toEqual({ Accept: 'application/json', 'Content-Type': 'application/json', 'Idempotency-Key': 'key' });
		expect(options).not.toHaveProperty('qs');
	});

	test('goes the way the user set for the node', async () => {
		const transport = { proxy: { host: 'proxy', port: 1 }, skipSslCertificateValidation: true, allowedDomains: 'example.com' };
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
		const { answer } = await sendOnce({ body });
		expect(answer).toEqual({ kind: 'response', status: 200, headers: {}, body: expected, garbled: false });
	});

	test.each(['<html>', '{"a":', '{"a":1}{'])('%j is garbled', async (body) => {
		expect((await sendOnce({ body })).answer).toMatchObject({ kind: 'response', body: undefined, garbled: true });
	});

	test('has its headers in lower case', async () => {
		expect((await sendOnce({ headers: { 'X-Request-ID': 'r', 'Retry-After': '1' } })).answer).toMatchObject({
			headers: { 'x-request-id': 'r', 'retry-after': '1' },
		});
	});
});

describe('no answer', () => {
	test.each<[string, (error: Error) => Error]>([
		['as axios throws it', (error) => error],
		['as n8n wraps it', (error) => new Error('wrapped', { cause: error })],
	])('is a failure, without secrets: %s', async (_name, wrap) => {
		const { answer } = await sendOnce(wrap(networkError('ECONNRESET', 'reset with sk_live_secret')));
		expect(answer).toEqual({ kind: 'failure', code: 'ECONNRESET', detail: 'reset with ***' });
	});

	test('a status that was thrown after all is an answer', async () => {
		const thrown = Object.assign(networkError('ERR_BAD_REQUEST'), { response: { status: 404, headers: { a: 'b' }, data: '{"c":1}' } });
		expect((await sendOnce(thrown)).answer).toEqual({ kind: 'response', status: 404, headers: { a: 'b' }, body: { c: 1 }, garbled: false });
	});

	test('because n8n sent nothing is n8n’s own error', async () => {
		const blocked = new Error('The address is blocked');
		await expect(sendOnce(blocked)).rejects.toBe(blocked);
	});
});
