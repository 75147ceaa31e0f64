import { HOST } from '../support/hostUnderTest.ts';
import { N8nHost } from '../support/n8nHost.ts';
import { control } from '../support/service';
import { TOOL_WAYS } from '../support/toolWays.ts';
import { nodeOf } from '../support/workflows';
import { changesMade, draftCall, draftTool, fromAi, setUpTools, tagCall, tagTool } from '../support/writeTools.ts';
import { keys, tagPath } from '../support/writes';

jest.setTimeout(120_000);

describe.each(TOOL_WAYS)('called by $name', ({ call, onError, settings }) => {
	test('all four nodes return, each write is made once, and a second identical call makes a second change', async () => {
		const given = await setUpTools();
		const { host, credential, leads } = given;
		const revenue = {
			operation: 'getSummary',
			filters: { dateFrom: fromAi('from'), dateTo: '2030-01-01' },
			options: {},
		};
		const tools = [
			nodeOf('Revenue', 'getRevenueTool', credential, revenue),
			nodeOf('Leads', 'listLeadsTool', credential, { returnAll: false, limit: 1, options: {} }),
			tagTool(given),
			draftTool(given),
		];
		const tag = tagCall(leads[0]);
		const results = await call(host, tools, [
			[{ name: 'Revenue', arguments: { from: '2000-01-01' } }],
			[{ name: 'Leads', arguments: {} }],
			[tag, tag],
			[draftCall, draftCall],
		]);
		expect(results).toEqual([
			expect.stringMatching(/"net":\d/),
			expect.stringMatching(/"id":"lead_/),
			...Array(2).fill(expect.stringContaining(`"leadId":"${leads[0]}"`)),
			...Array(2).fill(expect.stringContaining('"is_active":false')),
		]);
		const { tags, drafts } = await changesMade(given);
		expect([tags.length, drafts.length]).toEqual([2, 2]);
		expect(new Set([...tags, ...drafts]).size).toBe(4);
		expect(
			results
				.slice(2)
				.map((text) => /"idempotencyKey":"([^"]+)"/.exec(text)?.[1])
				.sort(),
		).toEqual([...tags, ...drafts].sort());
	});

	const retried = settings ? test : test.skip;
	retried(
		`Retry On Fail retries the same change${settings ? '' : ' [skipped: its tools have no node settings]'}`,
		async () => {
			const given = await setUpTools();
			const { host, org, leads } = given;
			const fault = { action: 'status', status: 503, when: 'after', times: 2 } as const;
			await control.addFaults(org.id, [
				{ ...fault, match: { path: tagPath(leads[0]) } },
				{ ...fault, match: { path: '/v1/automations/keyword/' } },
			]);
			const retrying = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
			const once = { maxAttempts: 1 };
			const tag = tagCall(leads[0]);
			const results = await call(
				host,
				[tagTool(given, retrying, once), draftTool(given, retrying, once)],
				[
					[tag, tag],
					[draftCall, draftCall],
				],
			);
			expect(results).toEqual(Array(4).fill(expect.stringContaining('"idempotencyKey"')));
			const sent = (await org.journal()).filter(({ method }) => method === 'POST');
			expect(sent.filter(({ fault: met }) => met !== undefined)).toHaveLength(4);
			const { tags, drafts } = await changesMade(given);
			expect([tags.length, drafts.length]).toEqual([2, 2]);
			expect(new Set(keys(sent))).toEqual(new Set([...tags, ...drafts]));
		},
	);

	const outcome = { text: 'reaches the caller', nothing: 'gives the model an empty result', stop: 'stops the agent' }[
		onError
	];
	test(`a rejection ${outcome}${settings ? ', and reaches the caller when the tool is set to continue' : ''}`, async () => {
		const given = await setUpTools();
		const rejection = expect.stringMatching(/did not find what it needs to tag the lead/);
		const nobody = [[tagCall('nobody')]];
		expect(await call(given.host, [tagTool(given)], nobody)).toEqual(
			{ text: [rejection], nothing: [''], stop: [] }[onError],
		);
		if (settings)
			expect(await call(given.host, [tagTool(given, { onError: 'continueRegularOutput' })], nobody)).toEqual([
				rejection,
			]);
	});
});

test(`n8n ${HOST === 'n8n-1' ? '1.x has no Agents' : '2.x has Agents'}`, async () => {
	const settings = (await N8nHost.shared().session.request('GET', '/rest/module-settings')) as {
		agents?: { enabled: boolean };
	};
	expect(settings.agents?.enabled ?? false).toBe(HOST !== 'n8n-1');
});
