import { SWITCHES } from '../../sandbox/src/switches.ts';
import { runFor, searchLeads, succeeded } from '../support/engine/runNode.ts';
import { leadsOf } from '../support/engine/writes.ts';
import { organization, pageResponse, withoutBackoff } from '../support/service.ts';

withoutBackoff();

describe('the lead picker', () => {
	test.each(SWITCHES.cursors.values)('lists a page as the user scrolls, all in the end: %s', async (cursors) => {
		const org = await organization({ leads: 250, switches: { cursors } });
		const seen = new Set<unknown>();
		let token: string | undefined;
		let pages = 0;
		do {
			const { results, paginationToken } = await searchLeads(org.credential, { paginationToken: token });
			results.forEach(({ value }) => seen.add(value));
			token = paginationToken as string | undefined;
			pages++;
		} while (token !== undefined);
		expect(pages).toBe(3);
		expect(seen.size).toBe(250);
		expect(await org.journal()).toHaveLength(3);
	});

	test.each(['flat', 'nested', 'handle', 'bare'] as const)('labels leads of shape %s by working ids', async (shape) => {
		const org = await organization({ leads: 5, switches: { 'lead-shape': shape } });
		const { results } = await searchLeads(org.credential);
		expect(results).toHaveLength(5);
		const { error } = await runFor(org, 'tagLead', {
			lead: { __rl: true, mode: 'list', value: results[0]?.value as string },
			tagId: org.manualTag,
		});
		expect(error).toBeUndefined();
	});

	// The editor stores the label as cachedResultName, and n8n resolves each text of a resource locator.
	const EXPRESSIONS = ['={{ $execution.customData.set("ran", "by a lead") }}', '={{ nonsense( }}', '=) Ada'];
	test.each(EXPRESSIONS)('picks a lead whose name is an expression without running it: %s', async (name) => {
		const org = await organization({ leads: 1 });
		const [id] = await leadsOf(org);
		await org.meets(pageResponse([{ id, name }]));
		const { results } = await searchLeads(org.credential);
		expect(results).toEqual([{ name: id, value: id }]);
		const [picked] = results;
		const lead = { __rl: true, mode: 'list', value: id, cachedResultName: picked?.name };
		const { items, run } = await succeeded(runFor(org, 'tagLead', { lead: lead as never, tagId: org.manualTag }));
		expect(items[0]?.json).toMatchObject({ leadId: id });
		expect(run.data.resultData.metadata).toBeUndefined();
	});

	test('gives up soon, because a person is waiting', async () => {
		const org = await organization({ leads: 1 }, { action: 'status', status: 500, times: -1 });
		await expect(searchLeads(org.credential)).rejects.toThrow('after 2 attempts');
		expect(await org.journal()).toHaveLength(2);
	});

	test('says what is wrong in the picker, too', async () => {
		const org = await organization({ leads: 1 });
		await expect(searchLeads({ ...org.credential, apiKey: org.keys.revoked })).rejects.toMatchObject({
			name: 'NodeApiError',
			message: expect.stringContaining('rejected the API key'),
			description: expect.stringContaining('enter a valid key'),
		});
		await expect(searchLeads({ ...org.credential, apiKey: '' })).rejects.toThrow(
			'API Key is empty. Enter the key of your organization. Open the credential in this node, correct the API Key',
		);
		await org.meets(pageResponse([{ key: 'k' }]));
		await expect(searchLeads(org.credential)).rejects.toThrow('no field that looks like an ID. Choose "By ID"');
		await org.meets({ action: 'status', status: 429, retry_after: 60 });
		await expect(searchLeads(org.credential)).rejects.toMatchObject({
			message: expect.stringContaining('The rate limit is exceeded'),
			// To run the node would tag a lead, and Maximum Wait does not count here.
			description: expect.stringMatching(/^After that time open this list again\. Request ID: \S+$/),
		});
	});
});
