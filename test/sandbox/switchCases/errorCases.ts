import type { Fault, Switches } from '../../../sandbox/src/client.ts';
import { OAuthClient } from '../support/oauthClient.ts';
import type { SandboxHandle } from '../support/sandbox.ts';
import type { Cases } from './cases.ts';

export function errorCases(sandbox: SandboxHandle): Cases {
	const exhausted = async (switches: Switches) => {
		const tenant = await sandbox.tenant({ switches, budgets: { enabled: true, read: 1, minute: '10m' } });
		await tenant.get('/v1/leads/');
		return tenant.get('/v1/leads/');
	};

	const failing = async (status: number, switches: Switches) => {
		const tenant = await sandbox.tenant({ switches });
		await sandbox.control.addFaults(tenant.id, [{ action: 'status', status }]);
		return tenant.get('/v1/leads/');
	};

	const conflict = async (switches: Switches) => {
		const tenant = await sandbox.tenant({ switches });
		const running: Fault = { action: 'still_running', applied: false, match: { method: 'POST' } };
		await sandbox.control.addFaults(tenant.id, [running]);
		return tenant.tag();
	};

	async function fields(shape: Switches['error-fields-shape']) {
		const tenant = await sandbox.tenant({ switches: { 'error-fields-shape': shape! } });
		return (await tenant.get('/v1/leads/', { page_size: 0 })).data.error.fields;
	}

	return {
		'oauth-token-lifetime': {
			async duration() {
				const tenant = await sandbox.tenant({ switches: { 'oauth-token-lifetime': '1500ms' } });
				const granted = await sandbox.control.createOAuthTokens(tenant.id);
				expect(granted.expires_in).toBe(2);
				await tenant.change({ switches: { 'oauth-token-lifetime': '7d' } });
				const { data } = await new OAuthClient(sandbox.oauth).refresh(granted.refresh_token);
				expect(data.expires_in).toBe(604_800);
			},
		},
		'conflict-status-body': {
			envelope: async () => expect((await conflict({})).data.error.type).toBe('conflict'),
			async empty() {
				const { status, data, headers } = await conflict({ 'conflict-status-body': 'empty' });
				expect([status, data]).toEqual([409, '']);
				expect(headers['x-request-id']).toMatch(/^req_/);
			},
		},
		'server-error-body': {
			envelope: async () => expect((await failing(503, {})).data.error.type).toBe('server_error'),
			async html() {
				const { data, headers } = await failing(503, { 'server-error-body': 'html' });
				expect(headers['content-type']).toMatch(/^text\/html/);
				expect(data).toContain('<h1>');
			},
			empty: async () => expect((await failing(503, { 'server-error-body': 'empty' })).data).toBe(''),
		},
		'error-type-style': {
			snake: async () => expect((await failing(400, {})).data.error.type).toBe('invalid_request'),
			code: async () => expect((await failing(400, { 'error-type-style': 'code' })).data.error.type).toBe('E400'),
		},
		'error-fields-shape': {
			'object-of-arrays': async () =>
				expect(await fields('object-of-arrays')).toEqual({ page_size: [expect.any(String)] }),
			'object-of-strings': async () =>
				expect(await fields('object-of-strings')).toEqual({ page_size: expect.any(String) }),
			absent: async () => expect(await fields('absent')).toBeUndefined(),
		},
		'retry-after-style': {
			seconds: async () => expect((await exhausted({})).headers['retry-after']).toMatch(/^\d+$/),
			async 'http-date'() {
				const { headers, data } = await exhausted({ 'retry-after-style': 'http-date', 'clock-skew': '5h' });
				const wait = (Date.parse(headers['retry-after']) - Date.parse(headers['date'])) / 1_000;
				expect(Math.abs(wait - data.error.retry_after)).toBeLessThanOrEqual(1);
			},
			malformed: async () =>
				expect((await exhausted({ 'retry-after-style': 'malformed' })).headers['retry-after']).toBe('soon'),
			async absent() {
				const { status, headers, data } = await exhausted({ 'retry-after-style': 'absent' });
				expect([status, headers['retry-after'], typeof data.error.retry_after]).toEqual([429, undefined, 'number']);
			},
		},
		'retry-after-body': {
			present: async () => expect((await exhausted({})).data.error.retry_after).toBeGreaterThan(1),
			absent: async () =>
				expect((await exhausted({ 'retry-after-body': 'absent' })).data.error).not.toHaveProperty('retry_after'),
		},
	};
}
