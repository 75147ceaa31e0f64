import type { IDataObject } from 'n8n-workflow';
import type { Execution } from '../../scripts/n8n/session.ts';
import { outputItems } from '../../scripts/n8n/session.ts';
import { byId, nodeOf } from '../../scripts/n8n/workflows.ts';
import { draft } from '../support/engine/writes.ts';
import { N8nHost } from '../support/host/n8nHost.ts';
import { fedChain } from '../support/host/workflows.ts';
import type { TestOrganization } from '../support/service.ts';
import { leadIds, organization, sandboxUrl } from '../support/service.ts';

const host = N8nHost.shared();

const NODES: Array<[string, IDataObject]> = [
	['tagLead', { lead: byId('={{ $json.lead }}'), tagId: '={{ $json.tag }}' }],
	['createKeywordAutomation', draft],
	['listLeads', { returnAll: true }],
	['getRevenue', { operation: 'getTransactions', returnAll: true }],
];

/** Runs a node on items of two organizations in turn. Returns the execution, and the first digits of each organization's statuses. */
async function runInTurn(
	type: string,
	parameters: IDataObject,
	settings: object = {},
	change = (json: IDataObject, _index: number) => json,
) {
	const orgs = [await organization({ leads: 1, transactions: 1 }), await organization({ leads: 1, transactions: 1 })];
	const items = await Promise.all(
		[0, 1, 2, 3].map(async (index) => {
			const org = orgs[index % 2] as TestOrganization;
			const { apiKey: key, baseUrl: base } = org.credential;
			const [lead] = await leadIds(org, 1);
			return change({ key, base, lead, tag: org.manualTag }, index);
		}),
	);
	const fields = { baseUrl: '={{ $json.base }}', apiKey: '={{ $json.key }}' };
	const credential = await host.session.createCredential(`Each its own: ${type}`, 'leadRevenueApi', fields);
	const execution: Execution = await host.session.runNew(
		fedChain(`each its own: ${type}`, 'manual', items, [nodeOf('Node', type, credential, parameters, settings)]),
	);
	const requests = await Promise.all(
		orgs.map(async (org) => (await org.journal()).map(({ status }) => Math.floor((status ?? 0) / 100)).slice(2)),
	);
	return { execution, requests };
}

test.each(NODES)(
	'%s sends each item with the key, and to the address, of its expressions',
	async (type, parameters) => {
		const { execution, requests } = await runInTurn(type, parameters);
		expect(execution.error).toBeUndefined();
		expect(outputItems(execution, 'Node')).toHaveLength(4);
		// Without the two requests that read the lead.
		expect(requests).toEqual([
			[2, 2],
			[2, 2],
		]);
	},
);

test.each(NODES)('%s: an item without a key fails alone', async (type, parameters) => {
	const without = ({ key, ...rest }: IDataObject, index: number) => (index === 0 ? rest : { key, ...rest });
	const { execution, requests } = await runInTurn(type, parameters, { onError: 'continueRegularOutput' }, without);
	const outputs = outputItems(execution, 'Node');
	expect(outputs[0]?.json.error).toBe(
		'The credential cannot be used: API Key is empty. Enter the key of your organization',
	);
	expect(outputs.slice(1).every(({ json }) => json.error === undefined)).toBe(true);
	expect(requests).toEqual([[2], [2, 2]]);
});

test('the lead picker reports that there is no item', async () => {
	const credential = await host.session.createCredential('of items', 'leadRevenueApi', {
		baseUrl: sandboxUrl,
		apiKey: '={{ $json.key }}',
	});
	const { type, typeVersion, credentials } = nodeOf('Node', 'tagLead', credential, {});
	const request = host.session.request('POST', '/rest/dynamic-node-parameters/resource-locator-results', {
		nodeTypeAndVersion: { name: type, version: typeVersion },
		path: 'parameters.lead',
		methodName: 'searchLeads',
		currentNodeParameters: { authentication: 'apiKey' },
		credentials,
	});
	await expect(request).rejects.toThrow(
		'The credential cannot be used: an expression in it has no input item to read here',
	);
});
