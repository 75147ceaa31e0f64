import axios, { AxiosError } from 'axios';
import type { INode, JsonObject } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import { reasonOf, requestErrorIn } from '../../nodes/shared/service/thrown';

const node = { name: 'Node', type: 'test', typeVersion: 1, id: '1', position: [0, 0], parameters: {} } as INode;

/** What n8n 1.123.81 makes of an error: its NodeApiError has no cause. Shapes as measured there. */
function inN8n1(message: string, httpCode: string | null, original = message): Error {
	return Object.assign(new Error(message), { name: 'NodeApiError', cause: undefined, httpCode, messages: [original] });
}

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
		expect(requestErrorIn(thrown)).toEqual({ code: 'ECONNREFUSED', message: expect.stringContaining('ECONNREFUSED'), url });
	});

	test('a response came back', () => {
		const response = { status: 503, headers: { 'x-request-id': 'r' }, data: '{}' };
		const error = Object.assign(new AxiosError('Request failed', 'ERR_BAD_RESPONSE'), { response });
		expect(requestErrorIn(new NodeApiError(node, error as unknown as JsonObject))).toMatchObject({ status: 503, response });
	});

	test('a renewal that was refused is no request error, and tells why', () => {
		const refused = Object.assign(new Error('The grant is invalid'), { code: 'EAUTH', body: { error: 'invalid_grant' } });
		const thrown = new NodeApiError(node, refused as unknown as JsonObject);
		expect(requestErrorIn(thrown)).toBeUndefined();
		expect(reasonOf(thrown)).toBe('The grant is invalid');
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
		expect(requestErrorIn(inN8n1('The server is offline', code, original))).toEqual({ code, message: original });
	});

	test('a response that came back has a status', () => {
		expect(requestErrorIn(inN8n1('stream has been aborted', '200'))).toEqual({ code: '', message: 'stream has been aborted', status: 200 });
	});

	test.each([
		['a renewal that was refused', inN8n1('The grant is invalid', 'EAUTH')],
		['an answer of the token server that is none', inN8n1('Unsupported content type', 'ESTATUS')],
		['what has no code', inN8n1('OAuth credentials not connected', null)],
		['any other error', new TypeError('x is not a function')],
		['what is no error', 'a text'],
	])('no request error: %s', (_case, thrown) => {
		expect(requestErrorIn(thrown)).toBeUndefined();
		expect(reasonOf(thrown)).not.toBe('');
	});
});
