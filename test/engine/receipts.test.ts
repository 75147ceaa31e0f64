import type { INodeParameters } from 'n8n-workflow';
import { connectedTo } from '../support/engine/oauth.ts';
import { runFor, runNode } from '../support/engine/runNode.ts';
import { draft, failedThenRetried, leadsOf, tag, tagPath } from '../support/engine/writes.ts';
import { HOST } from '../support/hostUnderTest.ts';
import { control, organization, withoutBackoff } from '../support/service.ts';

withoutBackoff();

describe('with an expression in the credential', () => {
	const credential = { baseUrl: '={{ $json.base }}', apiKey: '={{ $json.key }}' };

	test.each<[string, boolean]>([
		['a failed execution', false],
		['a crashed execution', true],
	])('the retry of %s makes no change twice, though an unused field of the items has changed', async (_of, crashed) => {
		const orgs = [await organization(), await organization()];
		const input = orgs.flatMap(({ credential: { apiKey, baseUrl } }) =>
			[1, 2].map(() => ({ key: apiKey, base: baseUrl, fetchedAt: 1 })),
		);
		await orgs[1]?.meets({ action: 'status', status: 503, skip: 1, when: 'after' });
		const parameters: INodeParameters = { ...draft, options: { maxAttempts: 1 } };
		const run = { type: 'createKeywordAutomation', parameters, credential, input };
		await failedThenRetried(run, {
			status: '503',
			again: { input: input.map((item) => ({ ...item, fetchedAt: 2 })).reverse() },
			change: (items) => items.forEach(({ json }) => (json.fetchedAt = 2)),
			crashed,
		});
		expect(await Promise.all(orgs.map(async ({ id }) => (await control.automations(id)).length))).toEqual(
			// n8n 1.x passes nothing to a retry after a crash.
			crashed && HOST === 'n8n-1' ? [4, 4] : [2, 2],
		);
	});
});

describe('an item of the error output', () => {
	const RECEIPT = { idempotencyKey: 'of-another-change', replayed: true, requestId: 'r', leadId: 'l', tagId: 9 };

	test('never keeps the receipt of another change, even where it failed before its own key was made', async () => {
		const org = await organization({ leads: 1 });
		const { outputs } = await runFor(org, 'tagLead', tag(org, '={{ $json.lead }}'), {
			input: [{ ...RECEIPT, lead: '' }],
			onError: 'continueErrorOutput',
		});
		expect(outputs[1]?.[0]?.json).toMatchObject({
			lead: '',
			idempotencyKey: null,
			mayHaveBeenMade: false,
			replayed: null,
			requestId: null,
			leadId: null,
			tagId: null,
		});
		expect(await control.tagApplications(org.id)).toHaveLength(0);
	});

	test('says also after a second try that nothing was made of an item that neither could send', async () => {
		const org = await organization({ leads: 1 });
		const { outputs } = await runFor(org, 'tagLead', tag(org, '={{ $json.lead }}'), {
			input: [{ lead: '' }, { lead: (await leadsOf(org))[0] as string }],
			onError: 'continueErrorOutput',
			settings: { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 },
		});
		expect(outputs[0]?.[0]?.json).toMatchObject({ replayed: true });
		expect(outputs[1]?.[0]?.json).toMatchObject({ idempotencyKey: null, mayHaveBeenMade: false });
	});

	test('has its own where the service rejected it', async () => {
		const org = await organization({ leads: 1 });
		const { outputs } = await runFor(org, 'tagLead', tag(org, 'none'), {
			input: [{ ...RECEIPT, message: 'from the form' }],
			onError: 'continueErrorOutput',
		});
		expect(outputs[1]?.[0]?.json).toMatchObject({
			message: expect.stringMatching(/^Either the lead/),
			idempotencyKey: expect.stringMatching(/^[0-9a-f-]{36}$/),
			mayHaveBeenMade: false,
			replayed: null,
			requestId: expect.stringMatching(/./),
			leadId: 'none',
			tagId: org.manualTag,
		});
	});

	test('has null for the request ID where no response came', async () => {
		const org = await organization({ leads: 1 }, { action: 'reset', when: 'before', times: -1 });
		const { outputs } = await runFor(org, 'tagLead', tag(org, 'any', { options: { maxAttempts: 1 } }), {
			input: [RECEIPT],
			onError: 'continueErrorOutput',
		});
		expect(outputs[1]?.[0]?.json).toMatchObject({ mayHaveBeenMade: true, requestId: null });
	});
});

// n8n reads the credential to connect, for each request, and after a response, whose secrets may be new.
test.each([3, 4, 5])(
	'a write that may have been made says so, though n8n cannot read the credential from the read number %i on',
	async (locked) => {
		const org = await organization({ leads: 1 });
		const [lead] = await leadsOf(org);
		const { credential } = await connectedTo(org);
		let reads = 0;
		const { baseUrl } = credential;
		Object.defineProperty(credential, 'baseUrl', {
			enumerable: true,
			get: () => {
				if (++reads >= locked) throw new Error('SQLITE_BUSY: database is locked');
				return baseUrl;
			},
		});
		await org.meets({ action: 'status', status: 502, when: 'after', times: -1 });
		const { items } = await runNode({
			type: 'tagLead',
			parameters: { authentication: 'oAuth2', ...tag(org, lead as string) },
			credential,
			onError: 'continueRegularOutput',
		});
		expect(await control.tagApplications(org.id)).toHaveLength(1);
		expect(items[0]?.json).toMatchObject({
			error: expect.stringContaining('SQLITE_BUSY'),
			message: expect.stringContaining('The change may have been made anyway.'),
			idempotencyKey: expect.stringMatching(/^[0-9a-f-]{36}$/),
			mayHaveBeenMade: true,
			leadId: lead,
		});
	},
);

test('an item whose credential cannot be read in a later try has the key of the try that may have made its change', async () => {
	const org = await organization({ leads: 2 });
	const leads = await leadsOf(org);
	const credential = { ...org.credential };
	let reads = 0;
	Object.defineProperty(credential, 'baseUrl', {
		enumerable: true,
		get: () => {
			if (++reads > 1) throw new Error('SQLITE_BUSY: database is locked');
			return org.credential.baseUrl;
		},
	});
	await org.meets({ action: 'status', status: 503, when: 'after', match: { path: tagPath(leads[0]) } });
	const options = { maxAttempts: 1 };
	const { outputs } = await runNode({
		type: 'tagLead',
		parameters: tag(org, '={{ $json.id }}', { options }),
		input: leads.map((id) => ({ id })),
		credential,
		onError: 'continueErrorOutput',
		settings: { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 },
	});
	expect(await control.tagApplications(org.id)).toHaveLength(2);
	const failed = (outputs[1] ?? []).map(({ json }) => json);
	const unread = { error: expect.stringContaining('SQLITE_BUSY'), mayHaveBeenMade: true };
	expect(failed).toMatchObject([unread, unread]);
	// The second node that docs/idempotency.md describes.
	const repeated = tag(org, '={{ $json.id }}', { options: { idempotencyKey: '={{ $json.idempotencyKey }}' } });
	const again = await runFor(org, 'tagLead', repeated, { input: failed });
	expect(again.items.map(({ json }) => json.replayed)).toEqual([true, true]);
	expect(await control.tagApplications(org.id)).toHaveLength(2);
});
