import { readFile } from 'node:fs/promises';
import { inRepository } from '../../../../scripts/lib/repository.ts';
import { findInstallation } from '../../../../scripts/n8n/installation.ts';
import type { McpClient } from '../../../../scripts/n8n/mcpClient.ts';
import { connectMcp } from '../../../../scripts/n8n/mcpClient.ts';
import { describeExample } from '../../../support/host/exampleRuns.ts';
import { HOST } from '../../../support/hostUnderTest.ts';
import { control, records } from '../../../support/service.ts';

const TOKEN = 'a-long-random-token';

interface Documented {
	mcpServers: { 'lead-revenue': { url: string; headers: Record<string, string> } };
}

/** Returns the configuration in the documentation, with this n8n and token in the place of its own. */
async function documented(n8n: string): Promise<{ url: string; headers: Record<string, string> }> {
	const text = await readFile(inRepository('examples', 'README.md'), 'utf8');
	const block = /```json\n([^`]*mcpServers[^`]*)```/.exec(text)?.[1];
	const filled = block!.replace('https://n8n.example.com', n8n).replace('YOUR_TOKEN', TOKEN);
	return (JSON.parse(filled) as Documented).mcpServers['lead-revenue'];
}

describeExample('tools-for-an-mcp-client', (runs) => {
	let id: string;

	beforeAll(async () => {
		await runs.start({ leads: 130, transactions: 3 });
		const token = await runs.session.createCredential('token', 'httpBearerAuth', { token: TOKEN });
		id = await runs.use((node) => {
			node('MCP clients').credentials = { httpBearerAuth: { id: token.id, name: token.name } };
			node('Tag Lead').parameters.tagId = runs.org.manualTag;
		});
		await runs.session.publishWorkflow(id);
	});

	afterAll(async () => {
		await runs.session.deactivateWorkflow(id);
	});

	async function connected(transport: 'sse' | 'streamableHttp'): Promise<McpClient> {
		const { url, headers } = await documented(runs.host.address.url);
		let client: McpClient | undefined;
		await runs.until('the address', async () => {
			client = await connectMcp(findInstallation(HOST), transport, url, headers).catch((error: unknown) => {
				if (!String(error).includes('404')) throw error;
				return undefined;
			});
			return client !== undefined;
		});
		return client!;
	}

	test.each(['streamableHttp', 'sse'] as const)(
		'configured as documented, over %s: calls the tools',
		async (transport) => {
			const client = await connected(transport);
			const { tools } = await client.listTools();
			expect(tools.map(({ name }) => name).sort()).toEqual([
				'Create_Keyword_Automation',
				'Get_Revenue',
				'List_Leads',
				'Tag_Lead',
			]);
			const leads = await client.callTool({ name: 'List_Leads', arguments: {} });
			expect(leads.content[0]!.text.match(/"id":"/g)).toHaveLength(100);
			await client.close();
		},
	);

	test('a change asked for twice is made once, and a client without the token gets nothing', async () => {
		const [lead] = await records<{ id: string }>(runs.org.credential, '/v1/leads/');
		const client = await connected('streamableHttp');
		const automation = { name: 'Prices', keywords: 'price, cost', reply: 'Here you are' };
		for (let time = 0; time < 2; time++) {
			await client.callTool({ name: 'Tag_Lead', arguments: { lead_id: lead!.id } });
			await client.callTool({ name: 'Create_Keyword_Automation', arguments: automation });
		}
		await client.close();
		expect((await control.tagApplications(runs.org.id)).map(({ lead_id: tagged }) => tagged)).toEqual([lead!.id]);
		expect((await control.automations(runs.org.id)).map(({ definition }) => definition)).toEqual([
			expect.objectContaining({ name: 'Prices', is_active: false }),
		]);
		const { url } = await documented(runs.host.address.url);
		await expect(
			connectMcp(findInstallation(HOST), 'streamableHttp', url, { authorization: 'Bearer other' }),
		).rejects.toThrow();
	});
});
