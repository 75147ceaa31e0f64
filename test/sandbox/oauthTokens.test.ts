import { existsSync } from 'node:fs';
import type { MintedTokens } from '../../sandbox/src/client.ts';
import { startSandbox } from '../../sandbox/src/client.ts';
import { OAuthClient, SmallBrowser } from './support/oauthClient.ts';
import { aurora, AUTOMATION, useSandbox, withData } from './support/sandbox.ts';

const sandbox = useSandbox();
const refresh = (tokens: MintedTokens) => new OAuthClient(sandbox.oauth).refresh(tokens.refresh_token);

test('act for the organization they were made for, with its scopes', async () => {
	const [mine, other] = [await sandbox.tenant({ leads: 3 }), await sandbox.tenant({ leads: 3 })];
	const { access_token: key, scope } = await sandbox.control.createOAuthTokens(mine.id, { scopes: ['leads:read'] });
	expect(scope).toBe('leads:read');
	expect((await mine.get('/v1/leads/', {}, { key })).data).toMatchObject({
		data: (await mine.walk('/v1/leads/')).map(({ id }) => ({ id })),
	});
	expect((await other.walk('/v1/leads/'))[0]).not.toEqual((await mine.walk('/v1/leads/'))[0]);
	const rejected = await mine.get('/v1/revenue/summary/', {}, { key });
	expect([rejected.status, rejected.data.error.message]).toEqual([403, expect.stringContaining('revenue:read')]);
});

test('carry the role of the user who granted them', async () => {
	const tenant = await sandbox.tenant();
	const member = await sandbox.control.createOAuthTokens(tenant.id, { role: 'Member' });
	const manager = await sandbox.control.createOAuthTokens(tenant.id, { role: 'Manager' });
	const create = async ({ access_token: key }: MintedTokens) =>
		(await tenant.post('/v1/automations/keyword/', AUTOMATION, { key })).status;
	const usual = await sandbox.control.createOAuthTokens(tenant.id);
	expect([await create(member), await create(manager), await create(usual)]).toEqual([403, 201, 201]);
});

test('expire on demand, and stay in the journal of their organization; a refresh returns a valid one', async () => {
	const tenant = await sandbox.tenant();
	const tokens = await sandbox.control.createOAuthTokens(tenant.id);
	expect(await sandbox.control.expireOAuthTokens(tenant.id)).toEqual({ expired: 1 });
	expect(await sandbox.control.expireOAuthTokens(tenant.id)).toEqual({ expired: 0 });
	const rejected = await tenant.get('/v1/leads/', {}, { key: tokens.access_token });
	expect([rejected.status, rejected.data.error.message]).toEqual([401, 'The access token is expired']);
	const { data } = await refresh(tokens);
	expect((await tenant.get('/v1/leads/', {}, { key: data.access_token })).status).toBe(200);
	const [first, second] = await sandbox.control.journal(tenant.id);
	expect([first?.status, second?.status, first?.key_id]).toEqual([401, 200, second?.key_id]);
	expect(first?.key_id).toMatch(/^grant_/);
});

test('expire after their lifetime', async () => {
	const tenant = await sandbox.tenant();
	const granted = await sandbox.control.createOAuthTokens(tenant.id, { lifetime: '4s' });
	const { access_token: key, expires_in: seconds } = granted;
	expect(seconds).toBe(4);
	expect((await tenant.get('/v1/leads/', {}, { key })).status).toBe(200);
	let { status } = await tenant.get('/v1/leads/', {}, { key });
	while (status === 200) ({ status } = await tenant.get('/v1/leads/', {}, { key }));
	expect(status).toBe(401);
});

test('end with their grant, and with their organization', async () => {
	const tenant = await sandbox.tenant();
	const granted = async () => await sandbox.control.createOAuthTokens(tenant.id);
	const [one, other] = [await granted(), await granted()];
	await sandbox.control.revokeOAuthGrant(tenant.id, one.refresh_token);
	expect((await tenant.get('/v1/leads/', {}, { key: one.access_token })).status).toBe(401);
	expect((await refresh(one)).data.error).toBe('invalid_grant');
	expect((await tenant.get('/v1/leads/', {}, { key: other.access_token })).status).toBe(200);
	await sandbox.control.deleteOrganization(tenant.id);
	expect((await tenant.get('/v1/leads/', {}, { key: other.access_token })).status).toBe(401);
	expect((await refresh(other)).data.error).toBe('invalid_grant');
});

test('end all at once, for one organization', async () => {
	const [mine, other] = [await sandbox.tenant(), await sandbox.tenant()];
	const tokens = [await sandbox.control.createOAuthTokens(mine.id), await sandbox.control.createOAuthTokens(mine.id)];
	const { access_token: others } = await sandbox.control.createOAuthTokens(other.id);
	await sandbox.control.revokeOAuthGrant(mine.id);
	for (const { access_token: key } of tokens) expect((await mine.get('/v1/leads/', {}, { key })).status).toBe(401);
	expect((await other.get('/v1/leads/', {}, { key: others })).status).toBe(200);
});

test('are granted by a new user, who can consent for that organization', async () => {
	const tenant = await sandbox.tenant({ name: 'Cedar & Co <Ltd>', leads: 1 });
	const user = await sandbox.control.createUser(tenant.id, { role: 'Member' });
	const client = new OAuthClient({ ...sandbox.oauth, ...user });
	const browser = new SmallBrowser(sandbox.url);
	const consent = await browser.submit(await browser.open(client.authorizeUrl('leads:read automations:write')), user);
	expect(consent.data).toContain('<h1>Allow Demo client to use Cedar &amp; Co &lt;Ltd&gt;?</h1>');
	const back = await browser.submit(consent, { decision: 'allow' });
	const { access_token: key } = (await client.redeem(back)).data;
	expect((await tenant.get('/v1/leads/', {}, { key })).data.data).toHaveLength(1);
	expect((await tenant.post('/v1/automations/keyword/', AUTOMATION, { key })).status).toBe(403);
});

test('belong to one organization: another cannot revoke them', async () => {
	const [mine, other] = [await sandbox.tenant(), await sandbox.tenant()];
	const { access_token: key } = await sandbox.control.createOAuthTokens(mine.id);
	await expect(sandbox.control.revokeOAuthGrant(other.id, key)).rejects.toThrow('no such token');
	expect((await mine.get('/v1/leads/', {}, { key })).status).toBe(200);
});

test('have their own rate limits for reads and writes for each grant', async () => {
	const tenant = await sandbox.tenant({ budgets: { enabled: true, read: 1, minute: '1m' } });
	const granted = async () => await sandbox.control.createOAuthTokens(tenant.id);
	const [one, other] = [await granted(), await granted()];
	const status = async (key: string) => (await tenant.get('/v1/leads/', {}, { key })).status;
	expect(await status(one.access_token)).toBe(200);
	expect(await status((await refresh(one)).data.access_token)).toBe(429);
	expect(await status(other.access_token)).toBe(200);
});

test.each([
	[{ scopes: ['leads:delete'] }, /scopes/],
	[{ scopes: [] }, /scopes/],
	[{ lifetime: 'soon' }, /lifetime takes a duration of at least 1s, not "soon"/],
	[{ lifetime: '10ms' }, /lifetime takes a duration/],
])('are rejected for %j', async (wanted, message) => {
	const { id } = await sandbox.tenant();
	await expect(sandbox.control.createOAuthTokens(id, wanted as never)).rejects.toThrow(message);
});

test('survive a restart on the same file', async () => {
	await withData(async (data) => {
		const options = { data, leads: 1, transactions: 0, manualRecords: 0 };
		const before = await startSandbox(options);
		const tokens = await before.control.createOAuthTokens('org_aurora');
		await before.kill9();
		expect(existsSync(data)).toBe(true);
		const after = await startSandbox(options);
		expect((await aurora(after).get('/v1/leads/', {}, { key: tokens.access_token })).status).toBe(200);
		expect((await new OAuthClient(after.oauth).refresh(tokens.refresh_token)).status).toBe(200);
		expect((await new OAuthClient(after.oauth).connect(after.url, 'leads:read')).status).toBe(200);
		expect([await after.stop(), after.errors()]).toEqual([0, '']);
	});
});
