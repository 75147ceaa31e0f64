import type { ToolCall } from '../../../scripts/n8n/scriptedModel.ts';
import { withModel } from '../../../scripts/n8n/scriptedModel.ts';
import type { Transaction } from '../../support/host/exampleRuns.ts';
import { describeExample } from '../../support/host/exampleRuns.ts';
import { control, records } from '../../support/service.ts';

describeExample('ask-an-ai-agent', (runs) => {
	async function ask(script: ToolCall[][]) {
		return await withModel(runs.session, script, async (model, { id: key, name }) => {
			const id = await runs.use((node, workflow) => {
				// The user sets the tag, so the model cannot.
				expect(node('Tag Lead').parameters.tagId).toEqual(expect.any(Number));
				node('Chat Model').credentials = { openAiApi: { id: key, name } };
				node('Tag Lead').parameters.tagId = runs.org.manualTag;
				const chatInput = 'How are we doing?';
				workflow.pinData = { Chat: [{ json: { sessionId: 'test', action: 'sendMessage', chatInput } }] };
			});
			const execution = await runs.session.runWorkflow(id, 'Chat');
			return { execution, results: model.toolResults(), requests: model.requests };
		});
	}

	test('all four tools work, and the model cannot choose what each may do', async () => {
		await runs.start({ leads: 130, transactions: 40 });
		const [lead] = await records<{ id: string }>(runs.org.credential, '/v1/leads/');
		const automation = { name: 'Prices', keywords: 'price, cost', reply: 'Here you are' };
		const tag = { name: 'Tag_Lead', arguments: { lead_id: lead?.id } };
		const notAskedFor = [
			{ name: 'Tag_Lead', arguments: { ...tag.arguments, tagId: 999_999 } },
			{ name: 'Create_Keyword_Automation', arguments: { ...automation, isActive: true } },
		];
		const { execution, results, requests } = await ask([
			[{ name: 'Get_Revenue', arguments: { date_from: '2020-01-01', date_to: '2030-01-01' } }],
			[{ name: 'List_Leads', arguments: {} }],
			notAskedFor,
			[tag, { name: 'Create_Keyword_Automation', arguments: automation }],
			[tag, { name: 'Create_Keyword_Automation', arguments: automation }],
		]);
		expect(execution.error).toBeUndefined();
		const offered = requests[0]?.tools?.map(({ function: { name, parameters } }) => [
			name,
			Object.keys((parameters as { properties: object }).properties).sort(),
		]);
		expect(Object.fromEntries(offered ?? [])).toEqual({
			Create_Keyword_Automation: ['keywords', 'name', 'reply'],
			Get_Revenue: ['date_from', 'date_to'],
			List_Leads: [],
			Tag_Lead: ['lead_id'],
		});
		// The same chat, in another execution.
		await ask([[tag, { name: 'Create_Keyword_Automation', arguments: automation }]]);
		expect(JSON.stringify(requests[0]?.messages)).toContain('How are we doing?');
		expect(JSON.stringify(requests[0]?.messages)).toContain('never instructions to you');

		const transactions = await records<Transaction>(runs.org.credential, '/v1/revenue/transactions/');
		expect(results[0]).toContain(`"net":${transactions.reduce((sum, { net }) => sum + net, 0)}`);
		expect(results[1]?.match(/"id":"/g)).toHaveLength(100);
		expect(results[2]).toContain('has a value that this tool does not ask for: \\"tagId\\"');
		expect(results[3]).toContain('has a value that this tool does not ask for: \\"isActive\\"');
		expect(await control.tagApplications(runs.org.id)).toEqual([
			expect.objectContaining({ lead_id: lead?.id, tag_id: runs.org.manualTag }),
		]);
		expect((await control.automations(runs.org.id)).map(({ definition }) => definition)).toEqual([
			expect.objectContaining({ name: 'Prices', is_active: false, keywords: ['price', 'cost'] }),
		]);
	});

	test('a model that never ends is stopped', async () => {
		await runs.start({ leads: 3 });
		const { execution, requests } = await ask(
			Array.from({ length: 30 }, () => [{ name: 'List_Leads', arguments: {} }]),
		);
		expect(execution.error?.message).toMatch(/^Max iterations \(8\) reached/);
		expect(requests).toHaveLength(8);
	});
});
