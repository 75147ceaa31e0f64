import { randomUUID } from 'node:crypto';
import type { Switches } from '../../../sandbox/src/client.ts';
import type { SandboxHandle } from '../support/sandbox.ts';
import { AUTOMATION } from '../support/sandbox.ts';
import type { Cases } from './cases.ts';

export function writeCases(sandbox: SandboxHandle): Cases {
	async function tagResponse(response: Switches['tag-response'], status: number, body: unknown): Promise<void> {
		const tenant = await sandbox.tenant({ switches: { 'tag-response': response! } });
		const idempotencyKey = randomUUID();
		for (const replay of [undefined, 'true']) {
			const response = await tenant.tag({ idempotencyKey });
			expect([response.status, response.data, response.headers['idempotent-replay']]).toEqual([status, body, replay]);
		}
	}

	async function automation(switches: Switches, body: object = AUTOMATION) {
		return (await sandbox.tenant({ switches })).post('/v1/automations/keyword/', body);
	}

	/** Status and replay of a tag that comes with the key of another. */
	async function reused(reuse: Switches['key-reuse']) {
		const tenant = await sandbox.tenant({ leads: 2, switches: { 'key-reuse': reuse! } });
		const [idempotencyKey, tagId] = [randomUUID(), await tenant.tagId()];
		const { data } = await tenant.get('/v1/leads/');
		const [one, other] = (data.data as Array<{ id: string }>).map(({ id }) => id);
		await tenant.tag({ lead: one!, tagId, idempotencyKey });
		const { status, headers } = await tenant.tag({ lead: other!, tagId, idempotencyKey });
		return [status, headers['idempotent-replay']];
	}

	async function twice(same: Switches['automation-same-name']): Promise<number[]> {
		const tenant = await sandbox.tenant({ switches: { 'automation-same-name': same! } });
		const create = async () => (await tenant.post('/v1/automations/keyword/', AUTOMATION)).status;
		return [await create(), await create()];
	}

	return {
		'tag-response': {
			'200-object': () => tagResponse('200-object', 200, expect.objectContaining({ tag_id: expect.any(Number) })),
			'200-empty': () => tagResponse('200-empty', 200, ''),
			'201-object': () => tagResponse('201-object', 201, expect.objectContaining({ tag_id: expect.any(Number) })),
			'204': () => tagResponse('204', 204, ''),
		},
		'automation-status': {
			'201': async () => expect((await automation({ 'automation-status': '201' })).status).toBe(201),
			'200': async () => expect((await automation({ 'automation-status': '200' })).status).toBe(200),
		},
		'automation-extra': {
			none: async () =>
				expect(Object.keys((await automation({ 'automation-extra': 'none' })).data).sort()).toEqual([
					'id',
					'is_active',
				]),
			fields: async () => expect((await automation({ 'automation-extra': 'fields' })).data).toMatchObject(AUTOMATION),
		},
		'automation-required': {
			async all() {
				const { status, data } = await automation({ 'automation-required': 'all' }, { name: 'x' });
				expect(status).toBe(400);
				expect(Object.keys(data.error.fields)).toEqual(['is_active', 'keywords', 'comment_type', 'replies']);
			},
			async name() {
				expect((await automation({ 'automation-required': 'name' }, { name: 'x' })).data.is_active).toBe(false);
				expect((await automation({ 'automation-required': 'name' }, {})).status).toBe(400);
			},
			none: async () => expect((await automation({ 'automation-required': 'none' }, {})).status).toBe(201),
		},
		'automation-comment-type': {
			any: async () => expect((await automation({}, { ...AUTOMATION, comment_type: 'STORY' })).status).toBe(201),
			async ANY_POST() {
				const story = { ...AUTOMATION, comment_type: 'STORY' };
				const { status, data } = await automation({ 'automation-comment-type': 'ANY_POST' }, story);
				expect([status, Object.keys(data.error.fields)]).toEqual([400, ['comment_type']]);
				expect((await automation({ 'automation-comment-type': 'ANY_POST' })).status).toBe(201);
			},
		},
		'automation-same-name': {
			allowed: async () => expect(await twice('allowed')).toEqual([201, 201]),
			conflict: async () => expect(await twice('conflict')).toEqual([201, 409]),
		},
		'key-reuse': {
			conflict: async () => expect(await reused('conflict')).toEqual([409, undefined]),
			reject: async () => expect(await reused('reject')).toEqual([400, undefined]),
			replay: async () => expect(await reused('replay')).toEqual([200, 'true']),
		},
		'key-retention': {
			async duration() {
				const tenant = await sandbox.tenant({ switches: { 'key-retention': '0ms' } });
				const idempotencyKey = randomUUID();
				await tenant.tag({ idempotencyKey });
				expect((await tenant.tag({ idempotencyKey })).headers['idempotent-replay']).toBeUndefined();
			},
		},
	};
}
