import { findInstallation } from '../../scripts/n8n/installation.ts';
import type { McpClient } from '../../scripts/n8n/mcpClient.ts';
import { connectMcp } from '../../scripts/n8n/mcpClient.ts';
import { N8nHost } from '../support/host/n8nHost.ts';
import { HOST } from '../support/hostUnderTest.ts';
import { describeUnless } from '../support/unless.ts';

describeUnless(HOST === 'n8n-2' ? undefined : 'n8n 1.x has none', "n8n's workflow builder", () => {
	let builder: McpClient;

	beforeAll(async () => {
		const { address, session } = N8nHost.shared();
		await session.request('PATCH', '/rest/mcp/settings', { mcpAccessEnabled: true });
		const { apiKey } = (await session.request('POST', '/rest/mcp/api-key/rotate')) as { apiKey: string };
		const headers = { authorization: `Bearer ${apiKey}` };
		builder = await connectMcp(findInstallation(HOST), 'streamableHttp', `${address.url}/mcp-server/http`, headers);
	});

	afterAll(async () => {
		await builder?.close();
	});

	async function call(tool: string, args: object): Promise<string> {
		const { content } = await builder.callTool({ name: tool, arguments: args });
		return content.map(({ text }) => text).join('\n');
	}

	test.each([
		['transaction trigger', 'transactionTrigger', 'Needs no deduplication behind it'],
		['manual record trigger', 'manualRecordTrigger', 'Needs no deduplication behind it'],
		['tag lead', 'tagLead', 'Safe to retry'],
		['keyword automation', 'createKeywordAutomation', 'Safe to retry'],
	])('searching for "%s", it reads of %s: %s', async (query, node, hint) => {
		const found = await call('search_nodes', { queries: [query] });
		expect(found).toMatch(new RegExp(`- n8n-nodes-lead-revenue\\.${node}\\b[^-]*@builderHint ${hint}`));
	});

	test('it reads that Active of an automation is not for an agent', async () => {
		const types = await call('get_node_types', {
			nodeIds: [{ nodeId: 'n8n-nodes-lead-revenue.createKeywordAutomation' }],
		});
		expect(types).toMatch(/@builderHint [^/]*never use \$fromAI here[^/]*\*\/\s+isActive\?/);
	});

	test.each(['getRevenue', 'listLeads'])('it reads that Return All of %s may take minutes', async (node) => {
		const types = await call('get_node_types', { nodeIds: [{ nodeId: `n8n-nodes-lead-revenue.${node}` }] });
		expect(types).toMatch(/@builderHint May take minutes[^/]*\*\/\s+returnAll\?/);
	});
});
