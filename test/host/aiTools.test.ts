import { byId, nodeOf } from '../../scripts/n8n/workflows.ts';
import { NEWEST_AGENT, retriedAfterFailure, runAgent, withAgent } from '../support/agents/agentRuns.ts';
import {
	changesMade,
	draftCall,
	draftTool,
	failsOnceAfter,
	fromAi,
	setUpTools,
	tagCall,
	tagTool,
} from '../support/agents/writeTools.ts';
import { HOST } from '../support/hostUnderTest.ts';
import { control } from '../support/service.ts';

describe('as tools of an AI agent', () => {
	test('both writes run, and two identical calls make two changes', async () => {
		const scene = await setUpTools({ leads: 1 });
		const { host, org, credential, leads } = scene;
		const [lead] = leads;
		const tools = [
			nodeOf('Tag', 'tagLeadTool', credential, { lead: byId(fromAi('lead')), tagId: fromAi('tag', 'number') }),
			draftTool(scene),
		];
		const tag = { name: 'Tag', arguments: { lead, tag: org.manualTag } };
		const script = [[tag], [draftCall, draftCall], [tag]];
		const { execution, results, requests } = await runAgent(host, { tools, script });
		expect(execution.error).toBeUndefined();
		expect(requests[0]?.tools?.map(({ function: { name } }) => name).toSorted()).toEqual(['Draft', 'Tag']);
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
		const { host, org, credential } = await setUpTools({});
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
				await retriedAfterFailure(scene.host, workflowId);
				expect(model.toolResults()).toEqual([expect.stringContaining('"replayed":true')]);
			});
			expect((await changesMade(scene)).tags).toHaveLength(1);
		});

		// Agents that call their tools themselves start over and make the same call; for the others n8n has kept the call and its result.
		test.each([2.2, NEWEST_AGENT])(
			'of an AI Agent %s whose model failed does not repeat its change',
			async (version) => {
				const scene = await setUpTools();
				const script = failsOnceAfter(() => tagCall(scene.leads[0]));
				await withAgent(scene.host, { version, tools: [tagTool(scene)], script }, async ({ workflowId }) => {
					await retriedAfterFailure(scene.host, workflowId);
				});
				expect((await changesMade(scene)).tags).toHaveLength(1);
			},
		);
	});

	describe('a description with any characters', () => {
		// The editor writes a description in quotes, and escapes it.
		test('gives no call of an AI Agent 2 that n8n retries the key of another', async () => {
			const scene = await setUpTools();
			const script = failsOnceAfter((failures) => tagCall(scene.leads[failures]));
			const parameters = {
				lead: byId("={{ $fromAI('lead', `Who owes $5, the \\`lead_id\\``, 'string') }}"),
				tagId: scene.org.manualTag,
			};
			const tools = [nodeOf('Tag', 'tagLeadTool', scene.credential, parameters)];
			await withAgent(scene.host, { version: 2.2, tools, script }, async ({ workflowId }) => {
				await retriedAfterFailure(scene.host, workflowId);
			});
			const applied = await control.tagApplications(scene.org.id);
			expect(applied.map(({ lead_id: id }) => id)).toEqual(scene.leads.slice(0, 2));
		});
	});

	describe('a rejection', () => {
		async function rejected(settings: object = {}) {
			const scene = await setUpTools({});
			return await runAgent(scene.host, { tools: [tagTool(scene, settings)], script: [[tagCall('nobody')]] });
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
