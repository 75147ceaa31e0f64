import type { ICredentialsDecrypted, ICredentialTestFunctions, INodeCredentialTestResult } from 'n8n-workflow';
import { parseApiKey } from './service/apiKey';
import { parseBaseUrl } from './service/baseUrl';
import { inTime, isStream, parseBody, readBody } from './service/body';
import { Secrets } from './service/secrets';

interface TestAnswer {
	statusCode: number;
	body: unknown;
}

// The cheapest documented read that names its scope (API document, Authentication).
const TEST_PATH = '/v1/revenue/transactions/?page_size=1';
const TEST_TIMEOUT_MS = 15_000;

const LONGEST_QUOTE = 500;

const fail = (message: string): INodeCredentialTestResult => ({ status: 'Error', message });

/**
 * Tests the API key credential from its form. A function rather than a declared test request, because n8n shows the
 * bare error code ("ECONNREFUSED") when a declared one gets no answer.
 */
async function leadRevenueApiTest(
	this: ICredentialTestFunctions,
	{ data }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const baseUrl = parseBaseUrl(data?.baseUrl);
	if ('problem' in baseUrl) return fail(baseUrl.problem);
	const apiKey = parseApiKey(data?.apiKey);
	if ('problem' in apiKey) return fail(apiKey.problem);

	const secrets = new Secrets();
	secrets.add([String(data?.apiKey)]);
	const redact = (text: string) => secrets.redact(text);
	// A credential test is given no other request helper.
	const { helpers } = this;
	const deadline = AbortSignal.timeout(TEST_TIMEOUT_MS);
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
		const answer = await inTime(deadline, async () => (await helpers.request(options)) as TestAnswer);
		return verdict(answer.statusCode, await parsed(answer.body, redact, deadline));
	} catch (error) {
		return fail(unreachable(baseUrl.url, error));
	}
}

function verdict(statusCode: number, body: unknown): INodeCredentialTestResult {
	const said = serviceMessage(body).slice(0, LONGEST_QUOTE);
	const quoted = said === '' ? '' : `. The service says: ${said}`;
	if (statusCode === 200 && isPage(body)) return { status: 'OK', message: 'The service accepted the key' };
	if (statusCode === 401) {
		return fail(`The service did not accept the API key: it is wrong, expired or revoked${quoted}`);
	}
	if (statusCode === 403) {
		return fail(`The API key is valid but lacks the scope revenue:read, which Get Revenue needs${quoted}`);
	}
	if (statusCode === 429) {
		return fail(`The API key's request budget is spent. Test again in a minute${quoted}`);
	}
	if (statusCode >= 300 && statusCode < 400) {
		return fail('The service redirects to another address. Set the Base URL to where the service really is');
	}
	if (statusCode >= 500)
		return fail(`The service has a fault of its own (HTTP ${statusCode}). Test again later${quoted}`);
	return fail(
		`Something answers at the Base URL, but not like the service (HTTP ${statusCode}). Check the Base URL${quoted}`,
	);
}

/** What came back, without secrets; `undefined` when it cannot be read. */
async function parsed(body: unknown, redact: (text: string) => string, deadline: AbortSignal): Promise<unknown> {
	try {
		const text = isStream(body) ? await readBody(body, deadline) : body;
		return parseBody(typeof text === 'string' ? text : JSON.stringify(text), redact);
	} catch {
		return undefined;
	}
}

function isPage(page: unknown): boolean {
	return typeof page === 'object' && page !== null && 'data' in page && Array.isArray(page.data);
}

function serviceMessage(answer: unknown): string {
	if (typeof answer !== 'object' || answer === null || !('error' in answer)) return '';
	const { error } = answer;
	if (typeof error !== 'object' || error === null || !('message' in error)) return '';
	return typeof error.message === 'string' ? error.message : '';
}

function unreachable(url: string, error: unknown): string {
	const causes = [error, error instanceof Error ? error.cause : undefined];
	const code = causes
		.map((cause) => (typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : ''))
		.find((found) => found !== '');
	const { host } = new URL(url);
	if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `There is no host named ${host}. Check the Base URL`;
	if (code === 'ECONNABORTED' || code === 'ETIMEDOUT') return `${host} did not answer in time. Check the Base URL`;
	if (code !== undefined && /CERT|TLS|EPROTO|UNABLE_TO/.test(code)) {
		return `No secure connection to ${host} could be made (${code}). Check its certificate and the port in the Base URL`;
	}
	return `${host} could not be reached${code === undefined ? '' : ` (${code})`}. Check the Base URL and that the service is up`;
}

/** Every node that takes the credential offers this test, under the name its `testedBy` gives. */
export const credentialTests = { leadRevenueApiTest };
