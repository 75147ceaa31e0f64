import type { ChatRequest, Turn } from '../../scripts/n8n/scriptedModel.ts';
import { toolResultsIn } from '../../scripts/n8n/scriptedModel.ts';
import { byId, nodeOf } from '../../scripts/n8n/workflows.ts';
import type { AgentSetUp } from '../support/agents/agentRuns.ts';
import { NEWEST_AGENT, withAgent } from '../support/agents/agentRuns.ts';
import { changesMade, fromAi, setUpTools, tagCall, tagTool } from '../support/agents/writeTools.ts';
import { N8nHost } from '../support/host/n8nHost.ts';
import { HOST } from '../support/hostUnderTest.ts';
import { control, leadIds, organization } from '../support/service.ts';

async function runAgent(host: N8nHost, setUp: AgentSetUp) {
	return await withAgent(host, setUp, async ({ workflowId, model }) => {
		const execution = await host.session.runWorkflow(workflowId, 'Start');
		return {
			execution,
			results: model.toolResults(),
			offered: model.requests[0]?.tools?.map(({ function: tool }) => tool.name),
		};
	});
}

describe('as tools of an AI agent', () => {
	const host = N8nHost.shared();

	test('both writes run, and two identical calls make two changes', async () => {
		const org = await organization({ leads: 1 });
		const credential = await host.session.createCredential('agent', 'leadRevenueApi', org.credential);
		const [lead] = await leadIds(org, 1);
		const tools = [
			nodeOf('Tag', 'tagLeadTool', credential, { lead: byId(fromAi('lead')), tagId: fromAi('tag', 'number') }),
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
		const { execution, results, offered } = await runAgent(host, { tools, script: [[tag], [draft, draft], [tag]] });
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

	test('identical calls make one change with an Idempotency Key that the model does not choose', async () => {
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
		const { execution, results } = await runAgent(host, { tools, script: [[draft], [draft]] });
		expect(execution.error).toBeUndefined();
		expect(results).toHaveLength(2);
		expect(await control.automations(org.id)).toHaveLength(1);
	});

	describe('n8n’s Retry of a failed execution', () => {
		// On n8n 2.x an agent continues after a failed tool, unless the tool's settings stop the workflow.
		const stopping = { onError: 'stopWorkflow' };

		test('repeats the call that failed, which makes the same change', async () => {
			const scene = await setUpTools();
			await scene.org.meets({ action: 'status', status: 503, when: 'after', match: { method: 'POST' } });
			const setUp = { tools: [tagTool(scene, stopping, { maxAttempts: 1 })], script: [[tagCall(scene.leads[0])]] };
			await withAgent(scene.host, setUp, async ({ workflowId, model }) => {
				const { session } = scene.host;
				const failed = await session.runWorkflow(workflowId, 'Start');
				expect(failed.status).toBe('error');
				const retried = await session.runRetry(failed.id);
				expect(retried.error).toBeUndefined();
				expect(model.toolResults()).toEqual([expect.stringContaining('"replayed":true')]);
			});
			expect((await changesMade(scene)).tags).toHaveLength(1);
		});

		// Agents that call their tools themselves start over and make the same call; for the others n8n has kept the call and its result.
		test.each([2.2, NEWEST_AGENT])(
			'of an AI Agent %s whose model failed does not repeat its change',
			async (version) => {
				const scene = await setUpTools();
				let failures = 1;
				const script = (request: ChatRequest): Turn => {
					if (toolResultsIn(request).length === 0) return [tagCall(scene.leads[0])];
					return failures-- > 0 ? 'failure' : [];
				};
				await withAgent(scene.host, { version, tools: [tagTool(scene)], script }, async ({ workflowId }) => {
					const { session } = scene.host;
					const failed = await session.runWorkflow(workflowId, 'Start');
					expect(failed.status).toBe('error');
					const retried = await session.runRetry(failed.id);
					expect(retried.error).toBeUndefined();
				});
				expect((await changesMade(scene)).tags).toHaveLength(1);
			},
		);
	});

	describe('a description with any characters', () => {
		// The editor writes a description in quotes, and escapes it.
		test('gives no call of an AI Agent 2 that n8n retries the key of another', async () => {
			const scene = await setUpTools();
			let failures = 1;
			const script = (request: ChatRequest): Turn => {
				if (toolResultsIn(request).length === 0) return [tagCall(scene.leads[1 - failures])];
				return failures-- > 0 ? 'failure' : [];
			};
			const parameters = {
				lead: byId("={{ $fromAI('lead', `Who owes $5, the \\`lead_id\\``, 'string') }}"),
				tagId: scene.org.manualTag,
			};
			const tools = [nodeOf('Tag', 'tagLeadTool', scene.credential, parameters)];
			await withAgent(scene.host, { version: 2.2, tools, script }, async ({ workflowId }) => {
				const { session } = scene.host;
				const failed = await session.runWorkflow(workflowId, 'Start');
				expect(failed.status).toBe('error');
				const retried = await session.runRetry(failed.id);
				expect(retried.error).toBeUndefined();
			});
			const applied = await control.tagApplications(scene.org.id);
			expect(applied.map(({ lead_id: id }) => id)).toEqual(scene.leads.slice(0, 2));
		});
	});

	describe('a rejection', () => {
		async function rejected(settings: object = {}) {
			const org = await organization();
			const credential = await host.session.createCredential('agent', 'leadRevenueApi', org.credential);
			const parameters = { lead: byId(fromAi('lead')), tagId: org.manualTag };
			const tool = nodeOf('Tag', 'tagLeadTool', credential, parameters, settings);
			return await runAgent(host, { tools: [tool], script: [[{ name: 'Tag', arguments: { lead: 'nobody' } }]] });
		}
		const rejection = /did not find what it needs to tag the lead/;

		test('reaches the model as text that it can act on; n8n 1.x stops the agent and shows the error to the user', async () => {
			const { execution, results } = await rejected();
			expect(HOST === 'n8n-1' ? execution.error?.message : results[0]).toMatch(rejection);
			expect(results).toHaveLength(HOST === 'n8n-1' ? 0 : 1);
		});

		test('reaches the model on every host when the node is set to continue', async () => {
			const { execution, results } = await rejected({ onError: 'continueRegularOutput' });
			expect(execution.error).toBeUndefined();
			expect(results[0]).toMatch(rejection);
		});
	});
});
