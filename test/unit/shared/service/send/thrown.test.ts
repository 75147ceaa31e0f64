import axios, { AxiosError } from 'axios';
import type { INode, JsonObject } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import { afterThrown, innermostMessage } from '../../../../../nodes/shared/service/send/thrown.ts';

const node = { name: 'Node', type: 'test', typeVersion: 1, id: '1', position: [0, 0], parameters: {} } as INode;

const URL = 'https://api.example.com/v1/leads/';

const after = (thrown: unknown) => afterThrown(thrown, URL);

const unknown = (code: string, detail: string) => ({ kind: 'no response', code, detail, of: 'unknown' });

/** Returns what n8n 1.123.81 makes of an error: its NodeApiError has no cause. Shapes as measured there. */
const inN8n1 = (message: string, httpCode: string | null, original = message): Error =>
	Object.assign(new Error(message), { name: 'NodeApiError', cause: undefined, httpCode, messages: [original] });

/** Returns what n8n 2.x throws for an error with this message and these facts. */
const asThrown = (message: string, facts: object) =>
	new NodeApiError(node, Object.assign(new Error(message), facts) as unknown as JsonObject);

async function axiosErrorOf(url: string): Promise<AxiosError> {
	try {
		await axios.get(url, { proxy: false });
	} catch (error) {
		if (error instanceof AxiosError) return error;
	}
	throw new Error('the request did not fail as it should');
}

describe('n8n 2.x, which keeps the axios error as the cause', () => {
	test('nothing came back', async () => {
		const url = 'http://127.0.0.1:9/v1/leads/';
		const thrown = new NodeApiError(node, (await axiosErrorOf(url)) as unknown as JsonObject);
		const failure = { kind: 'no response', code: 'ECONNREFUSED', detail: expect.stringContaining('ECONNREFUSED') };
		expect(afterThrown(thrown, url)).toEqual({ ...failure, of: 'this request' });
		expect(after(thrown)).toEqual({ ...failure, of: 'another' });
	});

	test.each([`${URL}?page_size=5`, undefined])('a response came back, from %s', (url) => {
		const response = { status: 503, headers: { 'x-request-id': 'r' }, data: '{}' };
		const error = Object.assign(new AxiosError('failed', 'ERR_BAD_RESPONSE'), { config: { url }, response });
		expect(after(new NodeApiError(node, error as unknown as JsonObject))).toMatchObject(response);
	});

	test('a response of another server came back', () => {
		const error = { config: { url: 'https://auth.example.com/token' }, response: { status: 503 } };
		const thrown = Object.assign(new AxiosError('failed', 'ERR_BAD_RESPONSE'), error);
		expect(after(thrown)).toEqual({ kind: 'no response', code: 'ERR_BAD_RESPONSE', detail: 'failed', of: 'another' });
	});

	test('a renewal that was rejected sent nothing, and tells why', () => {
		const thrown = asThrown('The grant is invalid', { code: 'EAUTH', body: { error: 'invalid_grant' } });
		expect(after(thrown)).toEqual({ kind: 'unsent', thrown });
		expect(innermostMessage(thrown)).toBe('The grant is invalid');
	});

	test.each([
		['HTTP status 429', 'HTTP status 429'],
		['Expected JSON (none) but received: at-new', 'Expected JSON (none)'],
	])('the token server limits the rate: it failed, and no token is quoted (%s)', (message, detail) => {
		const failure = { kind: 'no response', code: 'ESTATUS', detail, of: 'another' };
		expect(after(asThrown(message, { code: 'ESTATUS', status: 429 }))).toEqual(failure);
	});

	test("the token server limits the rate as the service does: n8n's client keeps only the body", () => {
		const facts = { code: 'EAUTH', body: { error: { message: 'Too many', retry_after: 1 } } };
		const failure = { kind: 'no response', code: 'EAUTH', detail: 'Too many', of: 'another' };
		expect(after(asThrown('[object Object]', facts))).toEqual(failure);
	});

	test.each([
		[{ error: { message: 'The grant was revoked' } }, 'The grant was revoked'],
		[{ error: {} }, 'the token server rejected it'],
	])("a renewal that was rejected in the service's form tells why: %j", (body, reason) => {
		expect(innermostMessage(asThrown('[object Object]', { code: 'EAUTH', body }))).toBe(reason);
	});

	test.each([
		{ status: 400, code: 'ESTATUS' },
		{ status: 200, code: 'ESTATUS' },
		{ body: { error: 'slow_down' }, code: 'EAUTH' },
		{ body: { error: { message: 'no' } }, code: 'EAUTH' },
	])('any other response of the token server may be final: %j', (facts) => {
		const thrown = asThrown('failed', facts);
		expect(after(thrown)).toEqual({ kind: 'unsent', thrown });
	});
});

describe('n8n 1.x, which loses the cause', () => {
	test.each([
		['ECONNRESET', 'read ECONNRESET'],
		['ECONNABORTED', 'timeout of 1000ms exceeded'],
		['ERR_CANCELED', 'canceled'],
		['DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate'],
		['ERR_INVALID_URL', 'Invalid URL'],
		['EAI_AGAIN', 'getaddrinfo EAI_AGAIN'],
	])('nothing came back: %s, with the message as it was', (code, original) => {
		expect(after(inN8n1('The server is offline', code, original))).toEqual(unknown(code, original));
	});

	test('a response that came back has a status', () => {
		const message = 'stream has been aborted';
		expect(after(inN8n1(message, '200'))).toEqual({ ...unknown('', message), status: 200 });
	});

	test.each([
		['a renewal that was rejected', inN8n1('The grant is invalid', 'EAUTH')],
		['a credential without a refresh token', inN8n1('refreshToken is required', 'ERR_ASSERTION')],
		['what has no code', inN8n1('OAuth credentials not connected', null)],
		['any other error', new TypeError('x is not a function')],
		['what is no error', 'a text'],
	])('nothing was sent: %s', (_case, thrown) => {
		expect(after(thrown)).toEqual({ kind: 'unsent', thrown });
		expect(innermostMessage(thrown)).not.toBe('');
	});
});

describe('what an error is about', () => {
	test('an axios error says so itself', () => {
		expect(after({ isAxiosError: true })).toEqual(unknown('', ''));
		for (const thrown of [{ isAxiosError: false, code: 'ECONNRESET' }, null, new Error('wrapped', { cause: null })]) {
			expect(after(thrown)).toEqual({ kind: 'unsent', thrown });
		}
	});

	const CODES = ['XEAUTH', 'EAUTHX', 'XERR_ASSERTION', 'ERR_ASSERTIONX', 'A', 'E2_B3'];

	test.each(CODES)('in n8n 1.x %s is a code', (code) => {
		expect(after(inN8n1('failed', code))).toEqual(unknown(code, 'failed'));
	});

	test.each(['econnreset', 'E CONN', '-E', 'E_', '4041', '40', 'x404'])('in n8n 1.x %s is no code', (code) => {
		expect(after(inN8n1('failed', code))).toMatchObject({ kind: 'unsent' });
	});

	test('one with a cause of its own is about that', () => {
		const cause = new Error('the grant is invalid');
		const thrown = Object.assign(new Error('failed', { cause }), { httpCode: '503' });
		expect(after(thrown)).toEqual({ kind: 'unsent', thrown });
		expect(innermostMessage(new Error('outer', { cause: new Error('inner', { cause }) }))).toBe('the grant is invalid');
		expect(innermostMessage(new Error('outer', { cause: 'a text' }))).toBe('outer');
		expect(innermostMessage(new Error('Expected JSON (none) but received: a\nb'))).toBe('Expected JSON (none)');
	});

	const OTHERS = [{}, { messages: 'several' }, { messages: [] }, { messages: [7] }];

	test.each(OTHERS)('in n8n 1.x the message is its own where there is no other: %j', (more) => {
		const thrown = Object.assign(new Error('failed'), { cause: undefined, httpCode: '503' }, more);
		expect(after(thrown)).toEqual({ ...unknown('', 'failed'), status: 503 });
	});
});
