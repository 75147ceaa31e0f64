import type { INodeParameters } from 'n8n-workflow';
import type { NodeRun } from '../support/engine/runNode.ts';
import { runFor, runNode, succeeded } from '../support/engine/runNode.ts';
import { draft, keys, leadsOf, tag, tagAll, tagPath } from '../support/engine/writes.ts';
import type { TestOrganization } from '../support/service.ts';
import { control, jsonResponse, organization, withoutBackoff } from '../support/service.ts';

withoutBackoff();

describe('Tag Lead', () => {
	test('adds the tag to each lead once and says so', async () => {
		const org = await organization({ leads: 3 });
		const { items, leads } = await succeeded(tagAll(org, 3));
		const journal = await org.journal();
		expect(journal.map(({ method, path, body }) => ({ method, path, body }))).toEqual(
			leads.map((id) => ({ method: 'POST', path: `/v1/leads/${id}/tags/`, body: { tag_id: org.manualTag } })),
		);
		expect(journal.every(({ headers }) => headers['content-type'] === 'application/json')).toBe(true);
		expect(items.map(({ json, pairedItem }) => ({ json, pairedItem }))).toEqual(
			leads.map((leadId, index) => ({
				json: expect.objectContaining({
					leadId,
					tagId: org.manualTag,
					idempotencyKey: journal[index]?.idempotency_key,
					replayed: false,
					requestId: journal[index]?.request_id,
				}),
				pairedItem: { item: index },
			})),
		);
		expect(await control.tagApplications(org.id)).toHaveLength(3);
	});

	test('tags four leads at a time', async () => {
		const org = await organization({ leads: 12 });
		// The first four wait for long enough that a fifth would arrive beside them, even on a busy machine.
		await org.meets({ action: 'stall', ms: 2_000, then: 'respond', times: 4, match: { method: 'POST' } });
		await tagAll(org, 12);
		expect(Math.max(...(await org.journal()).map((entry) => entry.in_flight))).toBe(3); // besides the arriving one
	});

	test.each(['200-object', '200-empty', '201-object', '204'] as const)('accepts the response %s', async (kind) => {
		const org = await organization({ leads: 1, switches: { 'tag-response': kind } });
		const { items } = await succeeded(tagAll(org, 1));
		expect(items[0]?.json).toMatchObject({ tagId: org.manualTag, replayed: false });
		expect(items[0]?.json).not.toHaveProperty('error');
	});

	test.each([
		['{"error":null,"ok":true}', { answer: { error: null, ok: true } }],
		['["a"]', { answer: ['a'] }],
		['"done"', { answer: 'done' }],
		['null', {}],
	])('a response %s on success is not taken for a failure', async (body, expected) => {
		const org = await organization({ leads: 1 }, jsonResponse(body, { match: { method: 'POST' } }));
		const { items } = await succeeded(tagAll(org, 1, { onError: 'continueErrorOutput' }));
		expect(items[0]?.json).toMatchObject(expected);
		expect(items[0]?.json).not.toHaveProperty('error');
	});

	const SUCCESSES = [200, 201, 202, 203, 207];
	test.each(SUCCESSES)('with status %i, the body of an error is a failure, and no success', async (status) => {
		const org = await organization({ leads: 1 });
		const post = { method: 'POST' };
		const error = { type: 'not_found', message: `No tag for ${org.keys.full}`, request_id: 'r' };
		await org.meets(jsonResponse({ error }, { status, times: -1, match: post }));
		const { items, error: failed } = await tagAll(org, 1);
		expect(items).toEqual([]);
		expect(failed?.message).toBe(
			'The response to the request to tag the lead is not as documented: it has an error: No tag for ***',
		);
		expect(failed?.context).toMatchObject({ mayHaveBeenMade: true });
		const journal = await org.journal();
		expect([journal.length, new Set(keys(journal)).size]).toEqual([5, 1]);
	});

	test.each([200, 202, 203, 207, 226])('with status %i, any other body is a success', async (status) => {
		const org = await organization({ leads: 1 });
		await org.meets(jsonResponse({ results: [{ status: 404 }] }, { status, match: { method: 'POST' } }));
		const { items } = await succeeded(tagAll(org, 1));
		expect(items[0]?.json).toMatchObject({ results: [{ status: 404 }], replayed: false });
	});

	test('its own fields take precedence over those of the response', async () => {
		const org = await organization({ leads: 1 });
		const body = '{"leadId":0,"tagId":0,"idempotencyKey":0,"replayed":0,"requestId":0,"more":1}';
		await org.meets(jsonResponse(body, { match: { method: 'POST' } }));
		const { items, leads } = await tagAll(org, 1);
		const [entry] = await org.journal();
		expect(items[0]?.json).toEqual({
			leadId: leads[0],
			tagId: org.manualTag,
			idempotencyKey: entry?.idempotency_key,
			replayed: false,
			requestId: entry?.request_id,
			more: 1,
		});
	});

	test('reads every parameter and option for each item, and links what came of it', async () => {
		const org = await organization({ leads: 2 });
		const [first, second] = await leadsOf(org);
		await org.meets({ action: 'status', status: 500, times: -1, match: { path: tagPath(second) } });
		const { items } = await runFor(
			org,
			'tagLead',
			tag(org, '={{ $json.lead }}', {
				tagId: '={{ $json.tag }}',
				options: { maxAttempts: '={{ $json.attempts }}', idempotencyKey: '={{ $json.key }}' },
			}),
			{
				input: [
					{ lead: first as string, tag: org.manualTag, attempts: 1, key: 'one' },
					{ lead: second as string, tag: 999_999, attempts: 3, key: 'two' },
				],
				onError: 'continueRegularOutput',
			},
		);
		expect(items).toMatchObject([
			{ pairedItem: { item: 0 } },
			{ pairedItem: { item: 1 }, json: { error: expect.stringContaining('after 3 attempts') } },
		]);
		const journal = await org.journal();
		const tags = (lead?: string) => journal.filter(({ path }) => path === tagPath(lead)).map(({ body }) => body);
		expect(tags(first)).toEqual([{ tag_id: org.manualTag }]);
		expect(tags(second)).toEqual(Array(3).fill({ tag_id: 999_999 }));
		expect(new Set(keys(journal)).size).toBe(2);
	});

	test('says which scope a key lacks', async () => {
		const org = await organization({ leads: 1 });
		const credential = { ...org.credential, apiKey: org.keys.readonly };
		const { error } = await runNode({ type: 'tagLead', parameters: tag(org, 'lead'), credential });
		expect(error?.httpCode).toBe('403');
		expect(error?.description).toContain('it needs the scope leads:write');
	});

	const ID_KINDS = ['text', 'numeric-text', 'number', 'unicode'] as const;
	test.each(ID_KINDS)('encodes a lead ID of kind %s into the path', async (kind) => {
		const org = await organization({ leads: 5, switches: { 'lead-id-kind': kind } });
		const { leads } = await succeeded(tagAll(org, 5));
		expect((await control.tagApplications(org.id)).map(({ lead_id: id }) => id)).toEqual(leads.map(String));
	});

	test.each(['a/b', '../leads', '%2e%2e', 'a?b#c', 'ä ö', '..%2f', 'a;b', "a'b"])('%j is one segment', async (id) => {
		const org = await organization({ leads: 1 });
		const { error } = await runFor(org, 'tagLead', tag(org, id));
		expect(error?.httpCode).toBe('404');
		expect(error?.description).toContain(JSON.stringify(id));
		const [entry] = await org.journal();
		expect(entry?.path).toBe(`/v1/leads/${encodeURIComponent(id)}/tags/`);
	});

	test.each<[string, INodeParameters, RegExp]>([
		['={{ "" }}', {}, /"Lead" is empty/],
		['={{ ({ id: 1 }) }}', {}, /"Lead" is not a lead ID/],
		['lead', { tagId: 0 }, /"Tag ID" must be a whole number/],
		['lead', { tagId: '={{ "vip" }}' }, /"?[Tt]ag ?I[Dd]"?/],
		['lead', { options: { idempotencyKey: '={{ [1] }}' } }, /"Idempotency Key" is not text|idempotencyKey/],
	])('lead %j with %j is rejected before any request', async (lead, more, message) => {
		const org = await organization({ leads: 1 });
		const { error } = await runFor(org, 'tagLead', tag(org, lead, more));
		expect(error?.message).toMatch(message);
		expect(await org.journal()).toEqual([]);
	});
});

describe('Create Keyword Automation', () => {
	const create = async (org: TestOrganization, parameters: INodeParameters, more: Partial<NodeRun> = {}) =>
		await runFor(org, 'createKeywordAutomation', { ...draft, ...parameters }, more);

	test.each([
		['201', 'none'],
		['200', 'fields'],
	] as const)('creates an inactive draft unless told otherwise (%s, extra fields %s)', async (status, extra) => {
		const org = await organization({ switches: { 'automation-status': status, 'automation-extra': extra } });
		const { items } = await succeeded(create(org, {}));
		const [entry] = await org.journal();
		expect(entry?.path).toBe('/v1/automations/keyword/');
		expect(entry?.body).toEqual({
			name: 'Price list',
			is_active: false,
			keywords: ['price', 'cost'],
			comment_type: 'ANY_POST',
			replies: [{ text: 'Thanks! Here it is.' }],
		});
		expect(items[0]?.json).toMatchObject({
			id: expect.any(String),
			is_active: false,
			replayed: false,
			idempotencyKey: entry?.idempotency_key,
		});
	});

	test('an active one, another comment type, and lists from expressions', async () => {
		const org = await organization();
		await create(
			org,
			{
				isActive: true,
				commentType: 'OTHER',
				otherCommentType: 'STORY',
				keywords: ['={{ $json.words }}', 'hello, world', '={{ $json.text }}'],
				replies: ['={{ $json.texts }}', 'typed'],
			},
			{ input: [{ words: ['a, b', 'c'], text: 'd , e', texts: [{ text: 'one' }, 'two'] }] },
		);
		expect((await org.journal())[0]?.body).toMatchObject({
			is_active: true,
			comment_type: 'STORY',
			keywords: ['a, b', 'c', 'hello, world', 'd', 'e'],
			replies: [{ text: 'one' }, { text: 'two' }, { text: 'typed' }],
		});
	});

	test('a comment type from an expression needs no Other Comment Type', async () => {
		const org = await organization();
		await create(org, { commentType: '={{ $json.type }}' }, { input: [{ type: 'STORY' }] });
		expect((await org.journal())[0]?.body).toMatchObject({ comment_type: 'STORY' });
	});

	test.each<[INodeParameters, RegExp]>([
		[{ name: '={{ "" }}' }, /"Name" is empty/],
		[{ isActive: '={{ "perhaps" }}' }, /"Active" must be true or false/],
		[{ keywords: ['={{ "" }}', '={{ " " }}'] }, /"Keywords" is empty/],
		[{ keywords: ['preexisting', 'preexisting'] }, /"Keywords" entry 2 repeats "preexisting"/],
		[{ keywords: ['={{ "a,,b" }}'] }, /"Keywords" entry 2 is blank/],
		[{ commentType: 'OTHER', otherCommentType: '={{ "" }}' }, /"Other Comment Type" is empty/],
	])('%j is rejected before any request', async (parameters, message) => {
		const org = await organization();
		const { error } = await create(org, parameters);
		expect(error?.message).toMatch(message);
		expect(error?.context.itemIndex).toBe(0);
		expect(await org.journal()).toEqual([]);
	});

	test('reads every parameter and option for each item, and links what came of it', async () => {
		const org = await organization({}, { action: 'status', status: 500, skip: 1, times: -1 });
		const input = [
			{ name: 'a', words: ['x'], on: true, attempts: 1, key: 'one' },
			{ name: 'b', words: ['y'], on: 'false', attempts: 3, key: 'two' },
		];
		const own = { name: '={{ $json.name }}', keywords: '={{ $json.words }}', isActive: '={{ $json.on }}' };
		const options = { maxAttempts: '={{ $json.attempts }}', idempotencyKey: '={{ $json.key }}' };
		const { items, error } = await create(org, { ...own, options }, { input });
		expect(items).toEqual([]);
		expect(error).toMatchObject({ message: expect.stringContaining('after 3 attempts'), context: { itemIndex: 1 } });
		const journal = await org.journal();
		expect(journal.map(({ body }) => body)).toMatchObject([
			{ name: 'a', keywords: ['x'], is_active: true },
			...Array(3).fill({ name: 'b', keywords: ['y'], is_active: false }),
		]);
		await control.clearFaults(org.id);
		const again = await create(org, { ...own, options }, { input });
		expect(again.items.map(({ pairedItem, json }) => [pairedItem, json.replayed])).toEqual([
			[{ item: 0 }, true],
			[{ item: 1 }, false],
		]);
	});

	const FOREIGN = [
		['an empty body', '', 'text/plain'],
		['JSON of its own', '{"login":"https://sso"}', 'application/json'],
		['an error', '{"error":{"type":"t","message":"m","request_id":"r"}}', 'application/json'],
		['no object', '["a"]', 'application/json'],
	] as const;

	test.each(FOREIGN)('a proxy that sends 200 with %s is asked again, with the same key', async (_of, body, type) => {
		for (const when of ['before', 'after'] as const) {
			const org = await organization();
			await org.meets({ action: 'replace', when, status: 200, body, content_type: type, times: 4 });
			const { items } = await succeeded(create(org, {}));
			expect(items[0]?.json).toMatchObject({ id: expect.any(String), is_active: false, replayed: when === 'after' });
			expect(await control.automations(org.id)).toHaveLength(1);
			const sent = keys(await org.journal());
			expect([sent.length, new Set(sent).size]).toEqual([5, 1]);
		}
	});

	test.each(FOREIGN)('a proxy that sends nothing but %s is no success', async (_of, body, type) => {
		const org = await organization();
		await org.meets({ action: 'replace', when: 'before', status: 200, body, content_type: type, times: -1 });
		const { items } = await create(org, {}, { onError: 'continueRegularOutput' });
		const said = body.includes('"message":"m"') ? ': m' : '';
		expect(items[0]?.json).toMatchObject({
			error: `The response to the request to create the keyword automation is not as documented: it has no "id"${said}`,
			mayHaveBeenMade: true,
			idempotencyKey: keys(await org.journal())[0],
		});
		expect(await org.journal()).toHaveLength(5);
	});

	test('a missing role, a missing scope and a feature that is off are told apart', async () => {
		const org = await organization();
		const withKey = async (apiKey: string) =>
			(await create({ ...org, credential: { ...org.credential, apiKey } }, {})).error;
		const viewer = await withKey(org.keys.viewer);
		expect(viewer?.httpCode).toBe('403');
		expect(viewer?.description).toContain('Creator or Manager');
		const readonly = await withKey(org.keys.readonly);
		expect(readonly?.description).toContain('automations:write');
		await control.changeOrganization(org.id, { features: { keyword_automations: false } });
		const off = await withKey(org.keys.full);
		expect(off?.httpCode).toBe('404');
		expect(off?.description).toContain('not enabled');
	});
});
