import type { IDataObject } from 'n8n-workflow';
import type { Credential } from '../../../scripts/n8n/session.ts';
import { outputItems } from '../../../scripts/n8n/session.ts';
import { byId, nodeOf } from '../../../scripts/n8n/workflows.ts';
import { N8nHost } from '../../support/host/n8nHost.ts';
import { fedChain } from '../../support/host/workflows.ts';
import type { TestOrganization } from '../../support/service.ts';
import { organization } from '../../support/service.ts';

let host: N8nHost;
let org: TestOrganization;
let blocked: Credential;
beforeAll(async () => {
	// The service has a private address, and only its name is allowed.
	host = await N8nHost.start({ env: { N8N_SSRF_ALLOWED_IP_RANGES: '', N8N_SSRF_ALLOWED_HOSTNAMES: 'localhost' } });
	org = await organization({ leads: 250 });
	blocked = await host.session.createCredential('blocked', 'leadRevenueApi', org.credential);
});
afterAll(async () => {
	await host.end();
});

const NODES: Array<[type: string, parameters: IDataObject]> = [
	['listLeads', { returnAll: true }],
	['getRevenue', { operation: 'getTransactions', returnAll: true }],
	['tagLead', { lead: byId('lead_1'), tagId: 1 }],
	[
		'createKeywordAutomation',
		{ name: 'Prices', keywords: ['price'], commentType: 'ANY_POST', replies: ['Thanks!'], isActive: false },
	],
];

test.each(NODES)('%s sends nothing to an address that n8n blocks, and the error says whom to ask', async (...node) => {
	const nodes = [nodeOf('Node', node[0], blocked, node[1])];
	const execution = await host.session.runNew(fedChain(node[0], 'manual', [{}], nodes));
	expect(execution.error?.message).toBe('The request was blocked because it resolves to a restricted IP address');
	expect(execution.error?.description).toMatch(
		/^The target 127\.0\.0\.1 is not allowed\. .*ask your n8n administrator/,
	);
	expect(JSON.stringify(execution)).not.toContain(org.keys.full);
	expect(host.logs).not.toContain(org.keys.full);
	expect(await org.journal()).toEqual([]);
});

test('the test of the credential names the variables to set', async () => {
	const { status, message } = await host.session.testCredential(blocked, org.credential);
	expect(status).toBe('Error');
	expect(message).toMatch(/^The test request to 127\.0\.0\.1:\d+ failed: n8n's SSRF protection blocks its address/);
	expect(message).toContain('N8N_SSRF_ALLOWED_HOSTNAMES');
	expect(message).not.toContain(org.keys.full);
	expect(await org.journal()).toEqual([]);
});

test('a service whose host name is allowed is read in full', async () => {
	const baseUrl = org.credential.baseUrl.replace('127.0.0.1', 'localhost');
	const data = { ...org.credential, baseUrl };
	const allowed = await host.session.createCredential('allowed', 'leadRevenueApi', data);
	expect(await host.session.testCredential(allowed, data)).toMatchObject({ status: 'OK' });
	const leads = nodeOf('Node', 'listLeads', allowed, { returnAll: true });
	const execution = await host.session.runNew(fedChain('allowed', 'manual', [{}], [leads]));
	expect(execution.error).toBeUndefined();
	expect(outputItems(execution, 'Node')).toHaveLength(250);
});
