import { Readable } from 'node:stream';
import { credentialTests } from '../../../../nodes/shared/service/credentialTest.ts';

const API_KEY = 'sk_live_secret';
const PAGE = '{"data":[],"next_cursor":null}';
const said = (message: string) => JSON.stringify({ error: { type: 't', message, request_id: 'r' } });

type Scripted = { statusCode: number; body: unknown } | Error;

/** Tests a credential against one response. */
async function tested(outcome: Scripted, data: Record<string, unknown> = {}) {
	const asked: Array<Record<string, unknown>> = [];
	const request = async (options: Record<string, unknown>) => {
		asked.push(options);
		if (outcome instanceof Error) throw outcome;
		return outcome;
	};
	const functions = { helpers: { request } };
	const credential = { data: { baseUrl: 'https://api.example.com/', apiKey: API_KEY, ...data } };
	const result = await credentialTests.leadRevenueApiTest.call(functions as never, credential as never);
	return { ...result, asked };
}

describe('the test of the API key credential', () => {
	test('asks once, for one record, without following a redirect', async () => {
		const { status, asked } = await tested({ statusCode: 200, body: PAGE });
		expect(status).toBe('OK');
		expect(asked).toHaveLength(1);
		const uri = 'https://api.example.com/v1/revenue/transactions/?page_size=1';
		const headers = { Authorization: `Bearer ${API_KEY}`, Accept: 'application/json' };
		const response = { followRedirect: false, simple: false, resolveWithFullResponse: true, useStream: true };
		expect(asked[0]).toMatchObject({ method: 'GET', uri, headers, ...response, timeout: 15_000 });
	});

	test('sends the key as the nodes do, and shows it in no form', async () => {
		const unknown = { statusCode: 401, body: said(`unknown: ${API_KEY}`) };
		const { message, asked } = await tested(unknown, { apiKey: `\t ${API_KEY}\r\n` });
		expect(asked[0]).toMatchObject({ headers: { Authorization: `Bearer ${API_KEY}` } });
		expect(message).toContain('unknown: ***');
	});

	test('shows no short key either', async () => {
		const { message } = await tested({ statusCode: 401, body: said('unknown: abc1234') }, { apiKey: 'abc1234' });
		expect(message).toMatch(/The service says: unknown: \*\*\*$/);
	});

	test('takes a body that n8n has parsed', async () => {
		expect((await tested({ statusCode: 200, body: JSON.parse(PAGE) })).status).toBe('OK');
	});

	test.each<[number, unknown, RegExp]>([
		[401, said('no such key'), /wrong, expired or revoked\. The service says: no such key$/],
		[401, said('x'.repeat(600)), /The service says: x{500}$/],
		[403, said(''), /lacks the scope revenue:read, which Get Revenue needs$/],
		[429, said('slow down'), /rate limit is exceeded/],
		[302, '', /redirects to another address/],
		[300, PAGE, /redirects/],
		[500, '<html>', /problem on its side \(HTTP 500\)/],
		[503, '', /problem on its side \(HTTP 503\)/],
		[404, '<html>', /not respond like the service \(HTTP 404\)/],
		[200, '<html>', /not respond like the service \(HTTP 200\)/],
		[200, '{"data":{},"next_cursor":null}', /not respond like the service/],
		[200, '{"data":[]}', /not respond like the service/],
		[200, 'null', /not respond like the service/],
		[200, undefined, /not respond like the service/],
		[400, '{"error":"text"}', /not respond like the service \(HTTP 400\)\. Check the Base URL$/],
		[400, '{"error":{"message":7}}', /Check the Base URL$/],
	])('says what %i with %j means', async (statusCode, body, message) => {
		const expected = { status: 'Error', message: expect.stringMatching(message) };
		expect(await tested({ statusCode, body })).toMatchObject(expected);
	});

	test('says what a status means even where the body cannot be read', async () => {
		const body = new Readable({ read: () => body.destroy(new Error('cut off')) });
		expect((await tested({ statusCode: 401, body })).message).toMatch(/wrong, expired or revoked$/);
	});

	test('shows no key that the service repeats', async () => {
		const { message } = await tested({ statusCode: 401, body: said(`${API_KEY} is unknown, ${API_KEY} is`) });
		expect(message).toContain('*** is unknown, *** is');
	});

	test.each([
		[{ baseUrl: '' }, /Base URL is empty/],
		[{ baseUrl: 'http://api.example.com' }, /Base URL is not https/],
		[{ apiKey: '' }, /API Key is empty/],
		[{ apiKey: '  ' }, /API Key is empty/],
		[{ apiKey: '\u200b\n' }, /API Key is empty/],
		[{ apiKey: undefined }, /API Key is empty/],
	])('rejects %j without asking', async (data, message) => {
		const { status, message: told, asked } = await tested({ statusCode: 200, body: PAGE }, data);
		expect(status).toBe('Error');
		expect(told).toMatch(message);
		expect(asked).toEqual([]);
	});

	test.each<[unknown, RegExp]>([
		[{ code: 'ENOTFOUND' }, /: the service's host name could not be resolved \(ENOTFOUND\)\. Check the Base URL/],
		[{ code: 'EAI_AGAIN' }, /host name could not be resolved \(EAI_AGAIN\)/],
		[{ code: 'ETIMEDOUT' }, /did not respond in time \(ETIMEDOUT\)\. Check the Base URL and that no firewall/],
		[{ code: 'ESOCKETTIMEDOUT' }, /did not respond in time/],
		[{ code: 'CERT_HAS_EXPIRED' }, /no secure connection .* \(CERT_HAS_EXPIRED\)\. Check .* certificate is trusted/],
		[{ code: 'ECONNREFUSED' }, /could not be reached \(ECONNREFUSED\)\. Check the Base URL in the credential and that/],
		...['SsrfBlockedIpError', 'SsrfBlockedHostnameError'].map((name): [object, RegExp] => [
			{ name },
			/failed: n8n's SSRF protection blocks its address \(Ssrf.*\)\. If the service is in your own network, name it in N8N_SSRF_ALLOWED/,
		]),
		[{}, /^The test request to api\.example\.com failed: the connection to the service was lost\. Check the Base URL/],
		[{ cause: { code: 'ENOTFOUND' } }, /host name could not be resolved/],
	])('without a response (%j) says why', async (facts, message) => {
		const { status, message: told } = await tested(Object.assign(new Error('it failed'), facts));
		expect(status).toBe('Error');
		expect(told).toMatch(message);
	});
});
