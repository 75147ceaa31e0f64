import type { ToolCall } from '../../scripts/n8n/scriptedModel.ts';
import type { WorkflowNode } from '../../scripts/n8n/session.ts';
import { byId, nodeOf } from '../../scripts/n8n/workflows.ts';
import { TOOL_WAYS } from '../support/agents/toolWays.ts';
import type { ToolSetUp } from '../support/agents/writeTools.ts';
import {
	changesMade,
	draftCall,
	draftTool,
	fromAi,
	liveTool,
	setUpTools,
	tagCall,
	tagTool,
} from '../support/agents/writeTools.ts';
import { keys, tagPath } from '../support/engine/writes.ts';
import { N8nHost } from '../support/host/n8nHost.ts';
import { HOST } from '../support/hostUnderTest.ts';
import { testUnless } from '../support/unless.ts';

/** What a model is told of each node, unless the user writes something else. */
const PRESET: Record<string, RegExp> = {
	Revenue: /^Get revenue summar/,
	Leads: /^Get the leads of your organization/,
	Tag: /^Add an existing manual tag to a lead/,
	Draft: /^Create an automation .* by default as an inactive draft$/,
};

/** Arguments that no tool asks for, named after what is the author's. */
const NOT_ASKED_FOR = {
	isActive: true,
	tagId: 1,
	returnAll: true,
	limit: 9_999,
	operation: 'getTransactions',
	baseUrl: 'http://127.0.0.1:1',
	authentication: 'oAuth2',
	idempotencyKey: 'one for all',
	options: { idempotencyKey: 'one for all', maxAttempts: 1 },
};

const SUMMARY = { operation: 'getSummary', filters: { dateFrom: fromAi('from'), dateTo: '2030-01-01' }, options: {} };

/** Our four nodes as tools. */
const toolsOf = (scene: ToolSetUp) => [
	nodeOf('Revenue', 'getRevenueTool', scene.credential, SUMMARY),
	nodeOf('Leads', 'listLeadsTool', scene.credential, { returnAll: false, limit: 1, options: {} }),
	tagTool(scene),
	draftTool(scene),
];

describe.each(TOOL_WAYS)('called by $name', ({ call, caller, describes, onError, passesExtra, settings }) => {
	test('the caller finds all four nodes, gets their results, and makes each change once', async () => {
		const scene = await setUpTools();
		const { host, credential, leads } = scene;
		const tools = toolsOf(scene);
		// Only what is required is set.
		const lead = byId(leads[0] as string);
		const fixed = { name: 'Prices', keywords: ['price'], replies: ['Here you are'], tagId: 1, lead };
		const untouched = ['getRevenue', 'listLeads', 'tagLead', 'createKeywordAutomation'].map((type) =>
			nodeOf(`New_${type}`, `${type}Tool`, credential, fixed),
		);
		const tag = tagCall(leads[0]);
		const { offered, results } = await call(
			host,
			[...tools, ...untouched],
			[
				[{ name: 'Revenue', arguments: { from: '2000-01-01' } }],
				[{ name: 'Leads', arguments: {} }],
				// Two identical calls are two changes.
				[tag, tag],
				[draftCall, draftCall],
			],
		);
		const takes = { Revenue: ['from'], Leads: [], Tag: ['lead'], Draft: ['title', 'keywords', 'reply'] };
		if (caller === 'program') {
			const named = Object.fromEntries(offered.map(({ name, ...tool }) => [name, tool]));
			for (const [name, names] of Object.entries(takes)) {
				const description = describes === 'node' ? (PRESET[name] as RegExp) : `The tool ${name}`;
				expect(named[name]).toEqual({ description: expect.stringMatching(description), takes: names });
			}
			for (const { name } of untouched) expect(named[name]).toMatchObject({ takes: [] });
		}
		expect(results).toEqual([
			expect.stringMatching(/"net":\d/),
			expect.stringMatching(/"id":"lead_/),
			...Array(2).fill(expect.stringContaining(`"leadId":"${leads[0]}"`)),
			...Array(2).fill(expect.stringContaining('"is_active":false')),
		]);
		const { tags, drafts } = await changesMade(scene);
		expect([tags.length, drafts.length]).toEqual([2, 2]);
		expect(new Set([...tags, ...drafts]).size).toBe(4);
		expect(
			results
				.slice(2)
				.map((text) => /"idempotencyKey":"([^"]+)"/.exec(text)?.[1])
				.sort(),
		).toEqual([...tags, ...drafts].sort());
	});

	test('the caller decides nothing that it is not asked for', async () => {
		const plain = await setUpTools();
		const { host, leads, org } = plain;
		// On n8n 1.x, a node cannot tell the caller's fields of $json from the author's.
		const checked = passesExtra !== 'always' || HOST === 'n8n-2';
		const credential = await host.session.createCredential('from $json', 'leadRevenueApi', {
			...org.credential,
			baseUrl: `={{ $json.baseUrl ?? '${org.credential.baseUrl}' }}`,
		});
		const scene = checked ? { ...plain, credential } : plain;
		const turns = [
			{ name: 'Revenue', arguments: { from: '2000-01-01' } },
			{ name: 'Leads', arguments: {} },
			tagCall(leads[0]),
			draftCall,
		].map(({ name, arguments: asked }) => [{ name, arguments: { ...asked, ...NOT_ASKED_FOR } }]);
		const { results } = await call(host, toolsOf(scene), turns);
		const { tags, drafts } = await changesMade(scene);
		const rejected = expect.stringMatching(/does not ask for: .*only the values that it asks for/);
		const made = [
			expect.stringMatching(/"net":\d/),
			expect.stringMatching(/"id":"lead_/),
			expect.stringContaining(`"tagId":${org.manualTag}`),
			expect.stringContaining('"is_active":false'),
		];
		if (passesExtra === 'always' && checked) made.fill(rejected);
		if (passesExtra === 'to tools without arguments') made[1] = rejected;
		expect(results).toEqual(made);
		expect(results[1]?.match(/"id":"lead_/g)?.length ?? 1).toBe(1);
		expect([...tags, ...drafts]).not.toContain('one for all');
	});

	testUnless(
		settings ? undefined : 'its tools have no node settings',
		'Retry On Fail retries the same change',
		async () => {
			const scene = await setUpTools();
			const { host, org, leads } = scene;
			const fault = { action: 'status', status: 503, when: 'after', times: 2 } as const;
			await org.meets(
				{ ...fault, match: { path: tagPath(leads[0]) } },
				{ ...fault, match: { path: '/v1/automations/keyword/' } },
			);
			const retrying = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
			const once = { maxAttempts: 1 };
			const tag = tagCall(leads[0]);
			const { results } = await call(
				host,
				[tagTool(scene, retrying, once), draftTool(scene, retrying, once)],
				[
					[tag, tag],
					[draftCall, draftCall],
				],
			);
			expect(results).toEqual(Array(4).fill(expect.stringContaining('"idempotencyKey":"')));
			const sent = (await org.journal()).filter(({ method }) => method === 'POST');
			expect(sent.filter(({ fault: met }) => met !== undefined)).toHaveLength(4);
			const { tags, drafts } = await changesMade(scene);
			expect([tags.length, drafts.length]).toEqual([2, 2]);
			expect(new Set(keys(sent))).toEqual(new Set([...tags, ...drafts]));
		},
	);

	const outcome = { text: 'tells the caller what to do', stop: 'stops the agent' }[onError];
	const continued = settings ? ', and tells the caller what to do when the tool is set to continue' : '';
	test(`an error ${outcome}${continued}; a list never fills the prompt`, async () => {
		const scene = await setUpTools({ leads: 2_000, transactions: 2_000 });
		const toolsWith = (set: object): WorkflowNode[] => [
			nodeOf('Leads', 'listLeadsTool', scene.credential, { returnAll: true }, set),
			nodeOf('SomeLeads', 'listLeadsTool', scene.credential, { limit: fromAi('limit', 'number') }, set),
			nodeOf(
				'Payments',
				'getRevenueTool',
				scene.credential,
				{ operation: 'getTransactions', returnAll: true, filters: { dateFrom: fromAi('from') } },
				set,
			),
			tagTool(scene, set),
			draftTool(scene, set),
			liveTool(scene, set),
		];
		const turns: ToolCall[][] = [
			[{ name: 'Leads', arguments: {} }],
			[{ name: 'SomeLeads', arguments: { limit: 20_000 } }],
			[{ name: 'Payments', arguments: { from: '2000-01-01' } }],
			[{ name: 'Payments', arguments: { from: 'yesterday' } }],
			[tagCall('nobody')],
			[{ name: 'Draft', arguments: { title: 'Prices', keywords: 'price,,cost', reply: 'Here you are' } }],
			[{ name: 'Live', arguments: { active: true } }],
		];
		const told = [
			/too large for a tool call.*Turn off \W+Return All\W+ and set \W+Limit\W+ to \d+ or less/,
			/Limit\W+ must be 500 or less in a tool call.*It is 20000/,
			/too large for a tool call.*Limit\W+ to \d+ or less, or narrow \W+Date From/,
			/Date From\W+ is not a date.*Enter a date such as 2026-01-31/,
			/did not find what it needs to tag the lead.*Either the lead \W+nobody\W+ or the tag \d+ does not exist/,
			/Keywords\W+ entry 2 is blank.*Fill it in or remove it/,
			/Active\W+ is not for the agent to turn on.*Create a draft, with Active off/,
		].map((text) => expect.stringMatching(text));
		const { results } = await call(scene.host, toolsWith({}), turns);
		expect(results).toEqual(onError === 'stop' ? [] : told);
		if (settings) {
			// One error is enough where each of them has reached the caller already.
			const some = onError === 'stop' ? turns.length : 1;
			const continued = await call(scene.host, toolsWith({ onError: 'continueRegularOutput' }), turns.slice(0, some));
			expect(continued.results).toEqual(told.slice(0, some));
		}
		const reads = (await scene.org.journal()).filter(({ method }) => method === 'GET');
		// Per list six pages of 20; one more read is the test's own.
		expect(reads.length).toBeLessThan(1 + 2 * 2 * 7);
		expect(await changesMade(scene)).toEqual({ tags: [], drafts: [] });
	});
});

test(`n8n ${HOST === 'n8n-1' ? '1.x has no Agents' : '2.x has Agents'}`, async () => {
	const settings = (await N8nHost.shared().session.request('GET', '/rest/module-settings')) as {
		agents?: { enabled: boolean };
	};
	expect(settings.agents?.enabled ?? false).toBe(HOST !== 'n8n-1');
});
