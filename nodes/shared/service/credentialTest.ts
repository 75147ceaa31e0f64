import type { ICredentialsDecrypted, ICredentialTestFunctions, INodeCredentialTestResult } from 'n8n-workflow';
import { isObject } from '../isObject';
import { MAX_QUOTE } from './call';
import { parseApiKey, parseBaseUrl } from './connection/credentialFields';
import { Secrets } from './connection/secrets';
import { LIST_TRANSACTIONS } from './reads';
import { inTime, parseBody, readText } from './send/body';
import { readFacts } from './send/facts';
import { BLOCKED_BY_N8N, networkFailure } from './send/networkFailures';

// The cheapest documented read that names its scope (API document, Authentication).
const TEST_PATH = `${LIST_TRANSACTIONS.path}?page_size=1`;
const TEST_TIMEOUT_MS = 15_000;

function fail(message: string): INodeCredentialTestResult {
	return { status: 'Error', message };
}

/** The test is a function, because n8n shows only a code ("ECONNREFUSED") when a declared test request gets no response. */
async function leadRevenueApiTest(
	this: ICredentialTestFunctions,
	{ data = {} }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const baseUrl = parseBaseUrl(data.baseUrl);
	if ('problem' in baseUrl) return fail(baseUrl.problem);
	const apiKey = parseApiKey(data.apiKey);
	if ('problem' in apiKey) return fail(apiKey.problem);

	const secrets = new Secrets();
	secrets.add([String(data.apiKey)]);
	const redact = (text: string) => secrets.redact(text);
	const deadline = AbortSignal.timeout(TEST_TIMEOUT_MS);
	// n8n has no other request helper for a credential test.
	const { helpers } = this;
	try {
		const options = {
			method: 'GET',
			uri: baseUrl.url + TEST_PATH,
			headers: { Authorization: `Bearer ${apiKey.key}`, Accept: 'application/json' },
			timeout: TEST_TIMEOUT_MS,
			simple: false,
			followRedirect: false,
			resolveWithFullResponse: true,
			useStream: true,
		};
		const request = async () => (await helpers.request(options)) as { statusCode: number; body: unknown };
		const { statusCode, body } = await inTime(deadline, request);
		const read = parseBody(await readText(body, deadline).catch(() => ({ text: '' })), redact);
		return resultOf(statusCode, 'body' in read ? read.body : undefined);
	} catch (error) {
		return fail(unreachable(baseUrl.url, error));
	}
}

function resultOf(statusCode: number, body: unknown): INodeCredentialTestResult {
	const isPage = isObject(body) && Array.isArray(body.data) && 'next_cursor' in body;
	if (statusCode === 200 && isPage) return { status: 'OK', message: 'The service accepted the key' };
	if (statusCode >= 300 && statusCode < 400) {
		return fail("The service redirects to another address. Set the Base URL to the service's own address");
	}
	const said = readFacts(body).message.slice(0, MAX_QUOTE);
	return fail(`${problemWithStatus(statusCode)}${said === '' ? '' : `. The service says: ${said}`}`);
}

function problemWithStatus(statusCode: number): string {
	if (statusCode === 401) return 'The service rejected the API key: it is wrong, expired or revoked';
	if (statusCode === 403) return 'The API key is valid but lacks the scope revenue:read, which Get Revenue needs';
	if (statusCode === 429) return "The API key's rate limit is exceeded. Test again in a minute";
	if (statusCode >= 500) return `The service has a problem on its side (HTTP ${statusCode}). Test again later`;
	return `The server at the Base URL does not respond like the service (HTTP ${statusCode}). Check the Base URL`;
}

function unreachable(url: string, error: unknown): string {
	const errors = [error, error instanceof Error ? error.cause : undefined];
	const code = errors.map(codeOf).find((found) => found !== '');
	const { happened, next, nextInForm = next } = networkFailure(code ?? '');
	return `The test request to ${new URL(url).host} failed: ${happened}${code === undefined ? '' : ` (${code})`}. ${nextInForm}`;
}

function codeOf(error: unknown): string {
	if (!isObject(error)) return '';
	if ('code' in error) return String(error.code);
	return 'name' in error && BLOCKED_BY_N8N.test(String(error.name)) ? String(error.name) : '';
}

/** The test of the API key credential, under the name in each node's `testedBy`. */
export const credentialTests = { leadRevenueApiTest };
