import { createServer } from 'node:http';
import type { IDataObject } from 'n8n-workflow';
import { listen } from '../../scripts/lib/listen.ts';
import type { Credential, Execution, WorkflowNode } from '../../scripts/n8n/session.ts';
import { outputItems } from '../../scripts/n8n/session.ts';
import { n8nNode, nodeOf } from '../../scripts/n8n/workflows.ts';
import { connectedTo } from '../support/engine/oauth.ts';
import { N8nHost } from '../support/host/n8nHost.ts';
import { fedChain } from '../support/host/workflows.ts';
import { HOST } from '../support/hostUnderTest.ts';
import type { TestOrganization } from '../support/service.ts';
import { control, organization } from '../support/service.ts';
import { testUnless } from '../support/unless.ts';

const host = N8nHost.shared();

/** A path that neither the nodes nor the sandbox have: the sandbox finds out who requests it, and responds 404. */
const UNKNOWN_PATH = '/v1/bookings/';

const KINDS = {
	'API key': async (org: TestOrganization, more: object = {}) =>
		await host.session.createCredential('HTTP', 'leadRevenueApi', { ...org.credential, ...more }),
	OAuth2: async (org: TestOrganization, more: object = {}) => {
		const { credential } = await connectedTo(org);
		// n8n adds the empty defaults of a form only when a user opens it.
		return await host.session.createCredential('HTTP', 'leadRevenueOAuth2Api', { ...credential, ...more });
	},
};

/** n8n's HTTP Request node in the newest version of the n8n under test, with one of this package's credentials. */
function httpRequest(credential: Credential, url: string, parameters: IDataObject = {}): WorkflowNode {
	const authentication = { authentication: 'predefinedCredentialType', nodeCredentialType: credential.type };
	const version = HOST === 'n8n-1' ? 4.3 : 4.5;
	return n8nNode('HTTP', 'httpRequest', version, { ...authentication, url, options: {}, ...parameters }, credential);
}

async function run(...nodes: WorkflowNode[]): Promise<Execution> {
	return await host.session.runNew(fedChain('HTTP Request', 'manual', [{}], nodes));
}

/** Runs HTTP Request against a service that redirects to another address. Returns the credentials that arrive there. */
async function redirected(org: TestOrganization, credential: Credential, settings: object = {}) {
	const arrived: Array<string | undefined> = [];
	const elsewhere = createServer((request, response) => {
		arrived.push(request.headers.authorization);
		response.setHeader('content-type', 'application/json').end('{}');
	});
	const { port } = await listen(elsewhere);
	const location = `http://localhost:${port}/`;
	try {
		await org.meets({ action: 'status', status: 302, headers: { location } });
		await run({ ...httpRequest(credential, `${org.credential.baseUrl}/v1/leads/`), ...settings });
	} finally {
		elsewhere.close();
	}
	return arrived;
}

describe.each(Object.entries(KINDS))('n8n’s HTTP Request node with the credential for %s', (kind, credentialFor) => {
	test('reads', async () => {
		const org = await organization({ leads: 3 });
		const execution = await run(httpRequest(await credentialFor(org), `${org.credential.baseUrl}/v1/leads/`));
		expect(execution.error).toBeUndefined();
		expect(outputItems(execution, 'HTTP')[0]?.json.data).toHaveLength(3);
	});

	test('writes, with an Idempotency-Key that the user sets', async () => {
		const org = await organization({ leads: 1 });
		const key = '2f1e4fc0-81fd-4a2e-9bd4-4d6a7a3b1c0d';
		const writing = httpRequest(await credentialFor(org), `${org.credential.baseUrl}/v1/automations/keyword/`, {
			method: 'POST',
			sendHeaders: true,
			headerParameters: { parameters: [{ name: 'Idempotency-Key', value: key }] },
			sendBody: true,
			specifyBody: 'json',
			jsonBody: JSON.stringify({
				name: 'Prices',
				is_active: false,
				keywords: ['price'],
				comment_type: 'ANY_POST',
				replies: [{ text: 'Here' }],
			}),
		});
		const execution = await run(writing, { ...writing, id: 'again', name: 'Again' });
		expect(execution.error).toBeUndefined();
		expect((await control.automations(org.id)).map(({ idempotency_key: sent }) => sent)).toEqual([key]);
	});

	test('is recognized on a path that the nodes do not have', async () => {
		const org = await organization();
		const execution = await run(httpRequest(await credentialFor(org), org.credential.baseUrl + UNKNOWN_PATH));
		expect(execution.error?.httpCode).toBe('404');
		expect((await org.journal()).map(({ path, status, key_id: keyId }) => [path, status, keyId !== null])).toEqual([
			[UNKNOWN_PATH, 404, true],
		]);
	});

	const whyNot = HOST === 'n8n-1' ? 'n8n 1.x checks only redirects' : undefined;
	testUnless(whyNot, 'sends nothing to a domain that the credential does not allow, and the nodes work', async () => {
		const org = await organization({ transactions: 1 });
		const domains = (allowedDomains: string) => ({ allowedHttpRequestDomains: 'domains', allowedDomains });
		const url = `${org.credential.baseUrl}/v1/revenue/transactions/`;
		const rejected = await run(httpRequest(await credentialFor(org, domains('api.example.com')), url));
		expect(rejected.error?.message).toMatch(/not allowed/);
		expect(await org.journal()).toEqual([]);
		const own = await credentialFor(org, domains(new URL(url).hostname));
		const accepted = await run(
			httpRequest(own, url),
			nodeOf('Revenue', 'getRevenue', own, {
				authentication: kind === 'OAuth2' ? 'oAuth2' : 'apiKey',
				operation: 'getTransactions',
			}),
		);
		expect(accepted.error).toBeUndefined();
		expect(outputItems(accepted, 'Revenue')).toHaveLength(1);
	});

	test(`follows a redirect to another address, ${HOST === 'n8n-1' ? 'with' : 'and only before version 4.4 with'} the credential`, async () => {
		const org = await organization({ leads: 1 });
		const credential = await credentialFor(org);
		const [newest, older] = [
			await redirected(org, credential),
			await redirected(org, credential, { typeVersion: 4.2 }),
		];
		const withIt = [expect.stringMatching(/^Bearer ./)];
		expect([newest, older]).toEqual([HOST === 'n8n-1' ? withIt : [undefined], withIt]);
	});

	test('does not follow a redirect to a domain that the credential does not allow', async () => {
		const org = await organization({ leads: 1 });
		const { hostname } = new URL(org.credential.baseUrl);
		const credential = await credentialFor(org, { allowedHttpRequestDomains: 'domains', allowedDomains: hostname });
		expect(await redirected(org, credential)).toEqual([]);
		expect(await org.journal()).toHaveLength(1);
	});
});

test('n8n’s HTTP Request node renews an expired OAuth2 access token', async () => {
	const org = await organization({ leads: 2 });
	const credential = await KINDS.OAuth2(org);
	await control.expireOAuthTokens(org.id);
	const execution = await run(httpRequest(credential, `${org.credential.baseUrl}/v1/leads/`));
	expect(execution.error).toBeUndefined();
	expect(outputItems(execution, 'HTTP')[0]?.json.data).toHaveLength(2);
	expect((await org.journal()).map(({ status }) => status)).toEqual([401, 200]);
});

describe('what HTTP Request does not do, unlike the nodes of this package', () => {
	test('it does not wait for a rate limit', async () => {
		const org = await organization({ leads: 1 });
		await org.meets({ action: 'status', status: 429, headers: { 'retry-after': '1' } });
		const execution = await run(httpRequest(await KINDS['API key'](org), `${org.credential.baseUrl}/v1/leads/`));
		expect(execution.error?.httpCode).toBe('429');
		expect(await org.journal()).toHaveLength(1);
	});

	test('it does not hide a key that the service repeats', async () => {
		const org = await organization({ leads: 1 });
		const message = `the key ${org.keys.full} is on hold`;
		await org.meets({ action: 'status', status: 403, message });
		const execution = await run(
			httpRequest(await KINDS['API key'](org), `${org.credential.baseUrl}/v1/leads/`, {
				options: { response: { response: { neverError: true } } },
			}),
		);
		expect(outputItems(execution, 'HTTP')[0]?.json.error).toMatchObject({ message });
	});
});
