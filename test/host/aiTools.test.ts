import type { WorkflowNode } from '../../scripts/n8n/session.ts';
import { HOST } from '../support/hostUnderTest.ts';
import { N8nHost } from '../support/n8nHost.ts';
import { startScriptedModel } from '../support/scriptedModel.ts';
import type { ToolCall } from '../support/scriptedModel.ts';
import { control, organization } from '../support/service';
import { nodeOf } from '../support/workflows';

jest.setTimeout(120_000);

const fromAi = (key: string, type = 'string') => `={{ $fromAI('${key}', '', '${type}') }}`;

async function runAgent(host: N8nHost, tools: WorkflowNode[], script: ToolCall[][]) {
	const model = await startScriptedModel(script);
	try {
		const key = await host.session.createCredential('model', 'openAiApi', { apiKey: 'none', url: model.url });
		const nodes: WorkflowNode[] = [
			{ id: 'start', name: 'Start', type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, position: [0, 0], parameters: {} },
			{
				id: 'agent',
				name: 'Agent',
				type: '@n8n/n8n-nodes-langchain.agent',
				typeVersion: HOST === 'n8n-1' ? 3 : 3.1,
				position: [200, 0],
				parameters: { promptType: 'define', text: 'go', options: {} },
			},
			{
				id: 'model',
				name: 'Model',
				type: '@n8n/n8n-nodes-langchain.lmChatOpenAi',
				typeVersion: 1.2,
				position: [200, 200],
				parameters: { model: { __rl: true, mode: 'id', value: 'scripted' }, options: {} },
				credentials: { openAiApi: { id: key.id, name: key.name } },
			},
			...tools,
		];
		const connections = {
			Start: { main: [[{ node: 'Agent', type: 'main', index: 0 }]] },
			Model: { ai_languageModel: [[{ node: 'Agent', type: 'ai_languageModel', index: 0 }]] },
			...Object.fromEntries(tools.map(({ name }) => [name, { ai_tool: [[{ node: 'Agent', type: 'ai_tool', index: 0 }]] }])),
		};
		const { id } = await host.session.createWorkflow({ name: 'agent', active: false, nodes, connections, settings: { executionOrder: 'v1' } });
		const execution = await host.session.runWorkflow(id, 'Start');
		return { execution, results: model.toolResults(), offered: model.requests[0]?.tools?.map(({ function: tool }) => tool.name) };
	} finally {
		await model.stop();
	}
}

describe('as tools of an AI agent', () => {
	let host: N8nHost;
	beforeAll(async () => {
		host = N8nHost.shared();
	});

	test('both writes run, and two identical calls are two changes', async () => {
		const org = await organization({ leads: 1 });
		const credential = await host.session.createCredential('agent', 'leadRevenueApi', org.credential);
		const response = await fetch(`${org.credential.baseUrl}/v1/leads/`, { headers: { authorization: `Bearer ${org.keys.full}` } });
		const lead = ((await response.json()) as { data: Array<{ id: string }> }).data[0]?.id;
		const tools = [
			nodeOf('Tag', 'tagLeadTool', credential, { lead: { __rl: true, mode: 'id', value: fromAi('lead') }, tagId: fromAi('tag', 'number') }),
			nodeOf('Draft', 'createKeywordAutomationTool', credential, {
				name: fromAi('name'),
				keywords: [fromAi('keywords')],
				commentType: 'ANY_POST',
				replies: [fromAi('reply')],
				isActive: false,
			}),
		];
		const tag = { name: 'Tag', arguments: { lead, tag: org.manualTag } };
		const draft = { name: 'Draft', arguments: { name: 'Prices', keywords: 'price, cost', reply: 'Here you are' } };
		const { execution, results, offered } = await runAgent(host, tools, [[tag], [draft, draft], [tag]]);
		expect(execution.error).toBeUndefined();
		expect(offered?.toSorted()).toEqual(['Draft', 'Tag']);
		expect(results).toHaveLength(4);
		expect(results.every((result) => result.includes('idempotencyKey'))).toBe(true);
		const applied = await control.tagApplications(org.id);
		expect(applied.map(({ lead_id: id }) => id)).toEqual([lead, lead]);
		const automations = await control.automations(org.id);
		expect(automations).toHaveLength(2);
		expect(new Set([...applied, ...automations].map(({ idempotency_key: key }) => key)).size).toBe(4);
		expect(automations[0]?.definition).toMatchObject({ is_active: false, keywords: ['price', 'cost'] });
	});

	test('an Idempotency Key that the model does not choose makes identical calls one change', async () => {
		const org = await organization();
		const credential = await host.session.createCredential('agent', 'leadRevenueApi', org.credential);
		const tools = [
			nodeOf('Draft', 'createKeywordAutomationTool', credential, {
				name: fromAi('name'),
				keywords: ['price'],
				commentType: 'ANY_POST',
				replies: ['Thanks'],
				isActive: false,
				options: { idempotencyKey: `={{ $execution.id + $fromAI('name', '', 'string') }}` },
			}),
		];
		const draft = { name: 'Draft', arguments: { name: 'Prices' } };
		const { execution, results } = await runAgent(host, tools, [[draft], [draft]]);
		expect(execution.error).toBeUndefined();
		expect(results).toHaveLength(2);
		expect(await control.automations(org.id)).toHaveLength(1);
	});

	describe('a refusal', () => {
		async function refused(settings: object = {}) {
			const org = await organization();
			const credential = await host.session.createCredential('agent', 'leadRevenueApi', org.credential);
			const parameters = { lead: { __rl: true, mode: 'id', value: fromAi('lead') }, tagId: org.manualTag };
			const tool = nodeOf('Tag', 'tagLeadTool', credential, parameters, settings);
			return await runAgent(host, [tool], [[{ name: 'Tag', arguments: { lead: 'nobody' } }]]);
		}
		const refusal = /did not find what it needs to tag the lead/;

		test('reaches the model as text it can act on; n8n 1.x stops the agent and shows it to the user', async () => {
			const { execution, results } = await refused();
			expect(HOST === 'n8n-1' ? execution.error?.message : results[0]).toMatch(refusal);
			expect(results).toHaveLength(HOST === 'n8n-1' ? 0 : 1);
		});

		test('reaches the model everywhere when the node is set to continue', async () => {
			const { execution, results } = await refused({ onError: 'continueRegularOutput' });
			expect(execution.error).toBeUndefined();
			expect(results[0]).toMatch(refusal);
		});
	});
});
