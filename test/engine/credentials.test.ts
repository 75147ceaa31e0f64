import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { byId } from '../../scripts/n8n/workflows.ts';
import { readsOf } from '../support/engine/n8nParts.ts';
import { connectedTo } from '../support/engine/oauth.ts';
import { fieldsOf, filterValues, runNode, searchLeads, succeeded } from '../support/engine/runNode.ts';
import { Trigger } from '../support/engine/trigger.ts';
import { draft, failedThenRetried, leadsOf } from '../support/engine/writes.ts';
import type { TestOrganization } from '../support/service.ts';
import { control, jsonResponse, organization, pageResponse, sandboxUrl, withoutBackoff } from '../support/service.ts';

withoutBackoff();

const echoing = (secret: string, status: number) =>
	status < 300
		? pageResponse([{ id: 'l', seen: secret }], { status })
		: jsonResponse({ error: { type: 'x', message: `Seen: ${secret}`, request_id: 'r' } }, { status });

describe('a key that was pasted with invisible characters', () => {
	// Some editors add a byte order mark or a zero-width space.
	const pasted = (key: string) => `\ufeff\t ${key.slice(0, 9)}\u200b\n${key.slice(9)} \r\n`;

	test('is sent without them, and hidden in items and errors, both as it is sent and as it is stored', async () => {
		const org = await organization({ leads: 3 });
		const { apiKey } = org.credential;
		const credential = { ...org.credential, apiKey: pasted(apiKey) };
		const list = async () => await runNode({ type: 'listLeads', parameters: { returnAll: true }, credential });
		expect((await list()).items).toHaveLength(3);
		for (const echoed of [apiKey, pasted(apiKey)]) {
			await org.meets(echoing(echoed, 200), echoing(echoed, 400));
			expect((await list()).items.map(({ json }) => json.seen)).toEqual(['***']);
			expect((await list()).error?.message).toContain('Seen: ***');
		}
	});
});

describe('a credential whose fields are expressions: one workflow for several organizations', () => {
	const LEAD_OF: INodeParameters = { lead: byId('={{ $json.lead }}'), tagId: '={{ $json.tag }}' };
	const NODES: Array<[string, INodeParameters]> = [
		['tagLead', LEAD_OF],
		['createKeywordAutomation', draft],
		['listLeads', { returnAll: true }],
		['getRevenue', { operation: 'getTransactions', returnAll: true }],
	];

	/** Two organizations in turn, and the fields of an item for its own. */
	async function twoOrganizations(count = 6) {
		const orgs = [await organization({ leads: 3, transactions: 3 }), await organization({ leads: 3, transactions: 3 })];
		const leads = await Promise.all(orgs.map(leadsOf));
		const input = Array.from({ length: count }, (_, index) => {
			const org = orgs[index % 2] as TestOrganization;
			const { apiKey: key, baseUrl: base } = org.credential;
			return { key, base, lead: leads[index % 2]?.[0] as string, tag: org.manualTag };
		});
		return { orgs, input };
	}

	const credential = { baseUrl: '={{ $json.base }}', apiKey: '={{ $json.key }}' };

	test.each(NODES)('%s sends each item with its own key', async (type, parameters) => {
		const { orgs, input } = await twoOrganizations();
		const { items } = await succeeded(runNode({ type, parameters, credential, input }));
		expect(new Set(items.map(({ pairedItem }) => (pairedItem as { item: number }).item)).size).toBe(6);
		for (const org of orgs) {
			expect((await org.journal()).map(({ status, key_id: id }) => [Math.floor(status! / 100), typeof id])).toEqual(
				Array.from({ length: 3 }, () => [2, 'string']),
			);
		}
	});

	test('a retried execution whose items come in another order makes no change for the wrong organization', async () => {
		const { orgs, input } = await twoOrganizations();
		const run = { type: 'createKeywordAutomation', parameters: draft, credential };
		await control.addFaults(orgs[1]?.id as string, [{ action: 'status', status: 403, skip: 1 }]);
		await failedThenRetried({ ...run, input }, { change: (items) => items.reverse() });
		expect(await Promise.all(orgs.map(async ({ id }) => (await control.automations(id)).length))).toEqual([3, 3]);
	});

	test.each(NODES)('%s: an item without a key fails alone, and names the field', async (type, parameters) => {
		const { orgs, input } = await twoOrganizations();
		const { key: _none, ...without } = input[2] as { key: string };
		const withGap = input.map((json, index) => (index === 2 ? without : json));
		const { outputs } = await runNode({ type, parameters, credential, input: withGap, onError: 'continueErrorOutput' });
		expect(outputs[1]?.map(({ json }) => json.error)).toEqual([
			'The credential cannot be used: API Key is empty. Enter the key of your organization',
		]);
		expect(outputs[1]?.[0]?.json).toMatchObject({
			lead: input[2]?.lead,
			message: expect.stringContaining('If it is an expression, check what it returns for this item.'),
		});
		expect(await Promise.all(orgs.map(async (org) => (await org.journal()).length))).toEqual([2, 3]);

		const stopped = await runNode({ type, parameters, credential, input: withGap });
		expect(stopped.error?.context.itemIndex).toBe(2);
	});

	test.each(NODES)('%s: nor do the others fail with the first item', async (type, parameters) => {
		const { orgs, input } = await twoOrganizations();
		const withGap = [{ ...input[0], base: '' }, ...input.slice(1)];
		const { items } = await runNode({ type, parameters, credential, input: withGap, onError: 'continueRegularOutput' });
		expect(items[0]?.json.error).toMatch(/^The credential cannot be used: Base URL is empty/);
		expect(await Promise.all(orgs.map(async (org) => (await org.journal()).length))).toEqual([2, 3]);
	});

	test('an expression may choose by the item index alone', async () => {
		const { orgs } = await twoOrganizations();
		const [a, b] = orgs.map((org) => org.credential.apiKey);
		const apiKey = `={{ $itemIndex === 3 ? "${b}" : "${a}" }}`;
		const credential = { baseUrl: sandboxUrl, apiKey };
		await runNode({ type: 'listLeads', parameters: {}, credential, input: [{}, {}, {}, {}] });
		expect(await Promise.all(orgs.map(async (org) => (await org.journal()).length))).toEqual([3, 1]);
	});

	test.each(NODES)('%s: one does not wait for the rate limit of the other', async (type, parameters) => {
		const { orgs, input } = await twoOrganizations();
		await orgs[0]?.meets({ action: 'status', status: 429, headers: { 'retry-after': '600' }, times: -1 });
		const node = { type, parameters: { ...parameters, options: { maxWait: 1 } }, credential };
		const { items, outputs } = await runNode({ ...node, input, onError: 'continueErrorOutput' });
		expect(new Set(items.map(({ pairedItem }) => (pairedItem as { item: number }).item))).toEqual(new Set([1, 3, 5]));
		expect(outputs[1]?.map(({ json }) => json.error)).toEqual(
			Array.from({ length: 3 }, () => expect.stringContaining('rate limit is exceeded')),
		);
	});

	test.each(NODES)('%s: no key of another item is in a response or an error', async (type, parameters) => {
		const { orgs, input } = await twoOrganizations();
		const keys = orgs.map((org) => org.credential.apiKey).join(' ');
		const [first, second] = orgs.map(({ id }) => id) as [string, string];
		// Get Revenue starts all items at once, so all keys are known; other nodes start one after the other.
		await control.addFaults(first, [{ ...echoing(keys, 200), skip: 2, times: 1 }]);
		await control.addFaults(second, [{ ...echoing(keys, 400), skip: 2, times: 1 }]);
		const { run, outputs } = await runNode({ type, parameters, credential, input, onError: 'continueErrorOutput' });
		const output = JSON.stringify([
			outputs[0]?.filter(({ json }) => 'seen' in json || 'data' in json),
			outputs[1]?.map(({ json: { error, message } }) => [error, message]),
			run.data.resultData.error,
		]);
		expect(output).toContain('*** ***');
		for (const org of orgs) expect(output).not.toContain(org.credential.apiKey);
	});

	test.each(NODES)('%s reads a credential without an expression as rarely as it can', async (type, parameters) => {
		const { orgs, input } = await twoOrganizations(100);
		const [org] = orgs as [TestOrganization];
		const own = { baseUrl: sandboxUrl, apiKey: org.credential.apiKey };
		await runNode({ type, parameters, credential: own, input });
		// n8n itself reads it once for each item of a declarative node, and once before.
		expect(readsOf(own)).toBe(type === 'getRevenue' ? 101 : 1);
	});
});

test('the Base URL of an OAuth2 credential as an expression differs by item, and n8n reads the credential for that item, too', async () => {
	const org = await organization({ leads: 2 });
	const { credential } = await connectedTo(org);
	const { clientId } = credential;
	const perItem = Object.assign(credential, { baseUrl: '={{ $json.base }}', clientId: '={{ $json.client }}' });
	// Only the right client gets a new token.
	await control.expireOAuthTokens(org.id);
	const input = [
		{ base: '', client: 'another' },
		{ base: sandboxUrl, client: clientId },
		{ base: `${sandboxUrl}/`, client: clientId },
	] as IDataObject[];
	const parameters = { authentication: 'oAuth2', returnAll: true };
	const node = { type: 'listLeads', parameters, onError: 'continueRegularOutput' } as const;
	const { items } = await runNode({ ...node, credential: perItem, input });
	expect(items.map(({ json, pairedItem }) => [(pairedItem as { item: number }).item, 'error' in json])).toEqual([
		[0, true],
		[1, false],
		[1, false],
		[2, false],
		[2, false],
	]);
});

// That of Get Revenue is n8n's own: n8n reads the credential of a declarative node before the node runs.
test('an expression in it that fails for an item says where it is', async () => {
	const credential = { baseUrl: sandboxUrl, apiKey: "={{ $('Keys').item.json.key }}" };
	const { error } = await runNode({ type: 'listLeads', parameters: {}, credential });
	expect(error?.message).toBe("Referenced node doesn't exist");
	expect(error?.description).toBe('Check the expressions in the credential, which depend on the node "Keys".');
});

describe('a credential without items', () => {
	const perItem = { baseUrl: sandboxUrl, apiKey: '={{ $json.key }}' };
	const PROBLEM = {
		message: expect.stringMatching(
			/^The credential cannot be used: an expression in it has no input item to read here \(.+\)$/,
		),
		description: 'Triggers and lists run without items. Use a credential without such an expression.',
	};

	test('with an expression for items is an error of the lead picker, the trigger and its filters that names it', async () => {
		const toldInList =
			/no input item to read here \(.+\)\. Triggers and lists .*, or enter the value "By ID" or as an expr/;
		await expect(searchLeads(perItem)).rejects.toThrow(toldInList);
		await expect(new Trigger({ credential: perItem }).poll()).rejects.toMatchObject(PROBLEM);
		await expect(filterValues(['status'], perItem)).rejects.toThrow(toldInList);
		await expect(fieldsOf('getRevenue', 'getTransactions', perItem)).rejects.toThrow(toldInList);
	});

	test('with an expression that needs none works', async () => {
		const org = await organization({ leads: 2 });
		const credential = { baseUrl: `={{ "${sandboxUrl}" }}`, apiKey: `={{ "${org.credential.apiKey}" }}` };
		expect((await searchLeads(credential)).results).toHaveLength(2);
		const trigger = new Trigger({ credential });
		expect(await trigger.poll()).toEqual([]);
		await control.addTransactions(org.id, [{}]);
		expect(await trigger.poll()).toHaveLength(1);
	});
});
