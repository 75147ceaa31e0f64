import type { AxiosResponse } from 'axios';
import axios from 'axios';
import { CALLBACK, OAuthClient, SmallBrowser } from './support/oauthClient.ts';
import { useSandbox } from './support/sandbox.ts';

const sandbox = useSandbox();
let client: OAuthClient;
beforeAll(() => {
	client = new OAuthClient(sandbox.oauth);
});

const SCOPE = 'revenue:read leads:read';
const list = (token: string, path = '/v1/leads/') =>
	axios.get(`${sandbox.url}${path}`, {
		headers: { Authorization: `Bearer ${token}` },
		params: { page_size: 1 },
		validateStatus: () => true,
		proxy: false,
	});

/** Returns the scopes that a page asks the user for. */
const scopesOn = ({ data }: AxiosResponse<string>) =>
	[...data.matchAll(/<li><code>([^<]+)/g)].map(([, scope]) => scope);

describe('authorization code flow', () => {
	test('signs in, asks for consent, and returns tokens for the requested scopes', async () => {
		const browser = new SmallBrowser(sandbox.url);
		const signIn = await browser.open(client.authorizeUrl(SCOPE));
		expect([signIn.status, signIn.headers]).toMatchObject([
			200,
			{
				'content-type': 'text/html; charset=utf-8',
				'cache-control': 'no-store',
				'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
			},
		]);
		const { email, password } = sandbox.oauth;
		const consent = await browser.submit(signIn, { email, password });
		expect(consent.data).toContain('Aurora Studio');
		expect(consent.data).toContain(`You are signed in as ${email}`);
		expect(scopesOn(consent).sort()).toEqual(SCOPE.split(' ').sort());
		const back = await browser.submit(consent, { decision: 'allow' });
		const location = new URL(String(back.headers['location']));
		expect([location.origin + location.pathname, location.searchParams.get('state')]).toEqual([CALLBACK, 's1']);
		const { status, data } = await client.redeem(back);
		const tokens = { access_token: expect.any(String), refresh_token: expect.any(String), expires_in: 600 };
		expect([status, data]).toEqual([200, { ...tokens, scope: SCOPE, token_type: 'Bearer' }]);
		expect((await list(data.access_token)).status).toBe(200);
		expect((await list(data.access_token, '/v1/revenue/summary/')).status).toBe(200);
	});

	test('says that an email and a password do not belong together, and lets the user try again', async () => {
		const browser = new SmallBrowser(sandbox.url);
		const { email, password } = sandbox.oauth;
		let page = await browser.open(client.authorizeUrl(SCOPE));
		for (const wrong of [
			{ email: `"><b>${email}`, password },
			{ email, password: `${password}!` },
		]) {
			page = await browser.submit(page, wrong);
			expect(page.status).toBe(422);
			expect(page.data).toMatch(/role="alert"[^>]*>This email and password do not belong together/);
			expect(page.data).not.toContain('<b>');
		}
		expect(page.data).toContain(`value="${email}"`);
		expect((await browser.submit(page, { email: ` ${email}`, password })).data).toContain('Allow');
	});

	test.each(['deny', ''])('returns no code to the client when the user does not allow it: "%s"', async (not) => {
		const back = await client.decide(new SmallBrowser(sandbox.url), SCOPE, not as 'deny');
		const { searchParams } = new URL(String(back.headers['location']));
		expect([searchParams.get('error'), searchParams.get('code')]).toEqual(['access_denied', null]);
	});

	test('asks once for each scope: a second connection with no more scopes returns at once', async () => {
		const browser = new SmallBrowser(sandbox.url);
		await client.decide(browser, SCOPE, 'allow');
		expect((await client.redeem(await browser.open(client.authorizeUrl('leads:read')))).data.scope).toBe('leads:read');
		const more = await browser.open(client.authorizeUrl(`${SCOPE} leads:write`));
		expect(scopesOn(more)).toEqual(['leads:write']);
		const { data } = await client.redeem(await browser.submit(more, { decision: 'allow' }));
		expect(data.scope).toBe(`${SCOPE} leads:write`);
	});

	test('takes a code once, and ends what it gave when it is used again', async () => {
		const back = await client.decide(new SmallBrowser(sandbox.url), SCOPE, 'allow');
		const first = await client.redeem(back);
		expect((await client.redeem(back)).data.error).toBe('invalid_grant');
		expect((await list(first.data.access_token)).status).toBe(401);
	});

	test.each([
		['an unknown client', { client_id: 'nobody' }],
		['an address that is not the client’s', { redirect_uri: 'https://elsewhere.example/callback' }],
		['an address with the client’s in its query', { redirect_uri: `https://elsewhere.example/?to=${CALLBACK}` }],
		['an address with a fragment', { redirect_uri: `${CALLBACK}#fragment` }],
		['a script as address', { redirect_uri: 'javascript:alert(1)' }],
	])('shows an error page for %s, and does not redirect', async (_case, wrong) => {
		const page = await new SmallBrowser(sandbox.url).open(client.authorizeUrl(SCOPE, wrong));
		expect([page.status, page.headers['location']]).toEqual([400, undefined]);
		expect(page.data).toContain('The connection was not made');
	});

	const ADDRESSES = [
		'http://127.0.0.1:41234/cb',
		'http://[::1]:8080/',
		'https://n8n.example/rest/oauth2-credential/callback',
	];
	test.each(ADDRESSES)('sends users back to %s', async (address) => {
		const back = await client.decide(new SmallBrowser(sandbox.url), SCOPE, 'allow', { redirect_uri: address });
		expect(String(back.headers['location']).startsWith(`${address}?code=`)).toBe(true);
	});

	test('says that a sign-in has expired', async () => {
		const page = await new SmallBrowser(sandbox.url).open(`${sandbox.url}/oauth/sign-in/none`);
		expect([page.status, page.data]).toEqual([400, expect.stringContaining('This sign-in has expired')]);
	});
});

describe('tokens', () => {
	test('are refreshed with a refresh token that works once; using it again ends the grant', async () => {
		const { data: first } = await client.connect(sandbox.url, SCOPE);
		const second = await client.refresh(first.refresh_token);
		expect(second.status).toBe(200);
		expect(second.data.refresh_token).not.toBe(first.refresh_token);
		expect((await list(second.data.access_token)).status).toBe(200);
		const again = await client.refresh(first.refresh_token);
		expect([again.status, again.data.error]).toEqual([400, 'invalid_grant']);
		expect((await client.refresh(second.data.refresh_token)).data.error).toBe('invalid_grant');
		const rejected = await list(second.data.access_token);
		expect([rejected.status, rejected.data.error.message]).toEqual([401, 'The access token is revoked']);
	});

	test('end when one is revoked', async () => {
		const { data } = await client.connect(sandbox.url, SCOPE);
		expect((await client.revoke(data.refresh_token)).status).toBe(200);
		expect((await list(data.access_token)).status).toBe(401);
		expect((await client.refresh(data.refresh_token)).data.error).toBe('invalid_grant');
	});

	test('need the client’s secret', async () => {
		const { status, data } = await client.token(
			{ grant_type: 'refresh_token', refresh_token: 'x' },
			{ username: sandbox.oauth.client_id, password: 'wrong' },
		);
		expect([status, data.error]).toEqual([401, 'invalid_client']);
	});
});
