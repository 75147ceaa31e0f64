import { readFileSync } from 'node:fs';
import path from 'node:path';
import { N8nHost } from '../support/host/n8nHost.ts';

/**
 * Returns how the editor requests an output's fields: with the node's version in three parts, and the operation if it has
 * one.
 */
async function served(node: string, operation = ''): Promise<Response> {
	const url = `${N8nHost.shared().address.url}/schemas/n8n-nodes-lead-revenue.${node}/1.0.0${operation}.json`;
	return await fetch(url);
}

test.each([
	['getRevenue', '/getSummary', 'GetRevenue/__schema__/v1.0.0/getSummary.json'],
	['getRevenue', '/getTransactions', 'GetRevenue/__schema__/v1.0.0/getTransactions.json'],
	['getRevenue', '/getManualRecords', 'GetRevenue/__schema__/v1.0.0/getManualRecords.json'],
	['tagLead', '/addTag', 'TagLead/__schema__/v1.0.0/addTag.json'],
	['createKeywordAutomation', '/create', 'CreateKeywordAutomation/__schema__/v1.0.0/create.json'],
	['manualRecordTrigger', '', 'ManualRecordTrigger/__schema__/v1.0.0.json'],
	['transactionTrigger', '', 'TransactionTrigger/__schema__/v1.0.0.json'],
])('n8n serves the output fields of %s%s', async (node, operation, file) => {
	const response = await served(node, operation);
	expect(response.status).toBe(200);
	const source = readFileSync(path.join(__dirname, '../../nodes', file), 'utf8');
	expect(await response.json()).toEqual(JSON.parse(source));
});

test('n8n has none for leads, whose fields are not documented', async () => {
	expect((await served('listLeads', '/getMany')).status).toBe(404);
});
